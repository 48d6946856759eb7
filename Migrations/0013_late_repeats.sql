-- How often a used refresh token came back late, which tells two holders from lost answers; see docs/adr/0005.
ALTER TABLE sessions
    -- Of the token that was used last.
    ADD COLUMN late_repeats     smallint NOT NULL DEFAULT 0,
    -- One bit for each of the last ten generations, the newest lowest: whether its token came back late.
    ADD COLUMN late_generations smallint NOT NULL DEFAULT 0;

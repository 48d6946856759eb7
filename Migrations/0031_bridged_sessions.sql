-- Sessions of people who were signed in at Firebase before they came here go on: what is kept of them besides that they are sessions.
ALTER TABLE sessions
    -- The second factor that the person passed, by Firebase's names (`sign_in_second_factor`, `second_factor_identifier` of ID tokens).
    ADD COLUMN second_factor    text,
    ADD COLUMN second_factor_id text,
    -- Whether a refresh token of Firebase's was traded for the session, which its id was computed from. Such a row stays until no more are traded,
    -- even after its end, so that the same token is never traded again.
    ADD COLUMN bridged          boolean NOT NULL DEFAULT false,
    ADD CONSTRAINT sessions_second_factor CHECK (second_factor IS NOT NULL OR second_factor_id IS NULL);

-- Which master key the tokens of a session are made with, so that an operator who changes the key can tell when the former one is of no use.
ALTER TABLE sessions
    -- The id of the master key that made the newest refresh token that was presented; until one is, of the key that made the first.
    -- NULL: not refreshed since this column is there.
    ADD COLUMN token_key integer;

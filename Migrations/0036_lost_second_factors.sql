-- What stands in for a second factor whose secret stayed at the system that the account came from.
ALTER TABLE pending_sign_ins
    -- Sealed: by which Firebase goes on with the same sign-in.
    ADD COLUMN former_credential bytea,
    -- HMAC of the digits that were mailed for this sign-in.
    ADD COLUMN mailed_code bytea CHECK (length(mailed_code) = 32);

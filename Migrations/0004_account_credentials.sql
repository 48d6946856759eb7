-- Passwords, e-mail links and custom tokens as ways to sign in, and what sessions must remember of them.
ALTER TABLE accounts
    -- The first address the account ever had, once it has another.
    ADD COLUMN initial_email       text,
    -- As Crypto/PasswordHash writes it: scheme, parameters, salt, hash.
    ADD COLUMN password_hash       text,
    ADD COLUMN password_updated_at timestamptz,
    ADD COLUMN email_link_sign_in  boolean NOT NULL DEFAULT false,
    ADD COLUMN custom_auth         boolean NOT NULL DEFAULT false,
    ADD CONSTRAINT accounts_password CHECK ((password_hash IS NULL) = (password_updated_at IS NULL)),
    -- Without an address neither a password nor a link signs in.
    ADD CONSTRAINT accounts_email_credentials CHECK (email IS NOT NULL OR (password_hash IS NULL AND NOT email_link_sign_in));

ALTER TABLE identities
    -- Linked while the account's address was not proven: whoever proves it later is not bound by it.
    ADD COLUMN linked_unproven boolean NOT NULL DEFAULT false;

ALTER TABLE sessions
    -- A JSON object as text: claims that a custom token brought, for every ID token of the session.
    ADD COLUMN developer_claims text;

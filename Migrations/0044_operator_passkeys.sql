-- compatible: 0039
-- The passkeys by which operators sign in to the console. Each was added after a sign-in at the provider, and belongs to the person there.
CREATE TABLE operator_passkeys (
    credential_id   bytea       PRIMARY KEY CHECK (length(credential_id) BETWEEN 16 AND 1023),
    issuer          text        NOT NULL,
    subject         text        NOT NULL,
    -- The operator's name in gatehouse.yaml when it was added, for the record.
    operator        text        NOT NULL,
    -- The host name of the console when it was added: at another one, no browser uses it.
    rp_id           text        NOT NULL,
    -- The bytes by which authenticators know the person.
    user_handle     bytea       NOT NULL CHECK (length(user_handle) = 24),
    -- COSE.
    public_key      bytea       NOT NULL,
    sign_count      bigint      NOT NULL,
    backup_eligible boolean     NOT NULL,
    name            text        NOT NULL,
    created_at      timestamptz NOT NULL,
    last_used_at    timestamptz,
    -- When a copy of the authenticator was suspected first.
    flagged_at      timestamptz
);
CREATE INDEX operator_passkeys_person ON operator_passkeys (issuer, subject);

-- The passkey that began the session; NULL for one that began at the provider, or without it.
ALTER TABLE console_sessions ADD COLUMN passkey_id bytea;

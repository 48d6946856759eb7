-- Accounts that come from other systems: what is kept of them besides the account itself, and the keys of their password hashes.
ALTER TABLE accounts
    -- A JSON array as text: the second factors that the account had elsewhere (Firebase's `mfaInfo`). Such an account signs in by no single factor.
    ADD COLUMN second_factors text,
    -- Sealed with the master key: the secrets of those factors, from which codes are computed.
    ADD COLUMN factor_secrets bytea;

CREATE TABLE imported_accounts (
    project_id text  NOT NULL,
    account_id text  NOT NULL,
    -- Of the record as its source had it when it was last imported: an equal one is passed over.
    digest     bytea NOT NULL CHECK (length(digest) = 16),
    -- Of each field as the source had it and as it was stored then, four bytes each: what differs now was changed, there or here.
    fields     bytea NOT NULL CHECK (length(fields) = 72),
    PRIMARY KEY (project_id, account_id),
    CONSTRAINT imported_accounts_account FOREIGN KEY (project_id, account_id)
        REFERENCES accounts (project_id, account_id) ON DELETE CASCADE
);

CREATE TABLE hash_keys (
    project_id text        NOT NULL,
    -- As password hashes name it.
    key_id     text        NOT NULL,
    -- Sealed with the master key: the key, with the separator of salts.
    secret     bytea       NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (project_id, key_id)
);

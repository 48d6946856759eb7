-- Passkeys: public keys of people's authenticators, by which they sign in.
CREATE TABLE passkeys (
    project_id        text        NOT NULL,
    -- The authenticator's own name for it.
    credential_id     bytea       NOT NULL CHECK (length(credential_id) BETWEEN 16 AND 1023),
    account_id        text        NOT NULL,
    -- As the authenticator wrote it (COSE), and its algorithm there.
    public_key        bytea       NOT NULL,
    algorithm         integer     NOT NULL,
    -- The last number that the authenticator counted; 0 where it does not count.
    sign_count        bigint      NOT NULL,
    -- The site that it is for. It signs in nowhere else.
    rp_id             text        NOT NULL,
    -- Whether it may be on several devices, and whether it is.
    backup_eligible   boolean     NOT NULL,
    backup_state      boolean     NOT NULL,
    -- Whether the authenticator has verified the person at least once.
    uv_initialized    boolean     NOT NULL,
    -- How browsers reach the authenticator.
    transports        text[]      NOT NULL DEFAULT '{}',
    -- The model of the authenticator, and the form of the statement about it. They are shown, and decide nothing.
    aaguid            bytea       NOT NULL CHECK (length(aaguid) = 16),
    format            text        NOT NULL,
    name              text        NOT NULL,
    display_name      text,
    -- Whether the account's address was not proven when it was added.
    linked_unproven   boolean     NOT NULL DEFAULT false,
    -- When a copy of the authenticator was suspected first; NULL if never.
    flagged_at        timestamptz,
    linked_at         timestamptz NOT NULL,
    last_used_at      timestamptz,
    PRIMARY KEY (project_id, credential_id),
    CONSTRAINT passkeys_account_exists FOREIGN KEY (project_id, account_id) REFERENCES accounts (project_id, account_id) ON DELETE CASCADE
);
CREATE INDEX passkeys_account ON passkeys (project_id, account_id);
-- The start of a server asks for which sites there are passkeys.
CREATE INDEX passkeys_site ON passkeys (project_id, rp_id);

-- What authenticators know an account by: random bytes, made when its first passkey is.
ALTER TABLE accounts ADD COLUMN user_handle bytea CHECK (length(user_handle) = 24);
CREATE UNIQUE INDEX accounts_user_handle ON accounts (project_id, user_handle) WHERE user_handle IS NOT NULL;

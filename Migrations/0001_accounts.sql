-- Accounts, the identities linked to them, and their sessions. Every key leads with the project, so that the tables can be distributed by project.
CREATE TABLE accounts (
    project_id        text        NOT NULL,
    account_id        text        NOT NULL CHECK (length(account_id) BETWEEN 1 AND 128),
    email             text        CHECK (email = lower(email) AND length(email) BETWEEN 3 AND 254),
    -- What the app is told, on the word of whoever gave the address …
    email_verified    boolean     NOT NULL DEFAULT false,
    -- … and whether that word is proof: a mail of ours was answered, or a provider that runs the mailbox's domain said so.
    email_proven      boolean     NOT NULL DEFAULT false CHECK (email IS NOT NULL OR NOT email_proven),
    display_name      text,
    photo_url         text,
    disabled          boolean     NOT NULL DEFAULT false,
    custom_attributes text,
    -- Tokens and sessions from before this moment are dead; whole seconds.
    valid_since       timestamptz NOT NULL CHECK (valid_since = date_trunc('second', valid_since)),
    created_at        timestamptz NOT NULL,
    last_login_at     timestamptz,
    last_refresh_at   timestamptz,
    PRIMARY KEY (project_id, account_id)
);

-- One account an e-mail address. Projects that allow several accounts an address give federated accounts no address of their own.
CREATE UNIQUE INDEX accounts_email ON accounts (project_id, email) WHERE email IS NOT NULL;

CREATE TABLE identities (
    project_id      text        NOT NULL,
    provider_id     text        NOT NULL,
    subject         text        NOT NULL CHECK (length(subject) BETWEEN 1 AND 255),
    account_id      text        NOT NULL,
    -- A second form of the subject under which the provider may name the same person.
    alias           text,
    -- The provider's tenant that vouched for the subject; it never changes.
    tenant          text,
    email           text,
    display_name    text,
    photo_url       text,
    screen_name     text,
    linked_at       timestamptz NOT NULL,
    last_sign_in_at timestamptz NOT NULL,
    CONSTRAINT identities_subject PRIMARY KEY (project_id, provider_id, subject),
    CONSTRAINT identities_provider UNIQUE (project_id, account_id, provider_id),
    CONSTRAINT identities_account FOREIGN KEY (project_id, account_id)
        REFERENCES accounts (project_id, account_id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX identities_alias ON identities (project_id, provider_id, alias) WHERE alias IS NOT NULL;

-- The issuer under which a provider's subjects were stored: another issuer is another set of people.
CREATE TABLE provider_issuers (
    project_id  text NOT NULL,
    provider_id text NOT NULL,
    issuer      text NOT NULL,
    PRIMARY KEY (project_id, provider_id)
);

CREATE TABLE sessions (
    project_id       text        NOT NULL,
    session_id       bytea       NOT NULL CHECK (length(session_id) = 16),
    -- No foreign key: the session outlives its account for as long as its refresh token must be told apart from garbage.
    account_id       text        NOT NULL,
    sign_in_provider text        NOT NULL,
    auth_time        timestamptz NOT NULL,
    -- The number of the newest refresh token given out; the tokens themselves are not stored, see docs/adr/0005.
    generation       bigint      NOT NULL DEFAULT 0,
    -- When the newest refresh token was first given out, that is when the one before it was first presented.
    rotated_at       timestamptz NOT NULL,
    user_agent       text,
    address          text,
    created_at       timestamptz NOT NULL,
    refreshed_at     timestamptz NOT NULL,
    ended_at         timestamptz,
    end_reason       text,
    PRIMARY KEY (project_id, session_id)
) WITH (fillfactor = 80);

CREATE INDEX sessions_account ON sessions (project_id, account_id);
CREATE INDEX sessions_ended ON sessions (ended_at) WHERE ended_at IS NOT NULL;

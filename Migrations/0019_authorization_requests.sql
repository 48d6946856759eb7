-- This server as an OpenID provider: the requests that wait for a person, and what people agreed to. Sessions have a migration of their own,
-- so that no transaction waits for both accounts and sessions.

-- What a person said of themselves at the pages, besides the name and the picture: a JSON object by the names of OpenID Connect's claims.
ALTER TABLE accounts ADD COLUMN profile text;

CREATE TABLE authorization_requests (
    project_id         text        NOT NULL,
    request_id         bytea       NOT NULL CHECK (length(request_id) = 16),
    client_id          text        NOT NULL,
    -- pushed: a relying party sent it ahead (RFC 9126). waiting: the person is at the pages. granted: a code was given. redeemed: it was used.
    status             text        NOT NULL CHECK (status IN ('pushed', 'waiting', 'granted', 'redeemed')),
    -- The checked request, as a JSON object.
    parameters         text        NOT NULL,
    -- SHA-256 of the cookie of the browser that waits, and of the code's secret.
    cookie_hash        bytea       CHECK (length(cookie_hash) = 32),
    code_hash          bytea       CHECK (length(code_hash) = 32),
    -- The accounts whose person did something at the pages for this request: agreed to the scopes, chose the account, saved the profile.
    consented_by       text,
    chosen_by          text,
    edited_by          text,
    -- An address that the person proves by the digits in a mail, of which there is a MAC.
    email              text,
    email_code         bytea       CHECK (length(email_code) = 32),
    email_code_expires timestamptz,
    email_tries        smallint    NOT NULL DEFAULT 0,
    email_proven       boolean     NOT NULL DEFAULT false,
    -- What a code was granted for, and the session that its redemption made, which ends when the code comes again.
    browser_session_id bytea,
    scopes             text[],
    client_session_id  bytea,
    created_at         timestamptz NOT NULL,
    expires_at         timestamptz NOT NULL,
    PRIMARY KEY (project_id, request_id),
    CHECK (status <> 'waiting' OR cookie_hash IS NOT NULL),
    CHECK (status NOT IN ('granted', 'redeemed') OR (code_hash IS NOT NULL AND browser_session_id IS NOT NULL AND scopes IS NOT NULL)),
    CHECK (status <> 'redeemed' OR client_session_id IS NOT NULL)
);

CREATE INDEX authorization_requests_expiry ON authorization_requests (expires_at);

-- The scopes to which a person agreed, for clients of third parties.
CREATE TABLE consents (
    project_id text        NOT NULL,
    account_id text        NOT NULL,
    client_id  text        NOT NULL,
    scopes     text[]      NOT NULL,
    given_at   timestamptz NOT NULL,
    PRIMARY KEY (project_id, account_id, client_id),
    FOREIGN KEY (project_id, account_id) REFERENCES accounts (project_id, account_id) ON DELETE CASCADE
);

-- A sign-in at a provider that is under way. Holds hashes of what travels and sealed values only: a copy of this table redeems nothing.
CREATE TABLE sign_in_flows (
    project_id   text        NOT NULL,
    flow_id      bytea       NOT NULL CHECK (length(flow_id) = 16),
    provider_id  text        NOT NULL,
    kind         text        NOT NULL CHECK (kind IN ('web', 'client')),
    status       text        NOT NULL CHECK (status IN ('started', 'returned', 'redeeming', 'redeemed', 'failed')),
    -- SHA-256 of the secret in `state`, of the browser's cookie, of the initiator's session secret, and of the one-time code.
    state_hash   bytea       NOT NULL CHECK (length(state_hash) = 32),
    cookie_hash  bytea       CHECK (length(cookie_hash) = 32),
    session_hash bytea       NOT NULL CHECK (length(session_hash) = 32),
    handle_hash  bytea       CHECK (length(handle_hash) = 32),
    -- What the provider was shown as redirect URI; the code is exchanged with the same.
    redirect_uri text        NOT NULL,
    -- Where the browser goes back to, and the app's own state that it takes along (web flows).
    return_url   text,
    app_state    text,
    -- PKCE verifier, nonce and custom parameters, sealed with the master key.
    secrets      bytea       NOT NULL,
    -- What the provider posted, sealed with the master key until the browser that started proves itself …
    posted       bytea,
    -- … then sealed with a key half of which is the one-time code.
    response     bytea,
    tries        smallint    NOT NULL DEFAULT 0,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    PRIMARY KEY (project_id, flow_id),
    CHECK (kind <> 'web' OR (cookie_hash IS NOT NULL AND return_url IS NOT NULL)),
    CHECK (status <> 'returned' OR (handle_hash IS NOT NULL AND response IS NOT NULL))
);

CREATE INDEX sign_in_flows_expiry ON sign_in_flows (expires_at);

-- One-time tokens that carry their own content (pendingToken): their numbers once spent, kept until they would have expired.
CREATE TABLE spent_tokens (
    project_id text        NOT NULL,
    token_id   bytea       NOT NULL CHECK (length(token_id) = 16),
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (project_id, token_id)
);

CREATE INDEX spent_tokens_expiry ON spent_tokens (expires_at);

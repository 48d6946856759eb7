-- The tokens that providers gave for people, for back ends that ask a provider's API. Only of entries with storeProviderTokens.
CREATE TABLE provider_tokens (
    project_id    text        NOT NULL,
    account_id    text        NOT NULL,
    provider_id   text        NOT NULL,
    -- Both are sealed with the master key, in the context of this row.
    access_token  bytea       NOT NULL,
    refresh_token bytea,
    -- The end of the access token, if the provider says it.
    expires_at    timestamptz,
    -- Changes with every change of the tokens, so that a process can tell whether another one was faster.
    updated_at    timestamptz NOT NULL,
    -- Until then, one process alone may ask the provider for newer tokens.
    leased_until  timestamptz,
    PRIMARY KEY (project_id, account_id, provider_id),
    -- Whatever ends an identity ends its tokens: an unlink, a takeover, the deletion of the account.
    CONSTRAINT provider_tokens_identity FOREIGN KEY (project_id, account_id, provider_id)
        REFERENCES identities (project_id, account_id, provider_id) ON DELETE CASCADE
);

-- For the cleanup, which looks for the tokens of providers that keep none any more.
CREATE INDEX provider_tokens_provider ON provider_tokens (project_id, provider_id);

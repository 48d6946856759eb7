-- A record of what was done to accounts: each link, unlink and takeover, each password and sign-in by mail that was added or removed. It outlives the accounts.
CREATE TABLE audit_events (
    project_id  text        NOT NULL,
    event_id    bigint      GENERATED ALWAYS AS IDENTITY,
    occurred_at timestamptz NOT NULL,
    -- person: of their own account, or of one that becomes theirs; administrator: by a call; command: by the command line.
    actor_kind  text        NOT NULL CHECK (actor_kind IN ('person', 'administrator', 'command')),
    -- Which administrator, or which command. A person is known by the account.
    actor       text,
    action      text        NOT NULL CHECK (length(action) BETWEEN 1 AND 64),
    -- No foreign key, since the row outlives the account. NULL for an act that is not about one account.
    account_id  text,
    provider_id text,
    -- The rule by which it was decided, where there is one (gatehouse explain-link).
    rule        text,
    -- The client's.
    address     text,
    user_agent  text,
    -- Never a secret.
    details     jsonb       NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(details) = 'object'),
    PRIMARY KEY (project_id, event_id),
    CONSTRAINT audit_events_actor CHECK ((actor IS NULL) = (actor_kind = 'person'))
);

CREATE INDEX audit_events_account ON audit_events (project_id, account_id, event_id) WHERE account_id IS NOT NULL;
CREATE INDEX audit_events_time ON audit_events (occurred_at);

-- compatible: 0039
-- The operators' console: its sessions, the people at the provider whom operators' addresses are bound to, and the addresses that open it
-- without the provider. None of these rows belongs to a project.
CREATE TABLE console_sessions (
    -- SHA-256 of the secret in the cookie.
    session_hash bytea PRIMARY KEY CHECK (length(session_hash) = 32),
    -- The operator's name in gatehouse.yaml.
    operator text NOT NULL,
    -- The person at the provider; NULL for a session that `gatehouse console open` began.
    issuer text,
    subject text,
    -- Why the console was opened without the provider.
    reason text,
    -- The only address that such a session answers to.
    address text,
    signed_in_at timestamptz NOT NULL,
    used_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    CHECK ((issuer IS NULL) = (subject IS NULL) AND (issuer IS NULL) = (reason IS NOT NULL))
);
CREATE INDEX console_sessions_expiry ON console_sessions (expires_at);

CREATE TABLE console_operators (
    issuer text NOT NULL,
    subject text NOT NULL,
    email text NOT NULL,
    bound_at timestamptz NOT NULL,
    PRIMARY KEY (issuer, subject),
    -- An address is bound once: who gets it later is not the operator.
    CONSTRAINT console_operators_email UNIQUE (email)
);

CREATE TABLE console_openings (
    -- SHA-256 of the code in the address.
    opening_hash bytea PRIMARY KEY CHECK (length(opening_hash) = 32),
    reason text NOT NULL,
    -- The only address that may use it; NULL for the server's own machine.
    address text,
    expires_at timestamptz NOT NULL,
    used_at timestamptz
);

ALTER TABLE audit_events
    DROP CONSTRAINT audit_events_actor_kind_check,
    -- Not checked against the rows that are there, which had fewer kinds: the table may be large.
    ADD CONSTRAINT audit_events_actor_kind_check CHECK (actor_kind IN ('person', 'administrator', 'command', 'hook', 'operator')) NOT VALID;

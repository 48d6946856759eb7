-- What administrators work with: the rights of service accounts, signing keys of their own for session cookies, and indexes. Reads go on meanwhile.
ALTER TABLE service_accounts
    -- What the account may do, by the names of Administrator.Right. Those that are there could only sign custom tokens.
    ADD COLUMN rights text[] NOT NULL DEFAULT '{customTokens}';

-- The keys that sign session cookies. They have a table of their own, since a process of an earlier version that still runs signs ID tokens
-- with whichever key of signing_keys is the newest.
CREATE TABLE session_cookie_keys (LIKE signing_keys INCLUDING ALL);

-- Administrators also find accounts by their first address.
CREATE INDEX accounts_initial_email ON accounts (project_id, initial_email) WHERE initial_email IS NOT NULL;

-- Audit events are listed by time, and each project keeps its own for a time of its own.
CREATE INDEX audit_events_project_time ON audit_events (project_id, occurred_at, event_id);
CREATE INDEX audit_events_account_time ON audit_events (project_id, account_id, occurred_at, event_id) WHERE account_id IS NOT NULL;

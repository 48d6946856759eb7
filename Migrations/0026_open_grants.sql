-- Finds the open grants of one account at one relying party, which are capped: the oldest end. The condition is on the reason for which a session
-- has ended, as in sessions_open, so that no other statement takes this index.
-- PostgreSQL reads the table once to make the index, and sign-ins wait for that.
CREATE INDEX sessions_grants ON sessions (project_id, account_id, client_id, created_at) WHERE kind = 'client' AND end_reason IS NULL;

-- Statements that look for one session by its key and for `ended_at IS NULL` can no longer take this index of open sessions: in a table that
-- it has not analyzed yet, PostgreSQL takes such a condition for a rare one, and read this index from its beginning for each of them. A session has
-- a reason from the moment when it is ended, so the condition means the same, and only the cleanup uses it.
-- PostgreSQL reads the table once to make the index, and sign-ins wait for that.
DROP INDEX sessions_open;
CREATE INDEX sessions_open ON sessions (project_id, created_at, session_id) WHERE end_reason IS NULL;

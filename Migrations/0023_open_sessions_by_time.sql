-- Takes the place of `sessions_open`, which the next migration drops. Statements that look for one session by its key and for `ended_at IS NULL`
-- cannot take this index: in a table that it has not analyzed yet, PostgreSQL takes such a condition for a rare one, and read `sessions_open` from its
-- beginning for each of them. A session has a reason from the moment when it is ended, so the condition means the same, and only the
-- cleanup uses it.
-- PostgreSQL reads the table once to make the index. Sign-ins, refreshes and the endings of sessions wait for that; lookups do not.
CREATE INDEX sessions_open_by_time ON sessions (project_id, created_at, session_id) WHERE end_reason IS NULL;

-- The hourly sweep finds sessions that were idle for too long in the order of their beginning, and only those that are open. Nothing that a
-- refresh changes is in this index, so a refresh still updates its row in place of the page (HOT).
CREATE INDEX sessions_open ON sessions (project_id, created_at, session_id) WHERE ended_at IS NULL;

-- An ending of an account's sessions now deletes what its person agreed to before. Until now these rows stayed, and their times told that they
-- did not count any more.
DELETE FROM consents c USING accounts a
WHERE a.project_id = c.project_id AND a.account_id = c.account_id AND c.given_at <= a.sessions_ended_at;

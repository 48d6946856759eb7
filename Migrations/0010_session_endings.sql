-- When all sessions of an account were last ended, to the microsecond: what was issued or proven before does not count, and what is under way compares it when it commits.
ALTER TABLE accounts
    ADD COLUMN sessions_ended_at timestamptz;

-- ID tokens live for a day at most, so older endings matter to none.
UPDATE accounts a SET sessions_ended_at = s.ended_at
FROM (
    SELECT project_id, account_id, max(ended_at) AS ended_at FROM sessions
    WHERE ended_at > now() - interval '25 hours' AND end_reason NOT IN ('idle', 'refresh token reused', 'account deleted')
    GROUP BY project_id, account_id
) s
WHERE a.project_id = s.project_id AND a.account_id = s.account_id;

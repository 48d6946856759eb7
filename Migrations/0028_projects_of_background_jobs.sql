-- Work that no request waits for goes project by project: over the projects that ever had rows. On a distributed database, this is a reference table.
CREATE TABLE projects (
    project_id text PRIMARY KEY
);

-- '' has the audit events that concern all projects.
INSERT INTO projects VALUES ('');

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['accounts', 'sessions', 'sign_in_flows', 'spent_tokens', 'mail_outbox', 'rate_limits', 'service_accounts',
        'action_codes', 'audit_events', 'authorization_requests']
    LOOP
        -- One project after the other by the primary key, so that the rows are not read.
        EXECUTE format($query$
            INSERT INTO projects
            WITH RECURSIVE stored AS (
                SELECT min(project_id) AS project_id FROM %1$I
                UNION ALL
                SELECT (SELECT min(project_id) FROM %1$I WHERE project_id > stored.project_id) FROM stored WHERE stored.project_id IS NOT NULL
            )
            SELECT project_id FROM stored WHERE project_id IS NOT NULL
            ON CONFLICT DO NOTHING
            $query$, name);
    END LOOP;
END
$$;

-- The mails that are due of one project.
DROP INDEX mail_outbox_due;
CREATE INDEX mail_outbox_due ON mail_outbox (project_id, due_at);

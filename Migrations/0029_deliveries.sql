-- Everything that is delivered to servers of others waits in one table: mails, and the messages that tell relying parties of a log-out.
ALTER TABLE mail_outbox RENAME TO deliveries;
ALTER TABLE deliveries RENAME COLUMN mail_id TO delivery_id;
-- Citus renames indexes, and no constraints.
ALTER TABLE deliveries DROP CONSTRAINT mail_outbox_mail_id_check;
ALTER TABLE deliveries ADD CONSTRAINT deliveries_delivery_id_check CHECK (length(delivery_id) = 16);
ALTER INDEX mail_outbox_pkey RENAME TO deliveries_pkey;
ALTER INDEX mail_outbox_expiry RENAME TO deliveries_expiry;
ALTER INDEX mail_outbox_purpose RENAME TO deliveries_purpose;

-- 'mail' for the mails that wait already, and for those that the view below stores. Default and view go once no process of before runs.
ALTER TABLE deliveries ADD COLUMN kind text NOT NULL DEFAULT 'mail';

-- What is due of one kind in one project.
DROP INDEX mail_outbox_due;
CREATE INDEX deliveries_due ON deliveries (project_id, kind, due_at);

-- Processes of the version before, which may still run during an upgrade, go on with their mails by the former name: PostgreSQL passes reads,
-- writes and locks on to the table. Citus does not write to views: there, calls that mail fail in those processes until they are replaced.
CREATE VIEW mail_outbox AS
    SELECT project_id, delivery_id AS mail_id, payload, attempts, due_at, created_at, expires_at, purpose FROM deliveries WHERE kind = 'mail';

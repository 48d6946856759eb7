-- Mails that committed transactions asked for and that are not sent yet. A row is what makes a mail survive a crash.
CREATE TABLE mail_outbox (
    project_id text        NOT NULL,
    -- Also the mail's Message-ID, so that a mail that had to be sent twice can be told from two mails.
    mail_id    bytea       NOT NULL CHECK (length(mail_id) = 16),
    -- The letter with its secret link, sealed with the master key and padded, so that its length tells nothing.
    payload    bytea       NOT NULL,
    attempts   integer     NOT NULL DEFAULT 0,
    -- When the next attempt may begin; during one, when another process may take it that the first has died.
    -- 'infinity' for mails that are never to be sent: decoys, and in development what was sent and is still shown.
    due_at     timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    -- After this moment the link is worth nothing, and so is the mail.
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (project_id, mail_id)
);

CREATE INDEX mail_outbox_due ON mail_outbox (due_at);
CREATE INDEX mail_outbox_expiry ON mail_outbox (expires_at);

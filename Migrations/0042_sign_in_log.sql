-- The log of sign-ins: who signed in or was refused, when, by which way and from which network. Rows are deleted after 30 days (retention.signIns).
-- compatible: 0039
CREATE TABLE sign_in_log (
    project_id  text        NOT NULL,
    -- Made by the process that saw the sign-in, so that a row that is written a second time is still one.
    entry_id    bigint      NOT NULL,
    occurred_at timestamptz NOT NULL,
    -- The way to sign in, and how it ended, as metrics name them.
    provider    text        NOT NULL,
    outcome     text        NOT NULL,
    -- The reason of a refusal; NULL for other outcomes.
    code        text,
    -- No foreign key, since the row outlives the account. NULL where it is not known whose sign-in it was.
    account_id  text,
    -- The first 24 bits of the client's IPv4 address, or the first 48 of its IPv6 address.
    network     text,
    PRIMARY KEY (project_id, entry_id)
);

CREATE INDEX sign_in_log_time ON sign_in_log (project_id, occurred_at, entry_id);
CREATE INDEX sign_in_log_account ON sign_in_log (project_id, account_id, occurred_at, entry_id) WHERE account_id IS NOT NULL;
CREATE INDEX sign_in_log_refused ON sign_in_log (project_id, occurred_at, entry_id) WHERE code IS NOT NULL;

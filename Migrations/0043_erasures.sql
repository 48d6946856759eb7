-- People who were erased, by names from which their accounts cannot be found, so that an import does not bring them back unseen.
-- compatible: 0039
CREATE TABLE erasures (
    project_id   text        NOT NULL,
    -- An HMAC of the account's id, by a key of the master key. Audit events name the person by it.
    account_name text        NOT NULL,
    erased_at    timestamptz NOT NULL,
    PRIMARY KEY (project_id, account_name)
);

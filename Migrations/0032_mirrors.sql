-- How far changes of accounts have been copied to a Firebase project.
CREATE TABLE mirrors (
    project_id       text        NOT NULL,
    -- The id of the project at Google.
    firebase_project text        NOT NULL,
    -- The last audit event whose account has been copied.
    event_id         bigint      NOT NULL,
    -- One process copies at a time: others leave the project alone until then.
    leased_until     timestamptz NOT NULL,
    PRIMARY KEY (project_id, firebase_project)
);

-- How far changes of accounts have been copied to a Firebase project.
CREATE TABLE mirrors (
    project_id       text        NOT NULL,
    -- The id of the project at Google.
    firebase_project text        NOT NULL,
    -- How long a change waits until it is copied. What must be copied twice has two rows.
    delay_seconds    bigint      NOT NULL,
    -- The last audit event whose account has been copied.
    event_id         bigint      NOT NULL DEFAULT 0,
    -- One process copies at a time: others leave the project alone until then.
    leased_until     timestamptz NOT NULL,
    -- How many processes have begun with the next changes.
    attempts         integer     NOT NULL DEFAULT 0,
    -- Since when a process has looked for changes again and again, and when one did last. Accounts that were deleted before stay at Google.
    running_since    timestamptz NOT NULL,
    seen_at          timestamptz NOT NULL,
    PRIMARY KEY (project_id, firebase_project, delay_seconds)
);

-- How far changes of accounts have been copied to a Firebase project.
CREATE TABLE mirrors (
    project_id       text        NOT NULL,
    -- The id of the project at Google.
    firebase_project text        NOT NULL,
    -- What of the accounts it gets, and when: accounts, revocations, lateRevocations.
    purpose          text        NOT NULL,
    -- The last audit event whose account has been copied.
    event_id         bigint      NOT NULL DEFAULT 0,
    -- One process copies at a time: others leave the project alone until then.
    leased_until     timestamptz NOT NULL,
    -- How many times the next changes could not be copied, although Google answered.
    failures         integer     NOT NULL DEFAULT 0,
    -- Since when a process has looked for changes again and again, and when one did last.
    running_since    timestamptz NOT NULL,
    seen_at          timestamptz NOT NULL,
    -- When the last one looked before that, so that nothing was copied from then on until running_since; NULL when none has ever looked before.
    stopped_at       timestamptz,
    PRIMARY KEY (project_id, firebase_project, purpose)
);

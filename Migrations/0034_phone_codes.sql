-- Codes that are sent to phones, and how many of them were sent and entered.
CREATE TABLE sms_codes (
    project_id   text        NOT NULL,
    -- The hash of the text by which the client names the code.
    session_hash bytea       NOT NULL CHECK (length(session_hash) = 32),
    -- The step that the code is for: signIn, enrol, mfaSignIn.
    purpose      text        NOT NULL,
    -- In E.164 form.
    phone_number text        NOT NULL,
    -- Two letters; NULL for a test number, which counts for no region.
    region       text,
    -- Authenticates project, session, number and code.
    code_hash    bytea       NOT NULL CHECK (length(code_hash) = 32),
    -- The account that the step belongs to; NULL for a sign-in.
    account_id   text,
    -- The second factor, and the hash of the pending sign-in, that a second step belongs to.
    factor_id    text,
    pending_hash bytea       CHECK (length(pending_hash) = 32),
    tries        smallint    NOT NULL DEFAULT 0 CHECK (tries BETWEEN 0 AND 5),
    expires_at   timestamptz NOT NULL,
    PRIMARY KEY (project_id, session_hash)
);
CREATE INDEX sms_codes_expiry ON sms_codes (project_id, expires_at);

-- Not logged: after a crash of the database, counting begins again.
CREATE UNLOGGED TABLE sms_counters (
    project_id   text        NOT NULL,
    -- The hour and the region.
    slot         text        NOT NULL,
    -- Whole hours since 1970.
    hour         bigint      NOT NULL,
    region       text        NOT NULL,
    sent         integer     NOT NULL DEFAULT 0,
    entered      integer     NOT NULL DEFAULT 0,
    -- Until when nothing is sent to the region, since hardly any code was entered.
    paused_until timestamptz,
    expires_at   timestamptz NOT NULL,
    PRIMARY KEY (project_id, slot)
);

-- Whether the number was linked while the account's address was not proven.
ALTER TABLE accounts ADD COLUMN phone_linked_unproven boolean NOT NULL DEFAULT false;

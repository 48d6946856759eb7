-- Sign-ins whose person has given one proof and owes a second factor, and what second factors need besides their list in accounts.
CREATE TABLE pending_sign_ins (
    project_id       text        NOT NULL,
    -- SHA-256 of the credential that the client has.
    pending_hash     bytea       NOT NULL CHECK (length(pending_hash) = 32),
    account_id       text        NOT NULL,
    -- The session that it becomes: who holds its secret, and how and when its person gave the first proof.
    kind             text        NOT NULL,
    sign_in_provider text        NOT NULL,
    -- The way to sign in as metrics name it.
    method           text        NOT NULL,
    auth_time        timestamptz NOT NULL,
    -- How many second factors have been tried; the last one that is allowed ends it.
    tries            smallint    NOT NULL DEFAULT 0,
    created_at       timestamptz NOT NULL,
    expires_at       timestamptz NOT NULL,
    PRIMARY KEY (project_id, pending_hash),
    CONSTRAINT pending_sign_ins_account FOREIGN KEY (project_id, account_id) REFERENCES accounts (project_id, account_id) ON DELETE CASCADE
);
CREATE INDEX pending_sign_ins_by_account ON pending_sign_ins (project_id, account_id);
CREATE INDEX pending_sign_ins_by_expiry ON pending_sign_ins (project_id, expires_at);

-- The newest step whose code was used, by the id of the authenticator app: no code works twice.
ALTER TABLE accounts ADD COLUMN totp_steps jsonb;

-- Codes on paper, each of which stands in for a second factor once.
CREATE TABLE recovery_codes (
    project_id text        NOT NULL,
    account_id text        NOT NULL,
    code_hash  bytea       NOT NULL CHECK (length(code_hash) = 32),
    created_at timestamptz NOT NULL,
    PRIMARY KEY (project_id, account_id, code_hash),
    CONSTRAINT recovery_codes_account FOREIGN KEY (project_id, account_id) REFERENCES accounts (project_id, account_id) ON DELETE CASCADE
);

-- Devices that need no second factor for a while, since one was passed there.
CREATE TABLE remembered_devices (
    project_id  text        NOT NULL,
    account_id  text        NOT NULL,
    device_hash bytea       NOT NULL CHECK (length(device_hash) = 32),
    created_at  timestamptz NOT NULL,
    used_at     timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    PRIMARY KEY (project_id, device_hash),
    CONSTRAINT remembered_devices_account FOREIGN KEY (project_id, account_id) REFERENCES accounts (project_id, account_id) ON DELETE CASCADE
);
CREATE INDEX remembered_devices_by_account ON remembered_devices (project_id, account_id);
CREATE INDEX remembered_devices_by_expiry ON remembered_devices (project_id, expires_at);

-- A code that takes a second factor away again, and which one.
ALTER TABLE action_codes
    ADD COLUMN enrollment_id text,
    DROP CONSTRAINT action_codes_kind_check,
    ADD CONSTRAINT action_codes_kind CHECK (kind IN
        ('resetPassword', 'verifyEmail', 'verifyAndChangeEmail', 'recoverEmail', 'signIn', 'revertSecondFactorAddition')),
    ADD CONSTRAINT action_codes_factor CHECK ((enrollment_id IS NOT NULL) = (kind = 'revertSecondFactorAddition'));

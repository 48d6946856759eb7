-- Codes in mails that wait to be used: a password to choose anew, an address to prove, to move to or to go back to, a sign-in.
CREATE TABLE action_codes (
    project_id   text        NOT NULL,
    -- SHA-256; the code itself is in the mail alone.
    code_hash    bytea       NOT NULL CHECK (length(code_hash) = 32),
    kind         text        NOT NULL CHECK (kind IN ('resetPassword', 'verifyEmail', 'verifyAndChangeEmail', 'recoverEmail', 'signIn')),
    -- NULL: the code stands for its address alone (signIn), or nobody was ever sent it.
    account_id   text,
    -- The account's address when it was asked for; for recoverEmail the one to go back to, for signIn the one that signs in.
    email        text        CHECK (email = lower(email)),
    -- Where the account goes (verifyAndChangeEmail) or went (recoverEmail; NULL: its address was removed).
    new_email    text        CHECK (new_email = lower(new_email)),
    -- Whether the account's address was proven when the code was made: an address that never was gives less back.
    email_proven boolean     NOT NULL,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    PRIMARY KEY (project_id, code_hash),
    CHECK (email IS NOT NULL OR kind = 'verifyAndChangeEmail'),
    CHECK (kind = 'recoverEmail' OR (new_email IS NOT NULL) = (kind = 'verifyAndChangeEmail')),
    CONSTRAINT action_codes_account FOREIGN KEY (project_id, account_id)
        REFERENCES accounts (project_id, account_id) ON DELETE CASCADE
);

CREATE INDEX action_codes_account ON action_codes (project_id, account_id);
CREATE INDEX action_codes_email ON action_codes (project_id, email);
CREATE INDEX action_codes_expiry ON action_codes (expires_at);

-- Service accounts: the back ends of a project, known by the public halves of the keys that they sign custom tokens with.
CREATE TABLE service_accounts (
    project_id text        NOT NULL,
    -- `iss` of what it signs. The project's id is a part of it, so that no two projects share one.
    email      text        NOT NULL,
    -- What key files call client_id: digits, which stand for nothing else.
    client_id  text        NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (project_id, email)
);

CREATE TABLE service_account_keys (
    project_id text        NOT NULL,
    email      text        NOT NULL,
    key_id     text        NOT NULL,
    -- A JSON Web Key as text. The private half is in the key file alone.
    public_key text        NOT NULL,
    created_at timestamptz NOT NULL,
    revoked_at timestamptz,
    PRIMARY KEY (project_id, key_id),
    FOREIGN KEY (project_id, email) REFERENCES service_accounts (project_id, email) ON DELETE CASCADE
);

-- Tokens name their signer by its e-mail alone.
CREATE INDEX service_account_keys_email ON service_account_keys (email) WHERE revoked_at IS NULL;

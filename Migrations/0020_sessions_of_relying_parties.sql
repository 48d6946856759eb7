-- Sessions of two more kinds: those of browsers at the pages of the OpenID provider, and what relying parties were granted in them.
ALTER TABLE sessions
    -- app: an app's session, by an SDK. browser: the person's own, at the pages of this server. client: what one relying party was granted.
    ADD COLUMN kind               text NOT NULL DEFAULT 'app',
    -- When the kinds browser and client end at the latest; an app's session has no such time. No refresh changes it, since it has an index.
    ADD COLUMN expires_at         timestamptz,
    -- Only kind client: the relying party, the user flow by which the person signed in, the scopes, the rest of the grant as JSON, and the
    -- browser's session with which it ends.
    ADD COLUMN client_id          text,
    ADD COLUMN user_flow          text,
    ADD COLUMN scopes             text[],
    ADD COLUMN granted            text,
    ADD COLUMN browser_session_id bytea;

-- Not checked for the rows that are there: they are all of kind app.
ALTER TABLE sessions
    ADD CONSTRAINT sessions_kind CHECK (kind IN ('app', 'browser', 'client')) NOT VALID,
    ADD CONSTRAINT sessions_client CHECK ((kind = 'client') = (client_id IS NOT NULL AND scopes IS NOT NULL AND granted IS NOT NULL
        AND browser_session_id IS NOT NULL)) NOT VALID,
    ADD CONSTRAINT sessions_expiry CHECK ((kind = 'app') = (expires_at IS NULL)) NOT VALID;

-- For the cleanup. PostgreSQL reads the table once to make it, and sign-ins wait for that.
CREATE INDEX sessions_expired ON sessions (expires_at) WHERE expires_at IS NOT NULL;

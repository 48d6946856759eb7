-- The keys that sign ID tokens, sealed with the master key. They serve every project: issuer and audience tell projects apart.
CREATE TABLE signing_keys (
    kid         text        PRIMARY KEY,
    algorithm   text        NOT NULL CHECK (algorithm IN ('RS256', 'ES256')),
    private_key bytea       NOT NULL,
    certificate text        NOT NULL,
    created_at  timestamptz NOT NULL,
    -- Published at once, signs from here on (until a newer key does), and is withdrawn at retires_at.
    signs_from  timestamptz NOT NULL,
    retires_at  timestamptz CHECK (retires_at > signs_from)
);

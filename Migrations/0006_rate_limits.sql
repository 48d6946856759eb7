-- Rate limits that hold for all processes: a bucket is one moment, the one at which it will be full again (GCRA).
-- Unlogged: a charge writes no WAL and waits for no disk. A crash of the database, or a failover, empties the table: limits start
-- afresh, which forgets at most one period of counting and nothing else.
CREATE UNLOGGED TABLE rate_limits (
    project_id text        NOT NULL,
    -- The first 16 bytes of SHA-256 over what is limited and by what: no addresses, no e-mail addresses.
    key        bytea       NOT NULL CHECK (length(key) = 16),
    full_at    timestamptz NOT NULL,
    PRIMARY KEY (project_id, key)
    -- No index on full_at, and room on each page: a charge then updates the row in place of the page (HOT), without touching an index.
) WITH (fillfactor = 50);

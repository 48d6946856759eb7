-- Events: what happened to accounts is told to endpoints of the operator's.
ALTER TABLE audit_events
    -- The endpoints that are still to be told, as the project's file named them at the act; NULL once their deliveries wait, and for none.
    ADD COLUMN recipients text[];
CREATE INDEX audit_events_untold ON audit_events (project_id, event_id) WHERE recipients IS NOT NULL;

ALTER TABLE deliveries
    -- What became of a delivery that is kept for a while: events can be listed and sent again. NULL while it waits.
    ADD COLUMN outcome text CHECK (outcome IN ('delivered', 'failed'));

-- Endpoints that have answered that they are gone (410). They are told nothing until an operator says so.
CREATE TABLE stopped_endpoints (
    project_id text        NOT NULL,
    endpoint   text        NOT NULL,
    stopped_at timestamptz NOT NULL,
    PRIMARY KEY (project_id, endpoint)
);

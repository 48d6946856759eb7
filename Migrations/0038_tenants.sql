-- Tenants that administrators made by calls. Those of files have no row. A tenant's accounts, and everything else of it, are in the other tables under
-- the project 'project/tenant'.
CREATE TABLE tenants (
    project_id text        NOT NULL,
    tenant_id  text        NOT NULL,
    -- What was set, as JSON; everything else is as in the project's template.
    settings   text        NOT NULL,
    changed_at timestamptz NOT NULL,
    -- The tenant is not there any more; what it had is deleted a while later.
    deleted_at timestamptz,
    PRIMARY KEY (project_id, tenant_id)
);
-- Each process looks from time to time what others have changed.
CREATE INDEX tenants_changed ON tenants (project_id, changed_at);

-- Flows that SDKs start at /__/auth/handler: popups and redirects of browsers, and native apps; with what each needs to hand its result back.
ALTER TABLE sign_in_flows
    DROP CONSTRAINT sign_in_flows_kind_check,
    DROP CONSTRAINT sign_in_flows_check,
    -- What the SDK said at the start and must hear again at the end: API key, app name (browsers), type and number of the event.
    ADD COLUMN api_key     text,
    ADD COLUMN app_name    text,
    ADD COLUMN auth_type   text,
    ADD COLUMN event_id    text,
    -- Where a native app is reached: URL scheme (iOS) or package name (Android).
    ADD COLUMN return_app  text,
    -- Of the pages, as BCP 47 tag.
    ADD COLUMN language    text,
    -- SHA-256 of the ticket by which another page of the same browser fetches the event, once; and the event, sealed with a key half of
    -- which is that ticket.
    ADD COLUMN ticket_hash bytea CHECK (length(ticket_hash) = 32),
    ADD COLUMN event       bytea,
    ADD CONSTRAINT sign_in_flows_kind CHECK (kind IN ('web', 'client', 'popup', 'redirect', 'ios', 'android')),
    ADD CONSTRAINT sign_in_flows_browser CHECK (kind = 'client' OR cookie_hash IS NOT NULL),
    ADD CONSTRAINT sign_in_flows_page CHECK (kind NOT IN ('web', 'popup', 'redirect') OR return_url IS NOT NULL),
    ADD CONSTRAINT sign_in_flows_sdk CHECK (kind IN ('web', 'client') OR (api_key IS NOT NULL AND auth_type IS NOT NULL)),
    ADD CONSTRAINT sign_in_flows_app CHECK (kind NOT IN ('ios', 'android') OR (return_app IS NOT NULL AND event_id IS NOT NULL));

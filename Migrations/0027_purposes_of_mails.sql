-- What a waiting mail is for, so that it goes together with it: the code in its link (action_codes.code_hash), or the request that its digits belong
-- to (authorization_requests.request_id). A mail that another version stored has none, and is sent.
ALTER TABLE mail_outbox ADD COLUMN purpose bytea;

CREATE INDEX mail_outbox_purpose ON mail_outbox (project_id, purpose);

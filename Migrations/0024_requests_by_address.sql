-- Finds the requests at which an address is proven by digits. An ending of its account's sessions ends these proofs, too.
CREATE INDEX authorization_requests_email ON authorization_requests (project_id, email) WHERE email IS NOT NULL;

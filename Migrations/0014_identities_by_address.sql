-- Accounts are found by the addresses that their providers give (accounts:createAuthUri with an identifier).
CREATE INDEX identities_email ON identities (project_id, email) WHERE email IS NOT NULL;

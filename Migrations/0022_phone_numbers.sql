-- Phone numbers of accounts. A migration of its own, since it locks accounts against readers for as long as it runs: a second for a million.
ALTER TABLE accounts
    -- In E.164 form.
    ADD COLUMN phone_number text;

-- Not checked for the rows that are there: none has a number.
ALTER TABLE accounts ADD CONSTRAINT accounts_phone_number_form CHECK (phone_number ~ '^\+[1-9][0-9]{1,14}$') NOT VALID;

CREATE UNIQUE INDEX accounts_phone_number ON accounts (project_id, phone_number) WHERE phone_number IS NOT NULL;

-- The indexes that take their place came with the migration before.
DROP INDEX audit_events_account, audit_events_time;

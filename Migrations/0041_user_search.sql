-- Operators look for people. An index answers each search, and each list is read in the order of one. None of them has a column that a sign-in changes,
-- so that a sign-in still updates an account's row in place of the page (HOT). The texts are compared by their bytes: people's languages sort
-- differently, and only the order of bytes finds what begins with a text. Sign-ups go on while they are made.
-- outside a transaction
-- compatible: 0039
-- Its condition is always true, and keeps it from statements that look for one account and do not say it.
DROP INDEX CONCURRENTLY IF EXISTS accounts_by_creation;
CREATE INDEX CONCURRENTLY accounts_by_creation ON accounts (project_id, created_at, account_id) WHERE created_at >= '-infinity';
DROP INDEX CONCURRENTLY IF EXISTS accounts_disabled;
CREATE INDEX CONCURRENTLY accounts_disabled ON accounts (project_id, created_at, account_id) WHERE disabled;
DROP INDEX CONCURRENTLY IF EXISTS accounts_email_start;
CREATE INDEX CONCURRENTLY accounts_email_start ON accounts (project_id, email COLLATE "C") WHERE email IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS accounts_name_start;
CREATE INDEX CONCURRENTLY accounts_name_start ON accounts (project_id, lower(display_name) COLLATE "C", account_id) WHERE display_name IS NOT NULL;
-- All people of a domain, the newest first.
DROP INDEX CONCURRENTLY IF EXISTS accounts_domain;
CREATE INDEX CONCURRENTLY accounts_domain
    ON accounts (project_id, split_part(email, '@', 2) COLLATE "C", created_at, account_id) WHERE email IS NOT NULL;

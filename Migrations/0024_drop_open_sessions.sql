-- The index that takes its place came with the migration before.
DROP INDEX sessions_open;

"""Splits the tables of a database by project, so that the plan of a statement shows whether it is about one project."""

import contextlib
import re

import psycopg2

from support.harness import ROOT

# More make every plan longer; fewer let two projects share one more often.
COUNT = 4

# Those that an operator distributes; `TablesTests` compares the page with the schema.
TABLES = re.findall(r"create_distributed_table\('(\w+)', 'project_id'", (ROOT / "docs/scaling.md").read_text())
CONSTRAINTS = """
    SELECT conrelid::regclass::text, conname, contype, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace AND contype = ANY (%s) ORDER BY 1, 2
"""
INDEXES = """
    SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND indexname NOT IN
        (SELECT conname FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype IN ('p', 'u'))
"""
# An index of a partition gets a name of its own; errors must name the one that the rules know.
INDEXES_OF_PARTITIONS = """
    SELECT child.relnamespace::regnamespace::text, child.relname, parent.relname
    FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid JOIN pg_class parent ON parent.oid = inhparent
    WHERE child.relkind = 'i' AND child.relname <> parent.relname
"""
# Tuples find their partitions when a plan runs, so the plan of an INSERT does not show them.
GUARD = """
    CREATE FUNCTION refuse_several_projects() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF (SELECT count(DISTINCT project_id) FROM added) > 1 THEN
            RAISE EXCEPTION 'one INSERT has rows of several projects for the table %', TG_TABLE_NAME;
        END IF;
        RETURN NULL;
    END $$
"""


def partition(url):
    """Makes each table that leads with the project a table with partitions, with the same columns, constraints, indexes and rows."""
    with contextlib.closing(psycopg2.connect(url)) as connection, connection, connection.cursor() as cursor:

        def rows(query, *values):
            cursor.execute(query, values or None)
            return cursor.fetchall()

        foreign = [(table, name, text) for table, name, _, text in rows(CONSTRAINTS, ["f"]) if table in TABLES]
        keys = [(table, name, text) for table, name, _, text in rows(CONSTRAINTS, ["p", "u"]) if table in TABLES]
        indexes = [(table, text) for table, _, text in rows(INDEXES) if table in TABLES]
        for table, name, _ in foreign:
            cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
        cursor.execute("CREATE SCHEMA plain")
        for number in range(COUNT):
            cursor.execute(f"CREATE SCHEMA p{number}")
        cursor.execute(GUARD)
        for table in TABLES:
            cursor.execute(f"ALTER TABLE {table} SET SCHEMA plain")
            cursor.execute(f"CREATE TABLE {table} (LIKE plain.{table} INCLUDING ALL EXCLUDING INDEXES) PARTITION BY HASH (project_id)")
            for number in range(COUNT):
                bounds = f"FOR VALUES WITH (MODULUS {COUNT}, REMAINDER {number})"
                cursor.execute(f"CREATE TABLE p{number}.{table}_p{number} PARTITION OF {table} {bounds}")
            cursor.execute(
                f"CREATE TRIGGER one_project AFTER INSERT ON {table} REFERENCING NEW TABLE AS added FOR EACH STATEMENT"
                " WHEN (current_setting('application_name') IN ('gatehouse', 'gatehouse console')) EXECUTE FUNCTION refuse_several_projects()"
            )
        for table, name, text in keys:
            cursor.execute(f"ALTER TABLE {table} ADD CONSTRAINT {name} {text}")
        for _, text in indexes:
            cursor.execute(text)
        for schema, name, right in rows(INDEXES_OF_PARTITIONS):
            cursor.execute(f"ALTER INDEX {schema}.{name} RENAME TO {right}")
        for table in TABLES:
            cursor.execute(f"INSERT INTO {table} OVERRIDING SYSTEM VALUE SELECT * FROM plain.{table}")
        for table, name, text in foreign:
            cursor.execute(f"ALTER TABLE {table} ADD CONSTRAINT {name} {text}")
        cursor.execute("DROP SCHEMA plain CASCADE")

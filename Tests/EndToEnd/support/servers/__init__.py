"""Runs the real binary, PostgreSQL, and a machine to install them on."""

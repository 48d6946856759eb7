"""Calls the server over HTTP, as clients do."""

"""Drives real browsers, and serves the pages that they open."""

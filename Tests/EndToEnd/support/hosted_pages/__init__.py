"""Relying parties and people at the hosted pages, in a browser and without one."""

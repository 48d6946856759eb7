"""Relying parties that others wrote, which sign people in with Gatehouse's own OpenID provider."""

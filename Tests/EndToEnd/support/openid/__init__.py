"""Relying parties of Gatehouse's own OpenID provider: what is registered, a browser without scripts, and the checks of the standards."""

"""Providers that others wrote and that are used as they are: what they do is the standard as they read it."""

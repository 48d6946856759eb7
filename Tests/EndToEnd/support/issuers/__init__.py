"""Stands in for providers."""

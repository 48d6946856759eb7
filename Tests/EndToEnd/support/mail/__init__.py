"""Receives mails, and follows the links in them."""

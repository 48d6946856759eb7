"""Reads the page on configuration, the sources and the binary, to compare them."""

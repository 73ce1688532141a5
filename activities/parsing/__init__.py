"""Extraction of readable text from the bytes of pages and files, which are untrusted."""

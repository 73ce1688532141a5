"""Parsing, indexing and searching of users' documents."""

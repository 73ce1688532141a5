"""Prompt text, one module per kind."""

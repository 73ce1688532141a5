"""Prompts of the kinds, in Markdown."""

"""Texts without markup of their own, or with little: plain, Markdown, tables of values, JSON."""

"""Texts with little or no markup: plain, Markdown, delimited values, JSON."""

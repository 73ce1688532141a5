"""Headline figures of companies beside right values that an independent script reads from the same facts."""

"""Alerts of a user's runs: what is queued, sent, and decided by its links."""

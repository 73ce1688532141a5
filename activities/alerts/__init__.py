"""Alerts about a user's runs: queueing, sending, and decisions by link."""

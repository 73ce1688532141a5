"""Routers of sessions and keys, budgets and the audit log."""

"""Adapters of third parties to our own types; only worker.py builds them."""

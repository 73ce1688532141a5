"""Adapters from third parties to our own types; only worker.py instantiates them."""

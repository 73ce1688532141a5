"""Clients of the workflows beside runs: alerts, indexing, provider tests, sweeps."""

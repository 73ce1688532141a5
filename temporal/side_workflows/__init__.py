"""Clients of the workflows other than runs: alerts, indexing, provider tests, sweeps."""

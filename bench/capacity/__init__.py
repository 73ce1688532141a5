"""Capacity: what a run of each preset takes, and what that comes to for many runs a month."""

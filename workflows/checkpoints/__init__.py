"""Checkpoints: what a human may decide, who may, and what a decision unlocks. Pure."""

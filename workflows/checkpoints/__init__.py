"""Checkpoints: the decisions a human may take, who may take them, what they unlock. Pure."""

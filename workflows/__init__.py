"""Deterministic workflow code: the interpreter, its phases, agents and checkpoints."""

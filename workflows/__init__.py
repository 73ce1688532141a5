"""Deterministic code only: the interpreter, its state, its one gate, its timeouts."""

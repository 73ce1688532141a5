"""Confined processes that read foreign input: the sandbox, its pool, and pandoc in it."""

"""What crosses a boundary: frozen pydantic models, no I/O, no clock, no randomness."""

"""Pure logic, without Temporal and I/O."""

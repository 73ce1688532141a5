"""One handler per kind, and PHASES, the registry."""

"""Side effects, in thin classes with dependencies by constructor; only activities have any."""

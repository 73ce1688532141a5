"""The interpreter: walks a run's phases from any state, and takes messages."""

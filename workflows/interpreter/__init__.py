"""The interpreter: walks a run's phases, takes messages, records what happens."""

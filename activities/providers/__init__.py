"""Whether the configured providers answer: at start, and by a button."""

"""The only side effects: thin classes that get what they use by constructor."""

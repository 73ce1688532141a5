"""A run: request, start, state, records, events."""

"""Research systems on one simulated provider."""

"""CrewAI tasks as activities."""

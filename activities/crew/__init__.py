"""One task of a CrewAI crew as an activity."""

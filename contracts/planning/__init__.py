"""The subject of research, and the plan that a human approves."""

"""The conversation with the person at the keyboard: a run's session, its answers and decisions, changes of its plan."""

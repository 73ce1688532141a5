"""Activities of every run: start, record, decisions, removal; and of its schedule."""

"""Pages and files that a run reads: their addresses, their numbers in the run, and how far to trust them. Pure."""

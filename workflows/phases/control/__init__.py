"""`control` and `one_shot`: the steps of a plan, what humans are asked between them, and their report."""

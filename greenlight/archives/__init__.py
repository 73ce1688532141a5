"""Archives of runs, read without a stack or a network: verified, and replayed to their report."""

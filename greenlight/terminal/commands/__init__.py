"""The commands: a file for each of their subjects."""

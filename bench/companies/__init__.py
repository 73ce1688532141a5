"""Compares companies' headline figures with values that an independent script reads from the same facts."""

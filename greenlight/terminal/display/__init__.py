"""Rendering of runs, plans, progress and results with rich."""

"""Reuse by later runs: outputs, answers to similar questions, and startups."""

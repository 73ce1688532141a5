"""Agents at work inside a phase: the tool loop, plan steps, verification of what they write."""

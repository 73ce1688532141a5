"""Agents within a phase: the tool loop, plan steps, and verification of their texts."""

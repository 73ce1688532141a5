"""Verification of answers during a phase: code first, then a judge that all agents of the phase share."""

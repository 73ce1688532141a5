"""Phases on a listed company: what they gather, and the lenses of an analysis."""

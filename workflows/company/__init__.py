"""Phases about listed companies: gathering of evidence, and the lenses of an analysis."""

"""Phases about listed companies: gathering evidence, and what an `analysis` of one reads and is asked."""

"""Prepares a page's tree, so that an extractor keeps exactly what readers see."""

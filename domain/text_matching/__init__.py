"""Comparison of texts: questions asked before, recorded runs, similar names, word stems."""

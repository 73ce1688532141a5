"""Recorded runs of a strong model, replayed for the sample questions."""

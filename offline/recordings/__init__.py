"""Recorded runs of a strong model, whose answers are served again for the sample questions."""

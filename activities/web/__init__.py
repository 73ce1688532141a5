"""Activities on the web: searches, pages, and the passages that a gap is judged by."""

"""Parts of a report's document: its head, answer, notes, links, sources and tables."""

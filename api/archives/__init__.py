"""A run as one file: its log, journal, pages and report, with a manifest of hashes."""

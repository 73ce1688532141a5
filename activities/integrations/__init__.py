"""Third parties behind our own words; only worker.py builds them."""

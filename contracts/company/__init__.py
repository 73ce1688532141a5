"""A listed company: what a start says of it, its figures, filings and news."""

"""A listed company: a start's inputs, figures, filings and news."""

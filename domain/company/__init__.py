"""What is said of a listed company, by code: figures, filings, news."""

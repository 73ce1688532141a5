"""A listed company's figures, filings and news, prepared by code."""

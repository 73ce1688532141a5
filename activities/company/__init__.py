"""Activities that read a listed company: its filings, figures and share prices."""

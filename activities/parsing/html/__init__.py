"""Web pages: their text, their date, and what stands in their place."""

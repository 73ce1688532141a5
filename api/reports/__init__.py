"""A report as a document of its own: PDF and Word, by one reading of its Markdown."""

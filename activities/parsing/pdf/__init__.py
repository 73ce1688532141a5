"""PDF: pages as a reader sees them, with rows, columns and headings."""

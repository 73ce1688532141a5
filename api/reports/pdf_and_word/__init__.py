"""Reports as PDF and Word files, by pandoc and typst in a confined process."""

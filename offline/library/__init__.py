"""The documents that the search service finds and the page service serves."""

"""Pages that are cited: their passages, table heads, page breaks, and what they say of themselves."""

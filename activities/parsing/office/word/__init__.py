"""Word documents: the visible text of their markup, with numbers, tables, comments and headers."""

"""Notes that explain a total by the filed lines of its statement, and tell what these leave."""

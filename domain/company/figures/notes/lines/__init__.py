"""Notes that explain a total by the filed lines of its statement, tell what these leave, and name items that need not recur."""

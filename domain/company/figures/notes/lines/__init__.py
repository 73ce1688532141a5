"""Notes that explain a total by its statement’s filed lines and the rest they leave, and name non-recurring items."""

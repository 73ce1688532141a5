"""Notes on what a balance sheet holds or leaves out, and on share counts."""

"""Plans: their depth, and what differs between two of them."""

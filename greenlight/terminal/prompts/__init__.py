"""What the terminal asks, and how it is answered."""

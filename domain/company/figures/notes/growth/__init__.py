"""Notes on growth, and what a company's figures grew by on every basis."""

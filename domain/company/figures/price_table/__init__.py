"""What a share's price implies at several required returns: computed, and as grids."""

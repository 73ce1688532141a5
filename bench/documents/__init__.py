"""Documents read, cut and searched."""

"""Prices of plans and starts, and the cap of what a run may spend. Pure."""

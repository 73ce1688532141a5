"""Prices of plans and starts, and a run's spending cap. Pure."""

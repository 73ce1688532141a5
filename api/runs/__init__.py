"""Runs behind the routers: start, state, history, comparison."""

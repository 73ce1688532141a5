"""Measures how long other tenants wait while each limit of a stack is exercised."""

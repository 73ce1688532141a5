"""Clients of search services, each implementing the port of `activities/search_calls.py`."""

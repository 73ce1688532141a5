"""Clients of search services, each implementing the port of `activities/web/search_calls.py`."""

"""Search services on the wire, each behind the port of `activities/search_calls.py`."""

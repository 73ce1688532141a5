"""Requests to the web: guarded against SSRF, as sites ask, and traced."""

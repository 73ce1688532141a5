"""Alerts: which events call for one, what it says, and the form that each kind of channel takes."""

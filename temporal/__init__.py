"""Clients of Temporal: connection, payloads, search attributes, schedules, runs."""

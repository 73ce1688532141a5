"""Traces and metrics of real runs, drawn for the documents."""

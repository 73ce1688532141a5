"""Runs and what each one left: its row, log, pages, archive and removal."""

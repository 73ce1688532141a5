"""Fundamentals of a listed company, computed from the facts it filed: pure code, no I/O, no clock.

`facts` reads EDGAR's rows as of a day, `periods` derives the fiscal calendar, `series` looks a metric
up, `accounts` derives amounts that were not reported, `derived_metrics` compares amounts, `computation` puts
the figures together with their `notes`, `text` renders them as sentences to quote and `charts` as
charts and a table.
"""

"""Fundamentals of a listed company, computed from the facts it filed: pure code, no I/O, no clock.

`filed` holds the facts as of a day and the amounts that they add up to, `derived_metrics` compares
amounts, `computation` puts the figures together with their `notes`, `valuation` holds a price against
them and `peers` others'; `text` and `valuation_text` render them as sentences to quote, `charts` as charts
and a table, by `numbers`.
"""

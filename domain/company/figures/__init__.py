"""Fundamentals of a listed company, computed from the facts it filed: pure code, no I/O, no clock.

`filed` holds the facts as of a day and the amounts that they add up to, `derived_metrics` compares
amounts, `computation` puts the figures together with their `notes`, `valuation` holds a price against
them, and `peers` others beside them. `text`, `valuation_text` and `peers` state them as the `lines` of a page for
models, with the index of its rows; `tables` and `charts` show them to people, by `numbers`.
"""

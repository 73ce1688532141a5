"""Fundamentals of a listed company, computed from the facts it filed: pure code, no I/O, no clock.

`filed` holds the facts as of a day and the amounts that they add up to, `accounts` the amount of each metric
and period, as filed or by a formula. `computation` puts the figures together with their `notes`, `valuation`
holds a price against them, and `dates` says how old all of these are. `tables` puts figures, prices and peers
in grids, which are drawn as tables for people and as lines for models; `figures_page` is the page of those lines.
"""

"""Fundamentals of a listed company, computed from the facts it filed: pure code, no I/O, no clock.

`filed` holds the facts as of a day and the amounts that they add up to, as filed or by formulas,
`computation` puts the figures together with their `notes`, `valuation` holds a price against
them, and `peers` others beside them; `dates` tells of when all of these are. `text` states the rows as the `lines` of a
page for models, with its index; `tables`, `peers` and `filings.parts` put them in `grids`, which are drawn both
as such lines and as tables for people; `charts` draws them.
"""

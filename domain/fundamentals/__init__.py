"""A company's figures out of the facts it filed: pure code, no I/O, no clock.

`facts` reads what stood on a day, `periods` finds the company's own years and quarters in it,
`series` looks a metric up, `accounts` adds up what was not reported, `ratios` compares, `compute`
puts it together and `telling` says it in sentences that can be quoted.
"""

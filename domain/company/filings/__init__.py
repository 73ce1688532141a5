"""What company facts lack and filings hold: figures by part, guidance, risk factors that changed.

`selection` chooses the filings to read, `parts` their figures by segment, product and region, and
`passages` what they say.
"""

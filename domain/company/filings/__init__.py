"""Content of filings that company facts lack: figures by part, guidance, changed risk factors.

`selection` chooses the filings to read, `parts` their figures by segment, product and region, and
`passages` what they say.
"""

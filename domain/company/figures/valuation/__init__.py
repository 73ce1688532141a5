"""A company's valuation at a share price: what it is worth, its multiples and yields, and the rates that the price implies."""

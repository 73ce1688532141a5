"""A company's figures as grids, drawn as tables for people and as the lines of a page for models; and as charts."""

"""Retrieval: a document's rows, a query's terms, the ranking of rows, and the passages of a row."""

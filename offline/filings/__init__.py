"""Companies' filings: a folder's facts files, or the sample's two companies.

The sample holds the facts that Apple and Snowflake filed with the SEC up to January 2026 and May 2025,
in EDGAR's own form, cut down to the figures that are read; as a work of the US government it is in the
public domain. Both files are gzipped.
"""

"""Companies as EDGAR lists them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Listed:
    """A company as EDGAR lists it."""

    cik: int
    name: str
    ticker: str
    exchange: str = ""
    industry: str = ""


KNOWN = {
    320193: Listed(320193, "Apple Inc.", "AAPL", "Nasdaq", "Electronic Computers"),
    1640147: Listed(1640147, "Snowflake Inc.", "SNOW", "NYSE", "Services-Prepackaged Software"),
}
"""A facts file knows no ticker; these are the sample's."""

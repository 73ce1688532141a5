"""What a company's facts tell of its filings: which there were, of what form, of which period."""

from collections.abc import Iterator
from typing import Any

from domain.fundamentals.facts import ANNUAL, Fact
from domain.fundamentals.facts import parse_fact as read_fact
from greenlight.offline.filings.listed import Listed

MOST_LISTED = 1_000


def submissions(listed: Listed, told: dict[str, Any]) -> dict[str, Any]:
    """Return a company's submissions in EDGAR's form, newest filing first."""
    filings = newest_facts(told)
    recent = filings[:MOST_LISTED]
    year_ends = [fact.end for fact in filings if fact.form.startswith(ANNUAL)]
    return {
        "cik": f"{listed.cik:010d}",
        "entityType": "operating",
        "sicDescription": listed.industry,
        "name": listed.name,
        "tickers": [listed.ticker],
        "exchanges": [listed.exchange],
        "fiscalYearEnd": year_ends[0][5:].replace("-", "") if year_ends else "",
        "filings": {
            "recent": {
                "accessionNumber": [fact.accession for fact in recent],
                "filingDate": [fact.filed for fact in recent],
                "reportDate": [fact.end for fact in recent],
                "form": [fact.form for fact in recent],
            },
            "files": [],
        },
    }


def newest_facts(told: dict[str, Any]) -> list[Fact]:
    """Return of each filing a fact of the period it is on, the newest filing first."""
    last: dict[str, Fact] = {}
    for fact in _facts(told):
        if fact.accession not in last or fact.end > last[fact.accession].end:
            last[fact.accession] = fact
    return sorted(last.values(), key=lambda fact: (fact.filed, fact.accession), reverse=True)


def _facts(told: dict[str, Any]) -> Iterator[Fact]:
    for taxonomy, concepts in told.get("facts", {}).items():
        if taxonomy == "dei":  # the cover counts shares weeks after the period
            continue
        for concept in concepts.values():
            for rows in concept["units"].values():
                yield from (fact for row in rows if (fact := read_fact(row)))

"""Which of a company's filings are read: the newest of each kind whose document is known."""

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.evidence.company import Filing

ANNUAL = ("10-K", "20-F", "40-F", "10-KT")
QUARTERLY = ("10-Q",)
RESULTS = "2.02"
"""The item of an 8-K under which results are announced."""


@dataclass(frozen=True)
class Chosen:
    """The filings to read; None where there is none."""

    annual: Filing | None
    annual_before: Filing | None
    quarterly: Filing | None
    """Newer than the annual one."""
    announcement: Filing | None


def choose_filings(filings: Sequence[Filing], as_of: str | None = None) -> Chosen:
    """Return the filings to read of those filed by a day; amendments are none."""
    known = [f for f in filings if f.document and (as_of is None or f.filed <= as_of)]
    known.sort(key=lambda filing: (filing.filed, filing.accession), reverse=True)
    annual = [filing for filing in known if filing.form in ANNUAL]
    newest = annual[0] if annual else None
    quarterly = (f for f in known if f.form in QUARTERLY)
    told = (f for f in known if f.form == "8-K" and RESULTS in f.items.split(","))
    quarter = next(quarterly, None)
    return Chosen(
        annual=newest,
        annual_before=next((f for f in annual if newest and f.end < newest.end), None),
        quarterly=quarter if quarter and (newest is None or quarter.filed > newest.filed) else None,
        announcement=next(told, None),
    )

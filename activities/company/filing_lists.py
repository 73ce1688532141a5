"""EDGAR's lists of a company's filings: the newest in its submissions, older ones in pages that these name."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from contracts.company.filings import Filing
from domain.company.filings.selection import ANNUAL, NOTICE, QUARTERLY, choose_filings

FORMS = frozenset((*ANNUAL, *QUARTERLY, "8-K", NOTICE))
"""The forms that are read or dated by; a bank files thousands of others a year."""
DOCUMENT = re.compile(r"[\w-][\w.-]{0,120}\.html?", re.ASCII | re.IGNORECASE)
_COLUMNS = ("accessionNumber", "form", "filingDate", "reportDate", "items", "primaryDocument")


@dataclass(frozen=True)
class FilingList:
    """Filings of the forms in use, and the number of rows of these forms, or of none, that cannot be read."""

    filings: tuple[Filing, ...] = ()
    unreadable: int = 0

    def __add__(self, other: "FilingList") -> "FilingList":
        return FilingList(self.filings + other.filings, self.unreadable + other.unreadable)

    def is_complete(self, as_of: str | None) -> bool:
        """Return whether it reaches back to the older of two annual reports, and so to whatever is read."""
        return choose_filings(self.filings, as_of).annual_before is not None


def read_recent(about: dict[str, Any], cik: int) -> FilingList:
    """Return the newest filings of a company, from its submissions."""
    filings = about.get("filings")
    return read_rows(filings.get("recent") if isinstance(filings, dict) else None, cik)


def list_older_pages(about: dict[str, Any], cik: int, as_of: str | None) -> list[str]:
    """Return the file names of a company's older lists of filings, newest first, without those wholly after a day."""
    filings = about.get("filings")
    listed = filings.get("files") if isinstance(filings, dict) else None
    rows = [row for row in listed if isinstance(row, dict)] if isinstance(listed, list) else []
    name = re.compile(rf"CIK{cik:010d}-submissions-\d{{1,6}}\.json", re.ASCII)
    pages = [
        (str(row.get("filingTo") or ""), str(row.get("name")))
        for row in rows
        if as_of is None or str(row.get("filingFrom") or "") <= as_of
    ]
    # Pages of one day keep EDGAR's order, which begins with the newest.
    newest_first = sorted(pages, key=lambda page: page[0], reverse=True)
    return [file for _, file in newest_first if name.fullmatch(file)]


def read_rows(columns: Any, cik: int) -> FilingList:
    """Return the filings in a list, which EDGAR serves as columns."""
    listed: dict[str, Any] = columns if isinstance(columns, dict) else {}
    cells = (listed.get(name) for name in _COLUMNS)
    rows = zip_longest(*(each if isinstance(each, list) else [] for each in cells), fillvalue="")
    own = [row for row in rows if not isinstance(row[1], str) or row[1] in FORMS]
    filings = [filing for row in own if (filing := _read_row(row, cik))]
    return FilingList(tuple(filings), len(own) - len(filings))


def _read_row(row: Sequence[Any], cik: int) -> Filing | None:
    accession, form, filed, end, items, document = row
    name = str(document or "")
    try:
        return Filing(
            cik=cik,
            accession=accession,
            form=form,
            filed=filed,
            end=end or "",
            items=items or "",
            document=name if DOCUMENT.fullmatch(name) else "",
        )
    except ValueError:
        return None

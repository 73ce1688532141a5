"""The cover of a company's filing: how many shares it has, and how many a depositary share holds."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from contracts.company.figures import Fundamentals
from contracts.company.filings import Filing
from contracts.documents import CoverPage, ShareCount
from contracts.notices import Notice
from domain.company.figures.filed.company_facts_json import read_rows
from domain.company.figures.filed.facts import COVER
from domain.company.figures.filed.metrics import COVER_SHARES_TAG
from domain.company.figures.numbers import say_amount
from domain.company.filings.parts import name_filing, spell_member

CLASS_RATIO = 1.6
"""Share classes are not of equal worth if their sum differs from the diluted shares by this factor."""
_NUMBERS = dict(
    zip(
        [
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "twelve",
            "fifteen",
            "twenty",
            "thirty",
            "forty",
            "fifty",
            "hundred",
        ],
        (*range(1, 11), 12, 15, 20, 30, 40, 50, 100),
        strict=True,
    )
)
_PARTS = {
    "half": 2,
    "third": 3,
    "quarter": 4,
    "fourth": 4,
    "fifth": 5,
    "eighth": 8,
    "tenth": 10,
    "twentieth": 20,
    "fiftieth": 50,
    "hundredth": 100,
}
_SINGLE = frozenset(
    [
        "ordinary",
        "common",
        "class",
        "share",
        "equity",
        "underlying",
        "registered",
        "preferred",
        "preference",
    ]
)
"""Words that follow the `one` of a single share."""
_RATIO = re.compile(
    r"represent(?:s|ing)\s+(?:the right to receive\s+)?(?:(?P<part>one|1)[-\s](?P<of>[a-z]+)\b"
    r"|(?P<top>\d{1,4})/(?P<bottom>\d{1,4})|(?P<number>\d{1,6}(?:\.\d{1,4})?)|(?P<word>[a-z]+(?:-[a-z]+)?))",
    re.IGNORECASE,
)
_ADS_TICKER = re.compile("[A-Z]{4}Y")
_DEPOSITARY = re.compile(r"depositary|\bAD[SR]s?\b", re.IGNORECASE)
_ADS_ASKED = re.compile(
    r"\bAD[SR]s?\b|\b[Dd]epositary (?:[Ss]hare|[Rr]eceipt)|\bHinterlegungsschein"
)
"""How a question names a depositary share; in small letters, `ads` are advertisements."""
_PREFERRED = re.compile(r"\bpreferred|\bpreference", re.IGNORECASE)
_SHARES = re.compile(r"\b(?:ordinary|common|class \w)\b", re.IGNORECASE)


class CoverCount(NamedTuple):
    """All shares of a company by the cover of a filing, and the classes that were added up."""

    filing: Filing
    day: str
    value: float
    classes: Sequence[ShareCount]


def count_shares(
    read: Sequence[tuple[Filing, CoverPage]], diluted: float | None
) -> CoverCount | None:
    """Return the newest count of all shares that covers give.

    Classes are added up only if their sum fits the diluted shares: else they are not of equal worth.
    """
    counts = [(count.day, filing, cover) for filing, cover in read for count in cover.shares]
    if not counts:
        return None
    day, filing, cover = max(counts, key=lambda each: (each[0], each[1].filed))
    same = {count.member: count for count in cover.shares if count.day == day}
    if whole := same.get(""):
        return CoverCount(filing, day, whole.value, ())
    total = sum(count.value for count in same.values())
    if not diluted or not diluted / CLASS_RATIO <= total <= diluted * CLASS_RATIO:
        return None
    return CoverCount(filing, day, total, [*same.values()])


def find_count(
    found: Fundamentals, covers: Sequence[tuple[Filing, CoverPage]]
) -> CoverCount | None:
    """Return the covers' total share count if it is newer than the count among the figures."""
    diluted = next((f.value for f in found.figures if f.metric == "diluted_shares"), None)
    count = count_shares(covers, diluted)
    known = [f.end for f in found.figures if f.metric == "shares_outstanding"]
    return count if count and count.day > max(known, default="") else None


def add_count(company_facts: Mapping[str, Any], count: CoverCount) -> dict[str, Any]:
    """Return company facts with a cover's count of shares, as EDGAR would list it."""
    filing = count.filing
    row = {"end": count.day, "val": count.value, "accn": filing.accession, "fy": 0}
    row |= {"form": filing.form, "filed": filing.filed}
    facts: Mapping[str, Any] = company_facts["facts"]
    cover = _read_object(facts, COVER)
    units = _read_object(_read_object(cover, COVER_SHARES_TAG), "units")
    known = {"units": {**units, "shares": [*read_rows(units.get("shares")), row]}}
    return {**company_facts, "facts": {**facts, COVER: {**cover, COVER_SHARES_TAG: known}}}


def _read_object(of: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = of.get(name)
    return found if isinstance(found, dict) else {}


def explain_classes(count: CoverCount) -> Notice | None:
    """Return the notice on share classes that were added up, or None if there is one count."""
    if not count.classes:
        return None
    classes = [
        Notice.of(
            "share-class",
            "info",
            name=spell_member(each.member),
            n=say_amount(each.value, "shares"),
        )
        for each in count.classes
    ]
    return Notice.of("company-share-classes", classes=classes, filing=name_filing(count.filing))


def names_ads(question: str) -> bool:
    """Return whether a question is on a depositary share, so that the price in it is not that of an ordinary share."""
    return bool(_ADS_ASKED.search(question))


def find_ads_ratio(covers: Sequence[CoverPage]) -> float | None:
    """Return how many ordinary shares a listed security represents; 1 for ordinary shares.

    `covers` are newest first. Return None if they do not say, or give several ratios.
    """
    depositary, plain = _list_titles(covers)
    if not depositary:
        return 1.0 if plain else None
    ratios = {_read_ratio(title) for title in depositary} - {None}
    return ratios.pop() if len(ratios) == 1 else None


def lists_ads(covers: Sequence[CoverPage]) -> bool:
    """Return whether the newest cover with titles lists depositary shares of ordinary ones, newest first."""
    return bool(_list_titles(covers)[0])


def is_ads_ticker(ticker: str) -> bool:
    """Return whether a ticker’s fifth letter marks depositary receipts, as on Nasdaq: SHPGY.

    A company with such shares may still file as a domestic one does.
    """
    return bool(_ADS_TICKER.fullmatch(ticker.upper()))


def _list_titles(covers: Sequence[CoverPage]) -> tuple[list[str], list[str]]:
    """Return the titles of the depositary shares of ordinary shares, and of shares themselves, by the newest cover."""
    titles = next((cover.titles for cover in covers if cover.titles), ())
    depositary = [title for title in titles if _DEPOSITARY.search(title)]
    plain = [each for each in titles if each not in depositary and _SHARES.search(each)]
    if plain:  # a bank's depositary shares are of its preferred shares
        depositary = [title for title in depositary if not _PREFERRED.search(title)]
    return depositary, plain


def _read_ratio(title: str) -> float | None:
    found = _RATIO.search(title)
    if not found:
        return None
    if found["part"]:
        of = found["of"].lower()
        return 1 / _PARTS[of] if of in _PARTS else 1.0 if of in _SINGLE else None
    if found["top"]:
        return int(found["top"]) / int(found["bottom"]) if int(found["bottom"]) else None
    if found["number"]:
        return float(found["number"]) or None
    number = _NUMBERS.get(found["word"].lower())
    return float(number) if number else None

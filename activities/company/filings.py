"""Reads a company's filings for what its facts lack; each passage keeps its document."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from activities.web.web_activities import store_page
from contracts.company.figures import FactsRequest, Fundamentals
from contracts.company.filings import Filing, Part, Passage, ResultsKind
from contracts.documents import CoverPage
from contracts.errors import ErrorInfo, GreenlightError
from contracts.evidence.sources import Source
from contracts.notices import Notice
from contracts.runs.lost_inputs import LossCause, LostInput
from domain.company.filings.parts import name_filing, note_older_parts, select_parts
from domain.company.filings.passages import (
    MAX_GUIDANCE,
    MAX_RISKS,
    compare_risks,
    find_guidance,
    locate_passages,
)
from domain.company.filings.selection import (
    NOTICE,
    Chosen,
    announces_results,
    choose_filings,
    expect_results,
    find_day_told,
)
from domain.lost_inputs import count_causes

if TYPE_CHECKING:
    from activities.company.edgar import Edgar, Filed
    from activities.parsing.document import Parsed
    from activities.parsing.page_parser import PageParser
    from store.blobs import BlobStore

PUBLISHER = "SEC EDGAR"
HTML = "text/html"
EXHIBIT = "99.1"
"""The press release of an announcement of results."""


@dataclass(frozen=True)
class ReadFiling:
    """A filing's document, as served and as it was read."""

    filing: Filing
    url: str
    body: bytes
    parsed: "Parsed"


class UnreadFiling(NamedTuple):
    """A filing that could not be read: a notice for people, and the cause if EDGAR lists its document."""

    note: Notice
    cause: LossCause | None = None


class SaidByFilings(TypedDict):
    """Fields of a company's fundamentals that its filings say themselves."""

    parts: list[Part]
    passages: list[Passage]
    next_results: str
    results_lag: int
    results_kind: ResultsKind
    results_told: str
    notes: list[Notice]


class FilingsRead(NamedTuple):
    """Content of a company's filings, the quoted documents, the losses, and covers, newest first."""

    said: SaidByFilings
    documents: list[Source]
    lost: list[LostInput]
    covers: list[tuple[Filing, CoverPage]]


class FilingReader:
    """Reads a company's latest filings; an unreadable one becomes a note, not an error."""

    def __init__(self, edgar: "Edgar", parser: "PageParser", blobs: "BlobStore") -> None:
        self._edgar = edgar
        self._parser = parser
        self._blobs = blobs

    async def read(
        self, company: str, filed: "Filed", found: Fundamentals, request: FactsRequest
    ) -> "FilingsRead":
        """Return what a company's filings say, the documents that are quoted, and what was lost of them.

        Each passage names its document by its 1-based position.
        """
        chosen = choose_filings(filed.filings, request.as_of)
        own = [(f, "") for f in (chosen.annual_before, chosen.annual, chosen.quarterly) if f]
        asked = [*own, *((filing, EXHIBIT) for filing in chosen.announcements)]
        outcomes = await asyncio.gather(*(self._read(*each) for each in asked))
        unread = [outcome for outcome in outcomes if isinstance(outcome, UnreadFiling)]
        read = [outcome for outcome in outcomes if isinstance(outcome, ReadFiling)]
        tagged = [(one.filing, one.parsed.parts) for one in read]
        parts = await asyncio.to_thread(select_parts, tagged)
        passages, missing = await asyncio.to_thread(_find_passages, read, chosen)
        missing += [*_list_unknown(chosen), *note_older_parts(parts, found.newest_end)]
        quoted = sorted({passage.source for passage in passages})
        expected = expect_results(filed.filings, found.newest_end, request.as_of)
        said: SaidByFilings = {
            "parts": parts,
            "passages": [
                p.model_copy(update={"source": quoted.index(p.source) + 1}) for p in passages
            ],
            "next_results": expected.day,
            "results_lag": expected.lag,
            "results_kind": expected.kind,
            "results_told": find_day_told(_list_announced(read, chosen), found),
            "notes": [*filed.unlisted, *(each.note for each in unread), *missing],
        }
        documents = [await self._keep(read[n - 1], company, request) for n in quoted]
        failures = (filed.list_failure, *(each.cause for each in unread))
        causes = [cause for cause in failures if cause]
        counts = {"found": len(causes) + len(read), "lost": len(causes)}
        told = {"kind": "filings", "name": "filings", **counts, "causes": count_causes(causes)}
        lost = [LostInput.model_validate(told)] if causes else []
        reports = sorted(read, key=lambda one: one.filing.filed, reverse=True)
        covers = [(one.filing, one.parsed.cover) for one in reports]
        return FilingsRead(said, documents, lost, covers)

    async def _read(self, filing: Filing, exhibit: str) -> ReadFiling | UnreadFiling | None:
        """Return a filing's document or exhibit; None if nothing indicates that it exists."""
        try:
            if exhibit:
                name = await self._edgar.find_exhibit(filing, exhibit)
                if not name and filing.form == NOTICE:
                    return None
                if not name:
                    told = name_filing(filing)
                    return UnreadFiling(
                        Notice.of("filing-no-exhibit", filing=told, exhibit=exhibit)
                    )
                filing = filing.model_copy(update={"document": name})
            body, url = await self._edgar.read_document(filing)
            return ReadFiling(filing, url, body, await self._parser.parse(body, HTML, "", url))
        except GreenlightError as error:
            why = ErrorInfo.of(error).words
            unread = Notice.of("filing-unread", filing=name_filing(filing), why=why)
            return UnreadFiling(unread, error.loss_cause)

    async def _keep(self, one: ReadFiling, company: str, request: FactsRequest) -> Source:
        return await store_page(
            *(self._blobs, request.scope, one.body, one.parsed),
            url=one.url,
            title=f"{company}: {name_filing(one.filing).text}",
            author=company,
            publisher=PUBLISHER,
            published=one.filing.filed,
        )


def _list_announced(read: Sequence[ReadFiling], chosen: Chosen) -> list[Filing]:
    """Return the announcements of results: of a foreign company's notices those whose exhibit is one."""
    texts = {one.filing.accession: one.parsed.text for one in read}
    return [
        filing
        for filing in chosen.announcements
        if filing.form != NOTICE or announces_results(texts.get(filing.accession, ""))
    ]


def _find_passages(
    read: Sequence[ReadFiling], chosen: Chosen
) -> tuple[list[Passage], list[Notice]]:
    """Return guidance and changed risk factors, and notes on what was not found."""
    places = {one.filing.accession: (n, one) for n, one in enumerate(read, start=1)}
    passages: list[Passage] = []
    notes: list[Notice] = []
    told = [
        place for filing in _list_announced(read, chosen) if (place := places.get(filing.accession))
    ]
    best = max(told, key=lambda each: bool(find_guidance(each[1].parsed.text)), default=None)
    if not best and any(filing.form == NOTICE for filing in chosen.announcements):
        notes.append(Notice.of("filings-no-results"))
    if best:
        guidance = find_guidance(best[1].parsed.text)
        passages += _locate(guidance[:MAX_GUIDANCE], best, "guidance")
        if more := len(guidance[MAX_GUIDANCE:]):
            filing = name_filing(best[1].filing)
            notes.append(Notice.of("filings-more-guidance", n=more, filing=filing))
        if not passages:
            notes.append(Notice.of("filing-no-guidance", filing=name_filing(best[1].filing)))
    new = chosen.annual and places.get(chosen.annual.accession)
    old = chosen.annual_before and places.get(chosen.annual_before.accession)
    if new and old:
        risks = new[1].parsed.risks, old[1].parsed.risks
        if all(risks):
            added, gone = compare_risks(*risks)
            passages += _locate(added[:MAX_RISKS], new, "risk added")
            passages += _locate(gone[:MAX_RISKS], old, "risk removed")
            if more := len(added[MAX_RISKS:]) + len(gone[MAX_RISKS:]):
                notes.append(Notice.of("filings-more-risks", n=more))
        else:
            notes.append(Notice.of("filings-risks-uncompared"))
    return passages, notes


def _list_unknown(chosen: Chosen) -> list[Notice]:
    """Return a notice on what was not looked for, as EDGAR lists no document of it."""
    wanted = {
        "filings-annual": chosen.annual,
        "filings-annual-before": chosen.annual_before,
        "filings-announcements": chosen.announcements,
    }
    unknown = [Notice.of(code, "info") for code, filing in wanted.items() if not filing]
    return [Notice.of("filings-unlisted", names=unknown)] if unknown else []


def _locate(quotes: Sequence[str], place: tuple[int, ReadFiling], kind: str) -> list[Passage]:
    number, one = place
    return locate_passages(quotes, one.parsed.text, kind, number, one.filing)

"""Reading of a company's filings themselves: what its facts lack, each passage with its document."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from activities.web import store_page
from contracts.company.figures import FactsRequest
from contracts.company.filings import Company, Filing, Part, Passage
from contracts.errors import ErrorInfo, GreenlightError
from contracts.evidence.sources import Source
from contracts.lost_inputs import LossCause, LostInput
from contracts.notices import Notice
from domain.company.filings.parts import note_older_parts, select_parts
from domain.company.filings.passages import MAX_RISKS, compare_risks, find_guidance, locate_passages
from domain.company.filings.selection import (
    NOTICE,
    Chosen,
    announces_results,
    choose_filings,
    expect_results,
)
from domain.lost_inputs import count_causes

if TYPE_CHECKING:
    from activities.company.edgar import Edgar
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


class LostFiling(NamedTuple):
    """A filing that EDGAR lists and that could not be read: a notice for people, and the reason as data."""

    note: Notice
    cause: LossCause


class ReadFilings(NamedTuple):
    """What a company's filings say, the documents of its passages, and notes on what is missing."""

    parts: list[Part]
    passages: list[Passage]
    documents: list[Source]
    next_results: str
    notes: list[Notice]
    lost: list[LostInput]


class FilingReader:
    """Reads a company's newest filings; one that cannot be read is a note, and fails nothing."""

    def __init__(self, edgar: "Edgar", parser: "PageParser", blobs: "BlobStore") -> None:
        self._edgar = edgar
        self._parser = parser
        self._blobs = blobs

    async def read(
        self, company: Company, newest_end: str, filings: Sequence[Filing], request: FactsRequest
    ) -> ReadFilings:
        """Return what a company's filings say: each passage names its document by its 1-based position."""
        chosen = choose_filings(filings, request.as_of)
        reading = [
            self._read(filing, exhibit)
            for filing, exhibit in (
                *((f, "") for f in (chosen.annual_before, chosen.annual, chosen.quarterly)),
                *((f, EXHIBIT) for f in chosen.announcements),
            )
            if filing
        ]
        outcomes = await asyncio.gather(*reading)
        lost = [outcome for outcome in outcomes if isinstance(outcome, LostFiling)]
        notes = [outcome for outcome in outcomes if isinstance(outcome, Notice)]
        notes += [each.note for each in lost]
        read = [outcome for outcome in outcomes if isinstance(outcome, ReadFiling)]
        tagged = [(one.filing, one.parsed.parts) for one in read]
        parts = await asyncio.to_thread(select_parts, tagged)
        passages, missing = await asyncio.to_thread(_find_passages, read, chosen)
        missing += [*_list_unknown(chosen), *note_older_parts(parts, newest_end)]
        quoted = sorted({passage.source for passage in passages})
        return ReadFilings(
            parts=parts,
            passages=[
                p.model_copy(update={"source": quoted.index(p.source) + 1}) for p in passages
            ],
            documents=[await self._keep(read[n - 1], company, request) for n in quoted],
            next_results=expect_results(filings, newest_end, request.as_of),
            notes=[*notes, *missing],
            lost=_count_lost(lost, len(read)),
        )

    async def _read(self, filing: Filing, exhibit: str) -> ReadFiling | LostFiling | Notice | None:
        """Return a filing's document, or that of its exhibit; else the notice why there is none.

        None where nothing says that there should be one.
        """
        try:
            if exhibit:
                name = await self._edgar.find_exhibit(filing, exhibit)
                if not name and filing.form == NOTICE:
                    return None
                if not name:
                    return Notice.of("filing-no-exhibit", filing=_say(filing), exhibit=exhibit)
                filing = filing.model_copy(update={"document": name})
            body, url = await self._edgar.read_document(filing)
            return ReadFiling(filing, url, body, await self._parser.parse(body, HTML, "", url))
        except GreenlightError as error:
            why = ErrorInfo.of(error).words
            unread = Notice.of("filing-unread", filing=_say(filing), why=why)
            return LostFiling(unread, error.loss_cause)

    async def _keep(self, one: ReadFiling, company: Company, request: FactsRequest) -> Source:
        return await store_page(
            *(self._blobs, request.scope, one.body, one.parsed),
            url=one.url,
            title=f"{company.name}: {_say(one.filing).text}",
            author=company.name,
            publisher=PUBLISHER,
            published=one.filing.filed,
        )


def _count_lost(lost: Sequence[LostFiling], read: int) -> list[LostInput]:
    """Return the lost filings of a company as one lost input; none where all were read."""
    if not lost:
        return []
    return [
        LostInput(
            kind="filings",
            name="filings",
            found=len(lost) + read,
            lost=len(lost),
            causes=count_causes(each.cause for each in lost),
        )
    ]


def _say(filing: Filing) -> Notice:
    return Notice.of("filing-named", "info", form=filing.form, filed=filing.filed)


def _find_passages(
    read: Sequence[ReadFiling], chosen: Chosen
) -> tuple[list[Passage], list[Notice]]:
    """Return guidance and the risk factors that changed, and notes on what is not to be found."""
    places = {one.filing.accession: (n, one) for n, one in enumerate(read, start=1)}
    passages: list[Passage] = []
    notes: list[Notice] = []
    known = [places[f.accession] for f in chosen.announcements if f.accession in places]
    known = [each for each in known if _announces(each[1])]
    told = max(known, key=lambda each: bool(find_guidance(each[1].parsed.text)), default=None)
    if not told and any(filing.form == NOTICE for filing in chosen.announcements):
        notes.append(Notice.of("filings-no-results"))
    if told:
        quotes = find_guidance(told[1].parsed.text)
        passages += _locate(quotes, told, "guidance")
        if not passages:
            notes.append(Notice.of("filing-no-guidance", filing=_say(told[1].filing)))
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


def _announces(one: ReadFiling) -> bool:
    return one.filing.form != NOTICE or announces_results(one.parsed.text)


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

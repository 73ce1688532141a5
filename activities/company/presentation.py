"""What is shown of the companies that were read: pages, comparison, exhibits; an error of one leaves the others unharmed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from temporalio import activity

from contracts.company.figures import FactsRequest, Fundamentals
from contracts.errors import NoFacts
from contracts.evidence.rows import PageRows
from contracts.evidence.sources import Source
from contracts.notices import Notice
from contracts.runs.lost_inputs import LostInput
from domain.company.exhibits import Exhibit, build_exhibits
from domain.company.figures.dates import list_remarks, name_company
from domain.company.figures.figures_page import list_lines
from domain.company.figures.filed.newest_facts_table import list_asked, list_filed, spell_filed
from domain.company.figures.filed.notions import list_asked_for
from domain.company.figures.notes.newest_quarter import list_beside
from domain.company.figures.tables.changes import list_bases
from domain.company.figures.tables.grids import draw_grid
from domain.company.figures.tables.page_lines import PageLine, join_lines
from domain.company.figures.tables.peers import Peer, compare_companies, render_measures
from domain.company.filings.parts import build_parts_grid
from domain.company.filings.passages import build_sections, render_passages

if TYPE_CHECKING:
    from activities.company.edgar import Filed

ODD = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""Exceptions that malformed files of EDGAR cause in our code."""
MAX_FILINGS = 12
"""Maximum number of filings that the source names: the figures themselves name all of theirs."""


@dataclass(frozen=True)
class ReadCompany:
    """A company's data: as served by EDGAR, as computed, and the filings that were read."""

    filed: "Filed"
    found: Fundamentals
    documents: list[Source]
    lost: list[LostInput]


class CompanyPages(NamedTuple):
    """A company with the text of its figures, its facts of the newest filings, and their tags by notion."""

    company: ReadCompany
    text: str
    rows: PageRows
    facts: str
    notions: Mapping[str, list[str]]


class Presentation(NamedTuple):
    """The pages of companies and their charts and tables, the comparison first."""

    pages: list[CompanyPages]
    exhibits: list[Exhibit]


def present(
    companies: Sequence[ReadCompany], request: FactsRequest, left: Sequence[Notice]
) -> Presentation:
    """Return the pages and exhibits of companies.

    `left` are notices on companies that were left out before; the first page states them. If rendering raises,
    each company is rendered by itself: one that raises is left out with a notice, and the others are compared
    without it. If each of them renders by itself, all are kept and the comparison is left out.

    Raises:
        NoFacts: No company is left.
    """
    try:
        return _present(companies, request, left)
    except ODD as error:
        broken = {n: why for n, one in enumerate(companies) if (why := _try(one, request))}
        activity.logger.exception("cannot show the figures of companies %s", sorted(broken))
        if not broken and len(companies) > 1:
            together = Notice.of("companies-apart", error=type(error).__name__)
            return _present(companies, request, [*left, together], is_compared=False)
        broken = broken or {0: error}
    told = [_explain(companies[n], why) for n, why in broken.items()]
    sound = [one for n, one in enumerate(companies) if n not in broken]
    if not sound:
        raise NoFacts(told[0])
    notes = [Notice.of("company-not-compared", why=why) for why in told]
    return present(sound, request, [*left, *notes])


def _try(one: ReadCompany, request: FactsRequest) -> Exception | None:
    """Return the error raised when a company is rendered and compared with itself.

    Return None if there is no error.
    """
    try:
        _present([one, one], request, [])
    except ODD as error:
        return error
    return None


def _explain(one: ReadCompany, error: Exception) -> Notice:
    company, cause = name_company(one.found), type(error).__name__
    return Notice.of("edgar-not-shown", company=company, error=cause)


def _present(
    companies: Sequence[ReadCompany],
    request: FactsRequest,
    left: Sequence[Notice],
    *,
    is_compared: bool = True,
) -> Presentation:
    first, *others = companies
    notes = {"head_notes": [*first.found.head_notes, *left]}
    noted = [replace(first, found=first.found.model_copy(update=notes)), *others]
    found = [one.found for one in noted]
    filed = [(one.found, one.filed.facts) for one in noted]
    day = request.as_of or request.today or None
    peers = compare_companies(filed, day) if is_compared else []
    pages = [_build_pages(one, peers, request) for one in noted]
    for each in found:  # what a report adds of each, which must not fail in a workflow
        _ = [*list_remarks(each, is_compared=True), *list_beside(each), *list_bases(each)]
        build_sections(each.passages, each.company.name, request.language)
    groups = [found] if is_compared else [[each] for each in found]
    exhibits = [
        exhibit
        for group in groups
        for exhibit in build_exhibits(group, peers, request.today, request.language)
    ]
    return Presentation(pages, exhibits)


def _build_pages(one: ReadCompany, peers: Sequence[Peer], request: FactsRequest) -> CompanyPages:
    """Return the page of a company's figures with its part of the comparison, and that of its newest facts."""
    filed, found, name = one.filed, one.found, one.found.company.name
    filings = {accession for figure in found.figures for accession in figure.accessions}
    newest = sorted(filings, key=lambda each: each.split("-")[1:], reverse=True)[:MAX_FILINGS]
    unknown = {gap.metric for gap in found.gaps if gap.state != "does_not_apply"}
    asked = list_asked_for(request.notions, unknown)
    own = next((n for n, peer in enumerate(peers) if peer.found is found), None)
    text, rows = join_lines(
        [
            *list_lines(found, request.today),
            *map(PageLine, list_asked(filed.facts, found, asked, request.today)),
            *(draw_grid(build_parts_grid(found.parts, name)) if found.parts else ()),
            *render_passages(found.passages, name),
            *(render_measures(peers, own) if own is not None else ()),
            PageLine(f"Filings of the figures, newest first: {', '.join(newest)}"),
            PageLine(f"Computed from the facts at {filed.url}"),
        ]
    )
    facts = "\n".join(list_filed(filed.facts, found, request.today))
    return CompanyPages(one, text, rows, facts, spell_filed(filed.facts))

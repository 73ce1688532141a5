"""Verification of claims by code: locates quotes, and checks figures and years as far as code can.

A claim *fails* if a quote is not in its source, if a figure that it says is quoted is not, or if a figure or year
stands nowhere in the evidence and cannot have been worked out from it. Everything else is *open*: a judge decides
on names, number words, directions, causes and small counts, on figures of quotes in numerals or languages that are
not read, and on figures that may follow from quoted ones. Those are named as `unquoted`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from contracts.errors import ToolFailed
from contracts.evidence.checks import Check, Outcome
from contracts.evidence.claims import UNJUDGED, Citation, Claim, JudgeTerms, Premise
from contracts.evidence.reasons import Reason
from domain.evidence.conclusions import find_dependents
from domain.evidence.figures.date_check import DateCheck
from domain.evidence.figures.expression_check import compute, list_exact_results
from domain.evidence.figures.figure_check import FigureCheck, place_figures
from domain.evidence.figures.notation.dates import blank_dates, parse_dates
from domain.evidence.figures.notation.figure_parser import parse_figures
from domain.evidence.figures.notation.quantities import Quantity, list_versions, read_quantities
from domain.evidence.figures.notation.scales import find_scale_word
from domain.evidence.figures.quote_reading import find_row, has_unread_numbers, read_quoted
from domain.evidence.normal_forms import normalize
from domain.evidence.pages.cited_page import SHARES, CitedPage
from domain.evidence.quotes import MAX_QUOTE_CHARS, Span
from domain.evidence.repeated_cells import find_settled_cells

MAX_CHARS = 5_000
MAX_NEAREST = 10
"""Quotes of an answer that are not found for which the nearest passage is looked for, in the whole page."""

_INTEGER = re.compile(r"\d{1,15}")
_WORD = re.compile(r"\w+")


def check_claims(
    claims: Sequence[Claim],
    pages: Mapping[int, CitedPage],
    terms: JudgeTerms = UNJUDGED,
    labels: Sequence[tuple[str, str]] = (),
) -> list[Check]:
    """Check the claims of an answer as far as code can, in their order.

    A conclusion may rest on the answer's own sentences and on those of `terms`. `labels` has the row and
    column of each claim, empty for sentences; leave it out if there is no table.
    """
    located, unlocated, missed = list[Claim](), list[list[Reason]](), 0
    for claim in claims:
        found, missing = list[Citation](), list[Reason]()
        for quoted in claim.citations:
            page = pages.get(quoted.source)
            if page and (span := page.snapshot.find(quoted.quote)):
                start, end = span
                place = {"quote": page.snapshot.text[start:end], "start": start, "end": end}
                place |= {"page": page.snapshot.find_page(start), "above": page.list_above(*span)}
                found.append(quoted.model_copy(update=place))
            else:
                missing.append(_explain_missing(quoted, page, near=missed < MAX_NEAREST))
                missed += 1
        update = {"citations": found, "working": ""}
        located.append(claim.rule(None).model_copy(update=update))
        unlocated.append(missing)
    answer = _Answer(located, pages, terms)
    named = labels or [("", "")] * len(located)
    checks = [answer.check(*each) for each in zip(located, unlocated, named, strict=True)]
    assumed = _find_assumed([check.claim for check in checks], terms.known)
    settled = find_settled_cells(checks, labels, pages, has_judge=bool(terms.model))
    for n, check in enumerate(checks):
        claim, outcome = check.claim, check.outcome
        if assumed.intersection(claim.rests_on):
            claim = claim.model_copy(update={"assumed": True})
        if n in settled and outcome == "open":
            claim, outcome = claim.rule("supported"), "holds"
        checks[n] = check.model_copy(update={"claim": claim, "outcome": outcome})
    return checks


class _Answer:
    """The evidence of one answer: the pages that it cites, and its sentences and known ones by id, with their quotes."""

    def __init__(
        self, claims: Sequence[Claim], pages: Mapping[int, CitedPage], terms: JudgeTerms
    ) -> None:
        self._pages = pages
        self._question, self._choices = terms.question, terms.choices
        self._dates = DateCheck(pages, terms.today)
        self._named = {name: self._quote(premise) for name, premise in terms.known.items()}
        named = {claim.id: claim for claim in claims if claim.id}
        self._assumed = _find_assumed(claims, terms.known)
        self._shared = {c.id for c in claims if c.id and c.text != named[c.id].text}
        self._named |= named

    def check(
        self, claim: Claim, unlocated: Sequence[Reason], label: tuple[str, str] = ("", "")
    ) -> Check:
        """Check a claim whose quotes were located, a cell's with its row and column; quotes that were not found are ignored."""
        problems = [] if claim.citations else list(unlocated)
        bases = [self._named[name] for name in claim.rests_on if self._may_carry(name, claim)]
        said = [base.text for base in bases]
        problems += self._find_unclear_bases(claim)
        cited = [citation for one in (claim, *bases) for citation in one.citations]
        unquoted: list[str] = []
        if len(claim.text) > MAX_CHARS:
            problems = [Reason(code="too-long")]
        elif cited or said or (claim.expression and not problems):
            worked = [*chain.from_iterable(map(list_exact_results, bases))]
            claim, lacks, unquoted = self._check_figures(claim, cited, said, worked, label)
            problems += lacks
        elif not problems and claim.kind not in {"assumed", "advised", "not_found"}:
            problems = [Reason(code="uncited")]
        outcome: Outcome = "open"
        if problems:
            problems = list({one.text: one for one in (*unlocated, *problems)}.values())
            outcome = "fails"
            is_misread = any(problem.code == "figure-misread" for problem in problems)
            claim = claim.rule("contradicted" if is_misread else "not_shown", *problems)
        return Check(
            outcome=outcome,
            claim=claim,
            bases=tuple(bases),
            periods=self._list_periods(cited),
            problems=tuple(problems),
            wholes=tuple(self._pages[c.source].find_whole(c.start, c.end) for c in claim.citations),
            unquoted=tuple(dict.fromkeys(unquoted)),
            openings=tuple(self._find_openings(claim)),
        )

    def _check_figures(
        self,
        claim: Claim,
        cited: Sequence[Citation],
        said: Sequence[str],
        worked: Sequence[Quantity],
        label: tuple[str, str],
    ) -> tuple[Claim, list[Reason], list[str]]:
        """Return a claim with its working and its figures that are quoted, what code refuses, and what it leaves open."""
        quotes = _read_quotes(cited, self._pages)
        is_choice = bool(claim.rests_on and not claim.citations)
        context = self._describe_context(cited, [*said, *[self._choices] * is_choice])
        years = self._dates.list_known_years(cited, quotes, context)
        numbers = [Quantity(year, (float(year),)) for year in sorted(years)]
        given = [*quotes, numbers, worked, *_list_figures(cited, said)]
        try:
            is_varied = claim.assumed or not self._assumed.isdisjoint(claim.rests_on)
            results, assumed, working = _compute(claim, given, label, is_varied=is_varied)
        except ToolFailed as error:
            problem = Reason(code="working-wrong", params={"error": error.notice})
            return claim, [problem], []
        placed, unplaced = place_figures(claim.figures, quotes[: len(claim.citations)])
        is_assumed = claim.assumed or (
            assumed and not any(has_unread_numbers(citation.quote) for citation in cited)
        )
        update = {"working": working, "figures": [f for f, _ in placed], "assumed": is_assumed}
        claim = claim.model_copy(update=update)
        periods = (self._pages[citation.source].periods for citation in cited)
        passages = "\n".join(citation.quote for citation in cited)
        evidence = FigureCheck(
            quotes=quotes,
            others=[read_quantities(parse_dates(context)[1]), results, *periods],
            versions=list_versions(parse_dates(f"{context}\n{passages}")[1]),
            placed=[quantity for _, quantity in placed],
            unplaced=unplaced,
            passages=passages,
            is_open=claim.kind != "stated" or bool(claim.figures),
        )
        problems, unquoted = evidence.check(blank_dates(claim.text))
        if problems and (scaled := _apply_scale(claim.text, label)):
            in_scale = evidence.check(scaled)
            problems, unquoted = in_scale if not in_scale[0] else (problems, unquoted)
        for strange in self._dates.find_strange(claim.text, cited, quotes, context, years):
            if claim.rests_on and self._dates.is_to_come(strange):
                unquoted.append(str(strange.params["shown"]))  # advice may say by when
            else:
                problems.append(strange)
        return claim, problems, unquoted

    def _may_carry(self, name: str, claim: Claim) -> bool:
        return name in self._named and name not in {claim.id, *self._shared}

    def _find_unclear_bases(self, claim: Claim) -> Iterator[Reason]:
        """Yield that an id which a claim rests on names no sentence, or more than one."""
        for name in claim.rests_on:
            if name not in self._named:
                yield Reason(code="base-unnamed", params={"base": name})
            elif name in self._shared:
                yield Reason(code="base-shared", params={"base": name})

    def _list_periods(self, cited: Sequence[Citation]) -> tuple[str, ...]:
        """Return the different periods, or days of prices, in the quotes; empty if all are the same.

        A row of several years may hold the year of another quote, so that year is not another period.
        """
        placed = [(self._pages[citation.source], citation) for citation in cited]
        every = {name for page, c in placed for name in page.name_periods(c.start, c.end)}
        listed = (name for page, c in placed for name in page.name_periods(c.start, c.end))
        named = (name for name in listed if name.partition(" to ")[0] not in every - {name})
        days = (day for page, c in placed for day in page.list_price_days(c.start, c.end))
        told = [*dict.fromkeys(named)], [f"a price of {day}" for day in dict.fromkeys(days)]
        return tuple(one for several in told if len(several) > 1 for one in several)

    def _find_openings(self, claim: Claim) -> Iterator[tuple[int, Span]]:
        """Yield where the openings of cited pages state the days of a claim."""
        days = [date.day for date in parse_dates(normalize(claim.text))[0] if date.is_day]
        for source in dict.fromkeys(c.source for c in claim.citations if days):
            for date, span in self._pages[source].opening_days:
                if date.day in days:
                    yield source, span

    def _quote(self, premise: Premise) -> Claim:
        """Return a premise with its quotes, of the pages that are shown."""
        texts = {n: page.snapshot for n, page in self._pages.items()}
        cited = [
            Citation(
                source=n,
                quote=texts[n].text[start:end],
                start=start,
                end=end,
                page=texts[n].find_page(start),
            )
            for n, start, end in premise.places
            if n in texts
        ]
        claim = Claim(
            text=premise.text,
            citations=cited,
            assumed=premise.assumed,
            expression=premise.expression,
        )
        return claim.rule("supported") if premise.is_supported else claim

    def _describe_context(self, cited: Sequence[Citation], said: Sequence[str]) -> str:
        """Return the context of the quotes that a reader sees: question, premises, titles, dates and headings."""
        about = [self._question, *said]
        for citation in cited:
            page = self._pages[citation.source]
            about += [page.title, page.by, page.published, page.find_heading(citation.start)]
        return "\n".join(map(normalize, dict.fromkeys(about)))


def _compute(
    claim: Claim, given: Sequence[Sequence[Quantity]], label: tuple[str, str], *, is_varied: bool
) -> tuple[list[Quantity], bool, str]:
    """Return what `compute` does; a cell's lone figure may state the result in the scale of its row or column."""
    scaled = _apply_scale(claim.text, label)
    try:
        return compute(claim, given, is_varied=is_varied)
    except ToolFailed:
        if not scaled:
            raise
    return compute(claim.model_copy(update={"text": scaled}), given, is_varied=is_varied)


def _apply_scale(text: str, label: tuple[str, str]) -> str:
    """Return a cell's lone figure with the word of scale that its row or column has, as in `Gas, billion m³`; else an empty text."""
    is_lone = not any(map(str.isalpha, text))
    scale = find_scale_word(" ".join(label)) if is_lone else ""
    return f"{text.strip()} {scale}" if scale else ""


def _find_assumed(claims: Sequence[Claim], known: Mapping[str, Premise]) -> set[str]:
    """Return the ids of the sentences that are assumptions or rest on one."""
    named = {name for name, premise in known.items() if premise.assumed}
    named |= {claim.id for claim in claims if claim.id and claim.assumed}
    return find_dependents(claims, named)


def _explain_missing(citation: Citation, page: CitedPage | None, *, near: bool) -> Reason:
    """Return why a quote was not found; with `near`, include the most similar passage if it has half the words."""
    if page is None:
        return Reason(code="source-unknown", params={"source": citation.source})
    params: dict[str, str | int] = {
        "source": citation.source,
        "quote": _shorten(citation.quote, 60),
    }
    if len(citation.quote) > MAX_QUOTE_CHARS:
        return Reason(code="quote-long", params=params | {"most": MAX_QUOTE_CHARS})
    words = len(set(_split_words(citation.quote)))
    shared, (start, end) = page.snapshot.find_nearest(citation.quote) if near else (0, (0, 0))
    if not words or 2 * shared < words:
        return Reason(code="quote-missing", params=params)
    params["near"] = _shorten(page.snapshot.text[start:end], 400)
    return Reason(code="quote-near", params=params)


def _list_figures(cited: Sequence[Citation], said: Sequence[str]) -> Iterator[Sequence[Quantity]]:
    """Yield the numbers that an expression may use in addition to quoted figures.

    These are the integers in quoted dates and codes, and the figures of premises.
    """
    for citation in cited:
        dates, rest = parse_dates(normalize(citation.quote))
        codes = (figure.shown for figure in parse_figures(rest) if not figure.is_number)
        numbers = _INTEGER.findall(" ".join([*(date.shown for date in dates), *codes]))
        yield [Quantity(number, (float(number),)) for number in numbers]
    yield from (read_quantities(normalize(text)) for text in said)


def _read_quotes(
    cited: Sequence[Citation], pages: Mapping[int, CitedPage]
) -> list[Sequence[Quantity]]:
    """Return the figures of each quote with their possible scales."""
    found: list[Sequence[Quantity]] = []
    for one in cited:
        page = pages[one.source]
        _, rest = parse_dates(normalize(one.quote))
        quoted = [(c.start, c.end) for c in cited if c.source == one.source]
        scales = page.find_scales(one.start, one.end, quoted)
        if SHARES.search(one.quote):
            scales = scales._replace(header=0.0)
        in_row = bool(find_row(page.snapshot.text, one.start, one.end))
        found.append(read_quoted(rest, scales, in_row=in_row))
    return found


def _shorten(text: str, most: int) -> str:
    line = " ".join(text[: 4 * most].split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _split_words(text: str) -> list[str]:
    return _WORD.findall(normalize(text).casefold())

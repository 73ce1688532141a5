"""The check of a report before it is rendered: each line on what was not found, by a judge."""

from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import accumulate, chain, compress, islice
from types import MappingProxyType

from activities.web.gap_passages import GapActivities
from contracts.base import Json
from contracts.evidence.claims import JUDGE, Claim
from contracts.evidence.sources import FoundPage, Source
from contracts.models.call import Block, Input, Message, to_input
from contracts.notices import Notice
from contracts.planning.plan import Plan
from contracts.report.additions import ReportAdditions
from contracts.report.checks import (
    MAX_WHOLE_CHARS,
    Gap,
    GapPhrases,
    GapRulings,
    KnownClaim,
    PagePassage,
    PassageRequest,
    PassagesFound,
    ReportChecked,
    SkipReason,
    Unanswered,
)
from contracts.report.report import Report
from contracts.runs.lost_inputs import LostInput
from contracts.words import say
from domain.evidence.claims import find_numbers
from domain.evidence.quotes import Span
from domain.lost_inputs import describe_unread, quote_names
from domain.prompts import load_prompts
from domain.report.changes.patches import build_grid
from domain.report.claims.report_claims import list_claims, name_cell, withdraw_contradicted
from domain.report.gaps.gap_lookup import (
    add_hints,
    choose_passages,
    choose_unopened,
    find_alike,
    leave_out_shown,
    phrase_gaps,
    reuse_phrases,
)
from domain.report.gaps.gap_rulings import Labels, rule_gaps
from domain.report.gaps.kept_gaps import keep_not_held
from domain.report.gaps.listed_gaps import (
    apply_gaps,
    list_gaps,
    list_refused_cells,
    list_unanswered,
)
from domain.report.gaps.merged_gaps import list_merged, put_together, take_apart
from domain.run_outputs import find_output_as
from domain.sources.source_registry import number_source
from workflows.agents.conversation_history import GAPS, list_visible
from workflows.phase_context.context import PhaseContext
from workflows.phase_context.expected_tokens import Tokens, Use
from workflows.runtime.failures import describe_failure
from workflows.verification.answer_verification import NO_ANSWER

PROMPTS = load_prompts("workflows.prompts", "gap_check")
MAX_LINES = 40
"""Lines that are checked in a phase; any further ones stay unchecked."""
MAX_CLAIM_CHARS = 48_000
"""Maximum number of characters of the report's sentences shown to the judge; a report says so if it has more."""
MAX_PAGES_CHARS, MAX_HEADINGS_CHARS = 6_000, 200
"""Characters of the pages' titles and headings by which phrases are found: of all pages, and of one's headings."""
GAPS_WITH_PASSAGES = "gaps_with_passages"
"""The description of the lines of which some have passages that no page in the request shows."""
CHECK = Tokens(once=Use(3_500, 100), page=Use(650, 30), slack=3_500, role=JUDGE)
"""Expected tokens of checking one report: phrases and rulings together."""


async def look_up_gaps(
    run: PhaseContext, report: Report, inputs: Sequence[Input]
) -> tuple[list[Gap], list[Input]]:
    """Return a report's lines on what was not found, with their phrases, and as an input for who finishes it.

    The input has each line with the passages that may answer it, that no sentence of the report quotes and that the
    `inputs` do not show.
    """
    message = Message(role="user", content=[Block(type="inputs", inputs=[*inputs])])
    visible = list_visible([message])
    shown = {n: visible.get(s.text_key, []) for n, s in enumerate(run.state.sources, start=1)}
    lines, claims, progress = list_gaps(report)[:MAX_LINES], list_claims(report), run.me.progress
    gaps, told = await _look_up(run, lines, claims, shown=shown)
    progress.gaps = progress.gaps or [gap.line for gap in gaps]
    return gaps, told


async def look_up_given(
    run: PhaseContext, lines: Sequence[str], claims: Sequence[Claim], place: str
) -> tuple[list[Gap], list[Input]]:
    """Return earlier phases' lines on what was not found, and what pages that nobody read tell of them after all.

    Both are empty in a run without such pages: who writes a report has then been shown what there is.
    """
    opened = _open_lookups(run) if lines else []
    if not opened:
        return [], []
    gaps = [Gap(place=place, line=line) for line in dict.fromkeys(lines)]
    return await _look_up(run, gaps[:MAX_LINES], claims, opened)


async def _look_up(
    run: PhaseContext,
    gaps: list[Gap],
    claims: Sequence[Claim],
    pages: Container[int] | None = None,
    shown: Mapping[int, Sequence[Span]] = MappingProxyType({}),
) -> tuple[list[Gap], list[Input]]:
    """Return lines with their phrases, and as an input with the passages that may answer them and no claim quotes.

    `pages` are the numbers of those that are searched; None: all. `shown` is what their reader sees of each anyway.
    """
    if not gaps:
        return [], []
    passages: list[list[PagePassage]] = [[] for _ in gaps]
    if not _find_reason_to_skip(run, True, claims):
        gaps = _hint(run, await _phrase(run, gaps, "phrase-gaps-of-draft"))
        try:
            found = await _find_passages(run, gaps, (), "find-passages-of-draft", pages)
        except NO_ANSWER as error:
            run.log.tell(describe_failure(error).words)
        else:
            titles = [source.title for source in run.state.sources]
            passages = choose_passages(found, gaps, claims, titles, shown)
    told = [
        {
            "number": number,
            "heading": gap.place,
            "line": gap.line,
            "passages": [*map(_describe_passage, found)],
        }
        for number, (gap, found) in enumerate(zip(gaps, passages, strict=True), start=1)
    ]
    entries = [{name: part for name, part in entry.items() if part} for entry in told]
    about = GAPS_WITH_PASSAGES if any(passages) else ""
    return gaps, [to_input(GAPS, entries).model_copy(update={"about": about})]


async def phrase_ahead(run: PhaseContext, gaps: Sequence[Gap]) -> list[Gap]:
    """Return lines of a report that is still being written with their phrases, if its check will ask a judge."""
    if _find_reason_to_skip(run, bool(gaps), ()):
        return [*gaps]
    return await _phrase(run, gaps[:MAX_LINES], "phrase-gaps-of-draft")


def _describe_passage(passage: PagePassage) -> Json:
    shown = passage.model_dump(include={"source", "page", "above", "notice", "text"})
    return {name: part for name, part in shown.items() if part}


async def check_report(
    run: PhaseContext,
    report: Report,
    listing: Container[str] = (),
    phrased: Sequence[Gap] = (),
) -> Report:
    """Check each line on what was not found, and mark those that could not be checked.

    A line that the report or a page answers after all is removed, and the passage is kept with the report.
    Remarks under the headings of `listing` are treated like such lines. If sentences were refused, the report
    also names the unanswered parts of the request. One call writes the phrases to look for in long pages,
    unless similar lines were `phrased` before; another asks the judge. The outcome is an event of the run.
    """
    report, gone = withdraw_contradicted(report)
    run.log.refuse(gone)
    merged = list_merged(run.state.patches)
    gaps = list_gaps(report, listing)
    open_gaps = [gap for gap in gaps if gap.verdict is None]
    parts_of = [take_apart(gap, merged) for gap in open_gaps]
    apart = [*chain.from_iterable(parts_of)]
    unchecked = reuse_phrases(apart, phrased, run.state.patches)
    claims = _list_known(report)
    fallen = list_unanswered(report, run.state.refused, run.state.patches)
    rows = [part for part in fallen if part.kind == "row"]
    parts = [*_list_parts(run, report), *rows]
    skipped = _find_reason_to_skip(run, bool(unchecked or parts), claims)
    if not skipped:
        if unchecked:
            _open_lookups(run)
        unchecked, rows = await _judge(run, unchecked, parts, claims, phrased)
    unanswered = [*(part for part in fallen if part.kind == "section"), *rows]
    run.log.emit(ReportChecked(gaps=unchecked, unanswered=unanswered, skipped=skipped))
    ruled = iter(unchecked)
    report, settled = put_together(report, open_gaps, [[*islice(ruled, len(p))] for p in parts_of])
    report = apply_gaps(report, [*(gap for gap in gaps if gap.verdict), *settled])
    refused_cells = list_refused_cells(report, run.state.refused)
    return report.model_copy(
        update={
            "unanswered": unanswered or report.unanswered,
            "refused_cells": refused_cells or report.refused_cells,
        }
    )


def list_not_held(run: PhaseContext, report: Report) -> Report:
    """Return a report that lists what its plan does not expect any source to tell, to be checked like other lines."""
    plan = find_output_as(run.state, "plan", Plan)
    place = say(run.language, "not-researched")
    return keep_not_held(report, plan.not_held, place) if plan else report


def _open_lookups(run: PhaseContext) -> list[int]:
    """Add the pages in which lines on what was not found are looked up to the run's sources; return their numbers."""
    added = find_output_as(run.state, "additions", ReportAdditions)
    pages = added.lookups if added else []
    return [number_source(page, run.state.sources) for page in pages]


def _list_parts(run: PhaseContext, report: Report) -> list[Unanswered]:
    """Return the parts of the request that the report should answer, if claims were refused; else nothing.

    A request that no plan divides is one part, which a report that opens with its answer answers.
    """
    fell = run.state.refused or any(not claim.is_usable for claim in list_claims(report))
    plan = find_output_as(run.state, "plan", Plan)
    opening = report.answer.claims if report.answer else []
    whole = [] if any(claim.is_usable for claim in opening) else [run.brief.query]
    asked = plan.requirements if plan and plan.requirements else whole
    return [Unanswered(kind="requirement", name=part) for part in asked[:MAX_LINES] if fell]


def _find_reason_to_skip(
    run: PhaseContext, has_something: bool, claims: Sequence[Claim]
) -> SkipReason:
    if not has_something:
        return "nothing_listed"
    if run.state.terms.by_rule:
        return "no_judge"
    if not (claims or run.state.sources):
        return "nothing_read"
    return "no_time" if run.timer.is_nearly_over() else ""


def _list_known(report: Report) -> list[Claim]:
    """Return a report's valid sentences; table cells with figures of their own include their row and column."""
    opening = report.answer.claims if report.answer else []
    written = [claim for section in report.sections for claim in section.claims]
    told = frozenset[str]().union(*(find_numbers(claim.text) for claim in written))
    cells = [
        claim.model_copy(update={"text": f"{name_cell(row, column)}: {claim.text}"})
        for row, found in build_grid(report.comparison).items()
        for column, claim in found.items()
        if claim and not (find_numbers(claim.text) and find_numbers(claim.text) <= told)
    ]
    usable = (c for c in (*opening, *cells, *written) if c.is_usable and c.kind != "not_found")
    known = {claim.text: claim for claim in usable}
    return list(known.values())


async def _judge(
    run: PhaseContext,
    gaps: Sequence[Gap],
    parts: Sequence[Unanswered],
    claims: Sequence[Claim],
    phrased: Sequence[Gap],
) -> tuple[list[Gap], list[Unanswered]]:
    """Return the gaps with the judge's rulings, and the parts that nothing answers.

    A sentence of the text may answer a row whose cells were refused. If the judge gives no answer, gaps are
    unchecked, such rows count as unanswered, and the phase is partial. If the report has more sentences than
    the judge is shown, the report says so, and no requirement counts as unanswered.
    """
    asked, rest = await _phrase(run, gaps[:MAX_LINES], "phrase-gaps", phrased), gaps[MAX_LINES:]
    asked = _hint(run, asked)
    try:
        found = await _find_passages(run, asked, claims, "find-passages")
        compared = claims if parts else leave_out_shown(claims, found.passages)
        shown = [*_fit_claims(compared)]
        labels, inputs = _build_inputs(run, asked, shown, found)
        if parts:
            numbered = (f"{n}. {_join_lines(part.name)}" for n, part in enumerate(parts, start=1))
            inputs.append(to_input("parts", "\n".join(numbered)))
        async with run.timer.leave_a_reserve():
            answer = await run.calls.generate(
                "check-gaps",
                JUDGE,
                PROMPTS["gaps"],
                inputs,
                GapRulings,
                max_tokens=400 + 90 * len(asked),
            )
    except NO_ANSWER as error:
        run.log.degrade(Notice.of("gaps-not-checked", reason=describe_failure(error).words))
        return [*asked, *rest], [part for part in parts if part.kind == "row"]
    left = [parts[n - 1] for n in dict.fromkeys(answer.unanswered) if 0 < n <= len(parts)]
    if len(shown) < len(compared):
        run.losses.record(_describe_unseen(len(shown), len(compared)))
        left = [part for part in left if part.kind == "row"]
    ruled = rule_gaps(asked, answer.rulings, labels, is_searched=not found.unsearched)
    if found.unsearched and any(gap.verdict is None for gap in ruled):
        run.losses.record(_describe_unsearched(found.unsearched, run.state.sources))
    return [*ruled, *rest], left


async def _phrase(
    run: PhaseContext, gaps: Sequence[Gap], name: str, phrased: Sequence[Gap] = ()
) -> list[Gap]:
    """Add to each gap the phrases in which a page may state the missing fact; unchanged if writing them fails.

    No phrases are needed if all pages are shown to the judge whole. Lines similar to those in `phrased` are
    not asked about again, even if these got no phrases.
    """
    is_asked = [not (gap.phrases or find_alike(gap, phrased)) for gap in gaps]
    asked = [*compress(gaps, is_asked)]
    if not asked or sum(source.chars for source in run.state.sources) <= MAX_WHOLE_CHARS:
        return list(gaps)
    lines = chain.from_iterable(_show_line(n, gap) for n, gap in enumerate(asked, start=1))
    inputs = [
        to_input("question", run.brief.query),
        to_input("pages", "\n".join(_list_pages(run.state.sources))),
        to_input("lines", "\n".join(lines)),
    ]
    writing = run.calls.generate(
        name,
        JUDGE,
        PROMPTS["phrases"],
        inputs,
        GapPhrases,
        max_tokens=400 + 120 * len(asked),
    )
    written = await run.calls.do_without(writing, Notice.of("gaps-unphrased"))
    written_for = iter(phrase_gaps(asked, written.phrases if written else []))
    return [
        next(written_for) if is_new else gap for gap, is_new in zip(gaps, is_asked, strict=True)
    ]


def _hint(run: PhaseContext, gaps: Sequence[Gap]) -> list[Gap]:
    """Add to each gap the phrases in which what it asks for is filed, where code knows that it is."""
    added = find_output_as(run.state, "additions", ReportAdditions)
    hints = added.hints if added else []
    return [add_hints(gap, hints) for gap in gaps]


def _list_pages(sources: Sequence[Source]) -> Iterator[str]:
    """Yield the titles of the pages with their first headings, as far as there is room."""
    room = MAX_PAGES_CHARS
    for number, source in enumerate(sources, start=1):
        headings = "; ".join(section.heading for section in source.sections)[:MAX_HEADINGS_CHARS]
        told = (
            f"{number}. {_join_lines(f'{source.title}: {headings}' if headings else source.title)}"
        )
        room -= len(told)
        if room < 0:
            return
        yield told


async def _find_passages(
    run: PhaseContext,
    gaps: Sequence[Gap],
    claims: Sequence[Claim],
    name: str,
    only: Container[int] | None = None,
) -> PassagesFound:
    if not gaps:
        return PassagesFound(passages=[], by_line=[])
    request = PassageRequest(
        scope=run.calls.scope(name),
        lines=[
            [f"{gap.place} {gap.line}", *gap.phrases, *filter(None, [gap.after])] for gap in gaps
        ],
        claims=[KnownClaim(text=c.text, places=c.as_premise.places) for c in claims],
        pages=[p for p in run.list_citable_pages() if only is None or p.number in only],
    )
    return await run.calls.execute_activity(
        name,
        GapActivities.find_passages,
        request,
        summary="passages on what was not found",
    )


def _build_inputs(
    run: PhaseContext, gaps: Sequence[Gap], claims: Sequence[Claim], found: PassagesFound
) -> tuple[Labels, list[Input]]:
    """Return what the judge may name, by its labels, and what it sees."""
    state = run.state
    labels: dict[str, Claim | PagePassage | FoundPage] = {
        f"c{n}": claim for n, claim in enumerate(claims, start=1)
    }
    labels |= {f"p{n}": passage for n, passage in enumerate(found.passages, start=1)}
    unopened = choose_unopened(state.found.values(), state.sources, gaps)
    labels |= {f"u{n}": page for n, page in enumerate(unopened, start=1)}
    near = (f" (see: {', '.join(f'p{i + 1}' for i in each) or 'none'})" for each in found.by_line)
    lines = [
        *chain.from_iterable(
            _show_line(n, gap, see)
            for n, (gap, see) in enumerate(zip(gaps, near, strict=True), start=1)
        )
    ]
    shown = {
        "claims": [
            f"{label}. {_join_lines(claim.text)}"
            for label, claim in labels.items()
            if isinstance(claim, Claim)
        ],
        "passages": list(_list_passages(labels, state.sources)),
        "unopened": [
            f"{label}. {_join_lines(f'{page.title or page.url}: {page.about}')}"
            for label, page in labels.items()
            if isinstance(page, FoundPage)
        ],
        "lines": lines,
    }
    inputs = [to_input("question", run.brief.query)]
    inputs += [to_input(name, "\n".join(each)) for name, each in shown.items() if each]
    return labels, inputs


def _show_line(number: int, gap: Gap, see: str = "") -> Iterator[str]:
    """Yield a line on what was not found, and the sentence before it, which may name its subject."""
    yield f"{number}. {gap.place}: {_join_lines(gap.line)}{see}"
    if gap.after:
        yield f"  after: {_join_lines(gap.after)}"


def _describe_unseen(shown: int, of: int) -> LostInput:
    """Return that the judge was shown only some of a report's sentences."""
    told = Notice.of("gaps-compared-in-part", n=shown, of=of)
    return LostInput(kind="cut_values", name="claims", found=of, lost=of - shown, told=told)


def _describe_unsearched(numbers: Sequence[int], sources: Sequence[Source]) -> LostInput:
    """Return that pages were not searched to their end for the lines on what was not found."""
    names = [sources[number - 1].title for number in numbers]
    told = Notice.of("gaps-searched-in-part", n=len(names), names=quote_names(names))
    return LostInput(kind="check", name="gaps", told=told, optional=True)


def _fit_claims(claims: Sequence[Claim]) -> Iterator[Claim]:
    """Yield the first claims that fit the judge's room."""
    sizes = accumulate(len(claim.text) for claim in claims)
    return compress(claims, (size <= MAX_CLAIM_CHARS for size in sizes))


def _list_passages(labels: Labels, sources: Sequence[Source]) -> Iterator[str]:
    """Yield the passages as the judge sees them, each page, heading and notice named once.

    Partly unread pages are named even without a passage.
    """
    page, above, notice = 0, "", ""
    for label, part in labels.items():
        if not isinstance(part, PagePassage):
            continue
        if part.source != page:
            page, above, notice = part.source, "", ""
            yield from _name_page(page, sources[page - 1])
        if part.notice != notice:
            notice = part.notice
            yield f"notice: {_join_lines(notice) or '–'}"
        if part.above != above:
            above = part.above
            yield f"above: {_join_lines(above) or '–'}"
        where = "" if part.page is None else f"p. {part.page}: "
        yield f"{label}. {where}{_join_lines(part.text)}"
    shown = {part.source for part in labels.values() if isinstance(part, PagePassage)}
    for number, source in enumerate(sources, start=1):
        if number not in shown and describe_unread(source):
            yield from _name_page(number, source)


def _name_page(number: int, source: Source) -> Iterator[str]:
    """Yield the line that names a page, and one on what of it was not read."""
    yield f"page {number}, {_join_lines(source.title)}"
    if unread := describe_unread(source):
        yield f"unread: {_join_lines(unread)}"


def _join_lines(text: str) -> str:
    return " ".join(text.split())

"""A report as Markdown: the answer, what it rests on by footnotes, and what is missing."""

import re
from collections.abc import Iterable, Iterator, Sequence

from contracts.agents.workbench import Artifact
from contracts.evidence.sources import Source
from contracts.report.checks import Gap
from contracts.report.research import Comparison, Report, Search, Section
from domain.report.answer import split_opening
from domain.report.footnotes import Footnotes
from domain.report.gaps import list_found
from domain.report.inline import escape_markdown, list_source
from domain.report.links import is_kept

ARTIFACTS = "artifacts"
"""Path of an artifact's link: below the run's address, or beside the saved report."""
OFFLINE = "> No model was called: this report was put together by Greenlight's offline stand-in, by rule, "

DRAFT = "*This is a draft, as far as the run has come. Each claim was found in what it cites.*"
EMPTY_DRAFT = "*This is a draft, as far as the run has come. It makes no claim.*"
ACCOUNTS = (
    "*What is set off under a heading is an agent's own account of its work: nothing checked it.*"
)
EXHIBITS = (
    "*What an agent put into tables and charts of its own is its account too: nothing checked it.*"
)
GAPS = "*What was not found is listed under “Not found”.*"
UNCHECKED = "*Nobody checked these lines against the pages that were read.*"
UNANSWERED = "### Not answered: what was written on this did not hold"
FOUND = "## Told by a page, and not used above"
GAP_MARKS = {None: "not checked", "partly": "told in part"}
"""What is said of a line on what was not found, by its verdict."""
PARAGRAPH_CHARS = 500
"""A paragraph ends with the sentence that makes it so long."""


def render(
    report: Report,
    sources: list[Source],
    searches: list[Search] | None,
    *,
    offline: bool,
    artifacts: Sequence[Artifact] = (),
) -> str:
    """Return the whole report; `[n]` is the nth piece of evidence, any other bracket is escaped.

    Without `searches` it is a draft: what it lacks may still come.
    """
    notes = Footnotes(report, sources)
    opening, sections = split_opening(report)
    if searches is None:
        opening, sections = None, report.sections
    parts = [f"# {escape_markdown(report.title)}"]
    parts += [f"> **{escape_markdown(note)}**" for note in report.notes]
    if offline:
        parts.append(f"{OFFLINE}{'from the pages listed below' if sources else 'from no page'}.")
    if opening:
        parts += _render_opening(opening, report, notes)
    if report.comparison:
        parts.append(_render_comparison(report.comparison, notes))
    for section in sections:
        if section.is_written:
            parts += _render_section(section, notes, report.gaps)
        elif searches is None and not section.missing:
            parts += [f"## {escape_markdown(section.heading)}", "*Nothing is written here yet.*"]
    parts += _render_list("What would change the conclusion", report.would_change)
    if exhibits := [a for a in artifacts if a.kind in ("table", "chart")]:
        unchecked = EXHIBITS if any(a.is_account for a in exhibits) else ""
        parts += ["## Tables and charts", unchecked, *map(render_artifact, exhibits)]
    parts += _render_list("What was assumed", report.assumptions)
    parts += _render_list("What to bear in mind", report.caveats)
    parts += _list_missing(report, searches)
    parts += _render_found(report, notes)
    parts += ["## Evidence", _describe_evidence(report, notes, is_draft=searches is None)]
    if any(section.account for section in report.sections):
        parts.append(ACCOUNTS)
    parts.append("\n".join(f"{n}. {note}" for n, note in enumerate(notes.list_notes(), start=1)))
    parts += _render_sources(sources, notes.cited, noted=searches is not None)
    return "\n\n".join(filter(None, parts)) + "\n"


def render_bare(title: str, sources: list[Source]) -> str:
    """Return the report of a run that ended before anything was written: what it had read, if anything."""
    pages = _render_sources(sources, set(), noted=False) if sources else []
    return "\n\n".join(filter(None, [f"# {escape_markdown(title)}", *pages])) + "\n"


def _render_opening(opening: Section, report: Report, notes: Footnotes) -> Iterator[str]:
    """Yield the section that answers, and where to find what the report could not."""
    yield from _render_section(opening, notes, report.gaps)
    is_short = any(section.missing.strip() for section in report.sections) or report.unanswered
    yield GAPS if is_short else ""


def _render_section(section: Section, notes: Footnotes, gaps: Sequence[Gap]) -> Iterator[str]:
    """Yield a section's heading, its agent's account, its claims as paragraphs or items, and its remarks."""
    yield f"## {escape_markdown(section.heading)}"
    lines = [f"> {escape_markdown(line)}" for line in section.account.splitlines() if line.strip()]
    yield "\n>\n".join(lines)
    paragraph = ""
    if section.is_list:
        items = enumerate(map(notes.render_sentence, section.claims), start=1)
        yield "\n".join(f"{n}. {said}" for n, said in items)
    for claim in () if section.is_list else section.claims:
        paragraph = f"{paragraph} {notes.render_sentence(claim)}".strip()
        if len(paragraph) >= PARAGRAPH_CHARS:
            yield paragraph
            paragraph = ""
    yield paragraph
    yield from _render_remarks(section, gaps)


def _render_comparison(comparison: Comparison, notes: Footnotes) -> str:
    rows = (
        [escape_markdown(row.label), *(notes.render_claim(c) if c else "–" for c in row.cells)]
        for row in comparison.rows
    )
    return _render_table(["", *map(escape_markdown, comparison.columns)], rows)


def _render_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = (f"| {' | '.join(cells)} |" for cells in rows)
    return "\n".join([f"| {' | '.join(head)} |", "|" + " --- |" * len(head), *lines])


def render_artifact(artifact: Artifact) -> str:
    """Return one table under its caption, or one chart, whose drawing bears its title."""
    name, link = escape_markdown(artifact.name), f"({ARTIFACTS}/{artifact.id})"
    kept = is_kept(f"{ARTIFACTS}/{artifact.id}")
    if artifact.kind == "chart":
        note = f"\n\n*{escape_markdown(artifact.note)}*" if artifact.note else ""
        return f"![{name}]{link}{note}" if kept else f"**{name}**{note}"
    head, *rows = ([escape_markdown(cell) or "–" for cell in row] for row in artifact.preview)
    whole = f"[all {artifact.rows} rows]{link}" if kept else f"there are {artifact.rows}"
    more = f"\n\n*The first {len(rows)} rows; {whole}.*" if len(rows) < artifact.rows else ""
    return f"**{name}**\n\n{_render_table(head, rows)}{more}"


def _render_list(heading: str, items: Iterable[str]) -> list[str]:
    lines = [f"- {escape_markdown(item)}" for item in items]
    return [f"## {heading}", "\n".join(lines)] if lines else []


def _list_missing(report: Report, searches: list[Search] | None) -> Iterator[str]:
    """Yield what was not found, by section; where a section has nothing, how it was searched for."""
    missing: dict[str, list[str]] = {}
    fallen = {part.name for part in report.unanswered if part.kind == "section"}
    for section in report.sections:
        lines = filter(None, map(str.strip, section.missing.splitlines()))
        gaps = [_render_gap(section.heading, line, report.gaps) for line in lines]
        if searches is not None and not section.is_written and section.heading not in fallen:
            gaps = gaps or ["No evidence was found for this section."]
            gaps.append(_describe_searches(section.heading, searches))
        if gaps:
            missing.setdefault(section.heading, []).extend(gaps)
    if missing or report.unanswered:
        yield "## Not found"
    if report.unanswered:
        yield UNANSWERED
        yield "\n".join(f"- {escape_markdown(part.name)}" for part in report.unanswered)
    if any(section.missing.strip() for section in report.sections):
        yield _note_unchecked(report.gaps)
    for heading, gaps in missing.items():
        yield f"### {escape_markdown(heading)}"
        yield "\n".join(f"- {gap}" for gap in gaps)


def _note_unchecked(gaps: Sequence[Gap]) -> str:
    """Return the note that no line was checked; empty if some were, and the others are marked."""
    return "" if any(gap.verdict for gap in gaps) else UNCHECKED


def _render_gap(place: str, line: str, gaps: Sequence[Gap]) -> str:
    """Return a line on what was not found; it is marked if only others were checked, or it is told in part."""
    gap = next((gap for gap in gaps if (gap.place, gap.printed) == (place, line)), None)
    mark = GAP_MARKS.get(gap.verdict if gap else None, "")
    is_whole = bool(gap and gap.left) or bool(_note_unchecked(gaps))
    return f"{escape_markdown(line)} *({mark})*" if mark and not is_whole else escape_markdown(line)


def _render_remarks(section: Section, gaps: Sequence[Gap]) -> Iterator[str]:
    """Yield a section's remarks; those that say what is not known are marked as such lines are."""
    listed = {gap.printed for gap in gaps if gap.place == section.heading}
    if listed.intersection(section.remarks):
        yield _note_unchecked(gaps)
    yield "\n".join(
        f"- {_render_gap(section.heading, remark, gaps) if remark in listed else escape_markdown(remark)}"
        for remark in section.remarks
    )


def _render_found(report: Report, notes: Footnotes) -> list[str]:
    """Render the page passages that answer lines of a "not found" list, with the section that lacks them."""
    items = dict.fromkeys(
        f"- {notes.render_quote(part)} (on “{escape_markdown(place)}”)"
        for place, parts in list_found(report).items()
        for part in parts
    )
    return [FOUND, "\n".join(items)] if items else []


def _describe_searches(heading: str, searches: list[Search]) -> str:
    """Return the searches that failed or found nothing, else those nearest to a section's heading."""
    failed = [search for search in searches if search.error]
    empty = [search for search in searches if not search.hits and not search.error]
    if not searches:
        return "No search was made."
    if failed or empty:
        why = f"Searches that failed ({escape_markdown(failed[0].error)})" if failed else ""
        both = ((why, failed), ("Found nothing", empty))
        return " ".join(f"{label}: {_join_queries(found)}." for label, found in both if found)
    words = _split_words(heading)
    shared = [len(words & _split_words(search.query)) for search in searches]
    if not any(shared):
        made = f"{len(searches)} searches were made" if searches[1:] else "One search was made"
        return f"{made}, none in these words."
    near = [s for s, count in zip(searches, shared, strict=True) if count == max(shared)]
    return f"Searched: {_join_queries(near)}."


def _split_words(text: str) -> set[str]:
    return set(re.findall(r"\w{3,}", text.casefold()))


def _join_queries(searches: list[Search]) -> str:
    return ", ".join(f"“{escape_markdown(search.query)}”" for search in searches)


def _describe_evidence(report: Report, notes: Footnotes, *, is_draft: bool) -> str:
    """Return how many claims are marked, and how many the judge left unjudged if there was one."""
    if is_draft:
        return DRAFT if notes.list_notes() else EMPTY_DRAFT
    total, bad, left = report.claims_total, report.claims_unsupported, report.claims_unjudged
    if not total:
        return "*No claim is made in this report.*"
    judged = "" if left is None else _describe_judging(total, left)
    if total == 1:
        how = (
            "is marked: its sources show it in part, or not"
            if bad
            else "was found in what it cites"
        )
        return f"*The one claim {how}.{judged}*"
    if bad:
        marked = f"{bad} ({bad / total:.0%}) are marked: their sources show them in part, or not."
        return f"*Of {total} claims, {marked}{judged}*"
    return f"*Of {total} claims, each was found in the sources it cites.{judged}*"


def _describe_judging(total: int, unjudged: int) -> str:
    """Return who judged the claims: code settles some by their words and figures alone, and a judge can fail."""
    if unjudged == total:
        return " Nobody judged whether the quotes say so."
    left = f"; {unjudged} ({unjudged / total:.0%}) were left unjudged" if unjudged else ""
    return f" A second reader judged what words and figures alone do not settle{left}."


def _render_sources(sources: list[Source], cited: set[int], *, noted: bool) -> Iterator[str]:
    """Yield the sources that are cited, then those that were read besides."""
    lines: dict[bool, list[str]] = {True: [], False: []}
    for number, source in enumerate(sources, start=1):
        notes = f" *({escape_markdown('; '.join(source.notes))})*" if noted and source.notes else ""
        lines[number in cited].append(f"- {list_source(number, source)}{notes}")
    yield from ("## Sources", "\n".join(lines[True]) or "No page is cited.")
    if lines[False]:
        yield from ("### Also read", "\n".join(lines[False]))

"""A report as Markdown: every claim with its numbered source and the quote it rests on."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from contracts.agents.workbench import Artifact
from contracts.evidence.claims import Claim
from contracts.evidence.sources import Source
from contracts.report.research import Comparison, Report, Search, Section

ARTIFACTS = "artifacts"
"""Path of an artifact's link: below the run's address, or beside the saved report."""
OFFLINE = (
    "> No model was called: this report was put together by Greenlight's offline stand-in, "
    "by rule, from the pages listed below."
)

MARKS = {"partly": "partly shown", "not_shown": "not shown", "contradicted": "contradicted"}
"""What a verdict is called; a supported claim carries no mark."""

DRAFT = "*This is a draft: it grows while the run reads. Each claim was found in what it cites.*"

_SPECIAL = re.compile(r"[\\`*_\[\]<>|~#]|&(?=#?\w+;)")


@lru_cache(maxsize=4_000)  # each patch of a report is told with a hash of all of it
def escape_markdown(text: str) -> str:
    """Return untrusted text on one line, without any Markdown or HTML of its own."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))


def render(
    report: Report,
    sources: list[Source],
    searches: list[Search] | None,
    *,
    offline: bool,
    artifacts: Sequence[Artifact] = (),
) -> str:
    """Return the whole report; `[n]` is the nth source, any other bracket is escaped.

    Without `searches` it is a draft: what it lacks may still come.
    """
    parts = [f"# {escape_markdown(report.title)}"]
    parts += [f"> **{escape_markdown(note)}**" for note in report.notes]
    if offline:
        parts.append(OFFLINE)
    if report.comparison:
        parts.append(_render_comparison(report.comparison))
    for section in report.sections:
        parts += _render_section(section, searches)
    if exhibits := [render_artifact(a) for a in artifacts if a.kind in ("table", "chart")]:
        parts += ["## Tables and charts", *exhibits]
    if report.comparison:
        parts += _render_quotes(report.comparison)
    parts += [_describe_evidence(report) if searches is not None else DRAFT]
    parts += _render_sources(sources, noted=searches is not None)
    return "\n\n".join(parts) + "\n"


def _render_claim(claim: Claim) -> str:
    """Return a claim's sentence, the numbers of its sources, and a flag if it is unsupported."""
    numbers = dict.fromkeys(c.source for c in claim.citations)
    flag = (
        f" **({MARKS[claim.verdict]}: {escape_markdown(claim.reason)})**"
        if claim.verdict in MARKS
        else ""
    )
    return f"{escape_markdown(claim.text)}{''.join(f' [{n}]' for n in numbers)}{flag}"


def _render_comparison(comparison: Comparison) -> str:
    rows = (
        [escape_markdown(row.label), *(_render_claim(c) if c else "–" for c in row.cells)]
        for row in comparison.rows
    )
    return _render_table(["", *map(escape_markdown, comparison.columns)], rows)


def _render_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = (f"| {' | '.join(cells)} |" for cells in rows)
    return "\n".join([f"| {' | '.join(head)} |", "|" + " --- |" * len(head), *lines])


def render_artifact(artifact: Artifact) -> str:
    """Return one table or chart under its caption."""
    name, link = escape_markdown(artifact.name), f"({ARTIFACTS}/{artifact.id})"
    if artifact.kind == "chart":
        note = f"\n\n*{escape_markdown(artifact.note)}*" if artifact.note else ""
        return f"**{name}**\n\n![{name}]{link}{note}"
    head, *rows = ([escape_markdown(cell) or "–" for cell in row] for row in artifact.preview)
    whole = f"[all {artifact.rows} rows]{link}"
    more = f"\n\n*The first {len(rows)} rows; {whole}.*" if len(rows) < artifact.rows else ""
    return f"**{name}**\n\n{_render_table(head, rows)}{more}"


def _render_quotes(comparison: Comparison) -> list[str]:
    """Return the table's quotes; they follow the text, which would start a page later otherwise."""
    notes = []
    for row in comparison.rows:
        for column, claim in zip(comparison.columns, row.cells, strict=True):
            for citation in claim.citations if claim else ():
                where = f"{escape_markdown(row.label)}, {escape_markdown(column)}"
                quote = escape_markdown(citation.quote)
                notes.append(f"- {where} [{citation.source}]: “{quote}”")
    return ["## Where the table's figures stand", "\n".join(notes)]


def _render_section(section: Section, searches: list[Search] | None) -> list[str]:
    parts = [f"## {escape_markdown(section.heading)}"]
    for claim in section.claims:
        quotes = [f"  > “{escape_markdown(c.quote)}” [{c.source}]" for c in claim.citations]
        line = f"- {_render_claim(claim)}"
        parts.append("\n".join([line, "", *"\n  >\n".join(quotes).split("\n")]) if quotes else line)
    if section.remarks:
        parts.append("\n".join(f"- {escape_markdown(remark)}" for remark in section.remarks))
    elif searches is None and not section.claims:
        parts.append(f"*{escape_markdown(section.missing) or 'Nothing is written here yet.'}*")
    elif not section.claims:
        missing = escape_markdown(section.missing) or "No evidence was found for this section."
        parts.append(f"*{missing}* {_describe_searches(section.heading, searches or [])}")
    elif section.missing:
        parts.append(f"*{escape_markdown(section.missing)}*")
    return parts


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
        return f"{len(searches)} searches were made, none in these words."
    near = [s for s, count in zip(searches, shared, strict=True) if count == max(shared)]
    return f"Searched: {_join_queries(near)}."


def _split_words(text: str) -> set[str]:
    return set(re.findall(r"\w{3,}", text.casefold()))


def _join_queries(searches: list[Search]) -> str:
    return ", ".join(f"“{escape_markdown(search.query)}”" for search in searches)


def _describe_evidence(report: Report) -> str:
    """Return how many claims are unsupported, and how many the judge left unjudged if there was one."""
    total, bad, left = report.claims_total, report.claims_unsupported, report.claims_unjudged
    if not total:
        return "*No claim is made in this report.*"
    unjudged = f"; {left} ({left / total:.0%}) were left unjudged" if left else ""
    judged = f" A second reader judged whether the quotes say so{unjudged}."
    judged = "" if left is None else judged
    if bad:
        return f"*Of {total} claims, {bad} ({bad / total:.0%}) are unsupported and marked.{judged}*"
    return f"*Of {total} claims, each was found in the sources it cites.{judged}*"


def _render_sources(sources: list[Source], *, noted: bool) -> list[str]:
    lines = []
    for number, source in enumerate(sources, start=1):
        about = ", ".join(map(escape_markdown, filter(None, (source.publisher, source.published))))
        notes = f" *({escape_markdown('; '.join(source.notes))})*" if noted and source.notes else ""
        title = escape_markdown(source.title or source.url) + (f" — {about}" if about else "")
        url = source.url.replace("<", "%3C").replace(">", "%3E")
        lines.append(f"{number}. {title}: <{url}>{notes}")
    return ["## Sources", "\n".join(lines) or "No page was read."]

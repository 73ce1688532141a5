"""A report as Markdown: every claim with its numbered source and the quote it rests on."""

import re
from collections.abc import Sequence

from contracts.agents.workbench import Artifact
from contracts.evidence.claims import Claim
from contracts.evidence.sources import Source
from contracts.report.research import Comparison, Report, Search, Section
from domain.report.escapes import escape_markdown
from domain.report.exhibits import render_artifacts

OFFLINE = (
    "> No model was called: this report was put together by Greenlight's offline stand-in, "
    "by rule, from the pages listed below."
)

DRAFT = "*This is a draft: it grows while the run reads. Each claim was found in what it cites.*"


def render(
    report: Report,
    sources: list[Source],
    searches: list[Search] | None,
    *,
    offline: bool,
    artifacts: Sequence[Artifact] = (),
) -> str:
    """Return the whole report; `[n]` is the nth source, any other bracket is escape_markdown.

    Without `searches` it is a draft: what it lacks may still come.
    """
    parts = [f"# {escape_markdown(report.title)}"]
    parts += [f"> **{escape_markdown(note)}**" for note in report.notes]
    if offline:
        parts.append(OFFLINE)
    if report.comparison:
        parts.append(_render_table(report.comparison))
    for section in report.sections:
        parts += _render_section(section, searches)
    parts += render_artifacts(artifacts)
    if report.comparison:
        parts += _render_quotes(report.comparison)
    parts += [_describe_evidence(report) if searches is not None else DRAFT]
    parts += _render_sources(sources, noted=searches is not None)
    return "\n\n".join(parts) + "\n"


def _format_markers(claim: Claim) -> str:
    numbers = dict.fromkeys(c.source for c in claim.citations)
    return "".join(f" [{number}]" for number in numbers)


def _format_flag(claim: Claim) -> str:
    return "" if claim.is_supported else f" **(unsupported: {escape_markdown(claim.reason)})**"


def _render_table(comparison: Comparison) -> str:
    head = ["", *map(escape_markdown, comparison.columns)]
    lines = [f"| {' | '.join(head)} |", "|" + " --- |" * len(head)]
    lines += [
        f"| {' | '.join([escape_markdown(row.label), *map(_render_cell, row.cells)])} |"
        for row in comparison.rows
    ]
    return "\n".join(lines)


def _render_cell(claim: Claim | None) -> str:
    return (
        f"{escape_markdown(claim.text)}{_format_markers(claim)}{_format_flag(claim)}"
        if claim
        else "–"
    )


def _render_quotes(comparison: Comparison) -> list[str]:
    """Return the table's quotes; they follow the text, which would start a page later otherwise."""
    notes = []
    for row in comparison.rows:
        for column, claim in zip(comparison.columns, row.cells, strict=True):
            for citation in claim.citations if claim else ():
                where = (
                    f"{escape_markdown(row.label)}, {escape_markdown(column)} [{citation.source}]"
                )
                notes.append(f"- {where}: “{escape_markdown(citation.quote)}”")
    return ["## Where the table's figures stand", "\n".join(notes)]


def _render_section(section: Section, searches: list[Search] | None) -> list[str]:
    parts = [f"## {escape_markdown(section.heading)}"]
    for claim in section.claims:
        quotes = [f"  > “{escape_markdown(c.quote)}” [{c.source}]" for c in claim.citations]
        line = f"- {escape_markdown(claim.text)}{_format_markers(claim)}{_format_flag(claim)}"
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
    parts = []
    if failed:
        parts.append(
            f"Searches that failed ({escape_markdown(failed[0].error)}): {_join_queries(failed)}."
        )
    if empty:
        parts.append(f"Found nothing: {_join_queries(empty)}.")
    if searches and not parts:
        parts.append(_describe_nearest(heading, searches))
    return " ".join(parts) or "No search was made."


def _describe_nearest(heading: str, searches: list[Search]) -> str:
    words = _split_words(heading)
    shared = [len(words & _split_words(search.query)) for search in searches]
    most = max(shared)
    near = [search for search, count in zip(searches, shared, strict=True) if count == most]
    if not most:
        return f"{len(searches)} searches were made, none in these words."
    return f"Searched: {_join_queries(near)}."


def _split_words(text: str) -> set[str]:
    return set(re.findall(r"\w{3,}", text.casefold()))


def _join_queries(searches: list[Search]) -> str:
    return ", ".join(f"“{escape_markdown(search.query)}”" for search in searches)


def _describe_evidence(report: Report) -> str:
    total, bad = report.claims_total, report.claims_unsupported
    if not total:
        return "*No claim is made in this report.*"
    judged = _describe_judgement(report)
    if bad:
        return f"*Of {total} claims, {bad} ({bad / total:.0%}) are unsupported and marked.{judged}*"
    return f"*Of {total} claims, each was found in the sources it cites.{judged}*"


def _describe_judgement(report: Report) -> str:
    """Return how many claims the judge left unjudged; empty where there was no judge."""
    left = report.claims_unjudged
    if left is None:
        return ""
    unjudged = f"; {left} ({left / report.claims_total:.0%}) were left unjudged" if left else ""
    return f" A second reader judged whether the quotes say so{unjudged}."


def _render_sources(sources: list[Source], *, noted: bool) -> list[str]:
    if not sources:
        return ["## Sources", "No page was read."]
    lines = [
        f"{number}. {_render_source(source)}{_render_notes(source) if noted else ''}"
        for number, source in enumerate(sources, start=1)
    ]
    return ["## Sources", "\n".join(lines)]


def _render_notes(source: Source) -> str:
    return f" *({escape_markdown('; '.join(source.notes))})*" if source.notes else ""


def _render_source(source: Source) -> str:
    about = [escape_markdown(part) for part in (source.publisher, source.published or "") if part]
    url = source.url.replace("<", "%3C").replace(">", "%3E")
    return f"{escape_markdown(source.title or source.url)}{' — ' if about else ''}{', '.join(about)}: <{url}>"

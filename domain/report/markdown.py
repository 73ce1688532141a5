"""A report as Markdown: every claim with its numbered source and the quote it rests on."""

import re
from collections.abc import Sequence

from contracts.agents.workbench import Artifact
from contracts.evidence.claims import Claim
from contracts.evidence.sources import Source
from contracts.report.research import Comparison, Report, Search, Section
from domain.report.escapes import escaped
from domain.report.exhibits import exhibits

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
    """Return the whole report; `[n]` is the nth source, any other bracket is escaped.

    Without `searches` it is a draft: what it lacks may still come.
    """
    parts = [f"# {escaped(report.title)}"]
    parts += [f"> **{escaped(note)}**" for note in report.notes]
    if offline:
        parts.append(OFFLINE)
    if report.comparison:
        parts.append(_table(report.comparison))
    for section in report.sections:
        parts += _section(section, searches)
    parts += exhibits(artifacts)
    if report.comparison:
        parts += _quotes(report.comparison)
    parts += [_evidence(report) if searches is not None else DRAFT]
    parts += _sources(sources, noted=searches is not None)
    return "\n\n".join(parts) + "\n"


def _marks(claim: Claim) -> str:
    numbers = dict.fromkeys(c.source for c in claim.citations)
    return "".join(f" [{number}]" for number in numbers)


def _flag(claim: Claim) -> str:
    return "" if claim.is_supported else f" **(unsupported: {escaped(claim.reason)})**"


def _table(comparison: Comparison) -> str:
    head = ["", *map(escaped, comparison.columns)]
    lines = [f"| {' | '.join(head)} |", "|" + " --- |" * len(head)]
    lines += [
        f"| {' | '.join([escaped(row.label), *map(_cell, row.cells)])} |" for row in comparison.rows
    ]
    return "\n".join(lines)


def _cell(claim: Claim | None) -> str:
    return f"{escaped(claim.text)}{_marks(claim)}{_flag(claim)}" if claim else "–"


def _quotes(comparison: Comparison) -> list[str]:
    """Return what the table rests on: after the text, which would start a page later otherwise."""
    notes = []
    for row in comparison.rows:
        for column, claim in zip(comparison.columns, row.cells, strict=True):
            for citation in claim.citations if claim else ():
                where = f"{escaped(row.label)}, {escaped(column)} [{citation.source}]"
                notes.append(f"- {where}: “{escaped(citation.quote)}”")
    return ["## Where the table's figures stand", "\n".join(notes)]


def _section(section: Section, searches: list[Search] | None) -> list[str]:
    parts = [f"## {escaped(section.heading)}"]
    for claim in section.claims:
        quotes = [f"  > “{escaped(c.quote)}” [{c.source}]" for c in claim.citations]
        line = f"- {escaped(claim.text)}{_marks(claim)}{_flag(claim)}"
        parts.append("\n".join([line, "", *"\n  >\n".join(quotes).split("\n")]) if quotes else line)
    if section.remarks:
        parts.append("\n".join(f"- {escaped(remark)}" for remark in section.remarks))
    elif searches is None and not section.claims:
        parts.append(f"*{escaped(section.missing) or 'Nothing is written here yet.'}*")
    elif not section.claims:
        missing = escaped(section.missing) or "No evidence was found for this section."
        parts.append(f"*{missing}* {_searched(section.heading, searches or [])}")
    elif section.missing:
        parts.append(f"*{escaped(section.missing)}*")
    return parts


def _searched(heading: str, searches: list[Search]) -> str:
    """Return which searches failed and which found nothing, else which asked for this section."""
    failed = [search for search in searches if search.error]
    empty = [search for search in searches if not search.hits and not search.error]
    parts = []
    if failed:
        parts.append(f"Searches that failed ({escaped(failed[0].error)}): {_listed(failed)}.")
    if empty:
        parts.append(f"Found nothing: {_listed(empty)}.")
    if searches and not parts:
        parts.append(_nearest(heading, searches))
    return " ".join(parts) or "No search was made."


def _nearest(heading: str, searches: list[Search]) -> str:
    words = _words(heading)
    shared = [len(words & _words(search.query)) for search in searches]
    most = max(shared)
    near = [search for search, count in zip(searches, shared, strict=True) if count == most]
    if not most:
        return f"{len(searches)} searches were made, none in these words."
    return f"Searched: {_listed(near)}."


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w{3,}", text.casefold()))


def _listed(searches: list[Search]) -> str:
    return ", ".join(f"“{escaped(search.query)}”" for search in searches)


def _evidence(report: Report) -> str:
    total, bad = report.claims_total, report.claims_unsupported
    if not total:
        return "*No claim is made in this report.*"
    judged = _judged(report)
    if bad:
        return f"*Of {total} claims, {bad} ({bad / total:.0%}) are unsupported and marked.{judged}*"
    return f"*Of {total} claims, each was found in the sources it cites.{judged}*"


def _judged(report: Report) -> str:
    """Return what a second reader had to say of the quotes, where one was asked."""
    left = report.claims_unjudged
    if left is None:
        return ""
    unjudged = f"; {left} ({left / report.claims_total:.0%}) were left unjudged" if left else ""
    return f" A second reader judged whether the quotes say so{unjudged}."


def _sources(sources: list[Source], *, noted: bool) -> list[str]:
    if not sources:
        return ["## Sources", "No page was read."]
    lines = [
        f"{number}. {_source(source)}{_notes(source) if noted else ''}"
        for number, source in enumerate(sources, start=1)
    ]
    return ["## Sources", "\n".join(lines)]


def _notes(source: Source) -> str:
    return f" *({escaped('; '.join(source.notes))})*" if source.notes else ""


def _source(source: Source) -> str:
    about = [escaped(part) for part in (source.publisher, source.published or "") if part]
    url = source.url.replace("<", "%3C").replace(">", "%3E")
    return (
        f"{escaped(source.title or source.url)}{' — ' if about else ''}{', '.join(about)}: <{url}>"
    )

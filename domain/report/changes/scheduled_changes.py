"""The changes between a scheduled run's report and the previous one, with the passages of both."""

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Literal

from contracts.evidence.sources import Source
from contracts.report.patches import TABLE
from contracts.report.report import Report
from contracts.runs.schedules import ChangedSentence, RunChanges
from domain.report.changes.follow_up_changes import find_new, list_changes
from domain.report.parts.links import is_on_web

MAX_TOLD = 10
MAX_CHARS = 500


def compare_scheduled(
    before: Report, sources_before: Sequence[Source], after: Report, sources: Sequence[Source]
) -> RunChanges:
    """Count new and removed sentences, and return the first of them with their evidence."""
    found = list_changes(before, after, ()).sections
    new = _describe("added", after, before, sources)
    gone = _describe("removed", before, after, sources_before)
    return RunChanges(
        added=sum(section.added for section in found),
        removed=sum(len(section.removed) for section in found),
        sentences=[*islice(chain(new, gone), MAX_TOLD)],
    )


def _describe(
    change: Literal["added", "removed"], report: Report, other: Report, sources: Sequence[Source]
) -> Iterator[ChangedSentence]:
    for section, text, claim in find_new(report, other):
        told = ChangedSentence(
            change=change, section="" if section == TABLE else section, text=_cut(text)
        )
        cited = next((c for c in claim.citations if 0 < c.source <= len(sources)), None)
        if cited:
            source = sources[cited.source - 1]
            on_web = is_on_web(source.url) and not source.local_path
            passage = {
                "quote": _cut(cited.quote),
                "source": _cut(source.title or source.own_path or source.host),
                "url": source.url if on_web else "",
            }
            told = told.model_copy(update=passage)
        yield told


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_CHARS else f"{line[: MAX_CHARS - 1]}…"

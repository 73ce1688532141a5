"""Merged lines on what was not found: each original line is ruled on separately."""

from collections.abc import Sequence
from itertools import chain

from contracts.report.checks import Gap
from contracts.report.patches import Patch
from contracts.report.report import Report

Parts = dict[tuple[str, str], list[str]]
"""The original lines of each merged line, by its heading and its text."""


def list_merged(patches: Sequence[Patch]) -> Parts:
    """Return the merged lines of a report’s changes, each with the lines that it replaced.

    A change that replaces lines by more than one new line does not say which replaces which, so it is not among
    them.
    """
    merged: Parts = {}
    for patch in patches:
        before = {*map(str.strip, patch.missing_before.splitlines())}
        new = [line for line in map(str.strip, patch.missing.splitlines()) if line not in before]
        if len(new) == 1 and len(patch.replaces) > 1:
            merged[patch.section, new[0]] = [*dict.fromkeys(patch.replaces)]
    return merged


def take_apart(gap: Gap, merged: Parts) -> list[Gap]:
    """Return a gap for each original line of a merged gap; any other gap is returned alone."""
    parts = merged.get((gap.place, gap.line))
    return [Gap(place=gap.place, line=line) for line in parts] if parts else [gap]


def put_together(
    report: Report, gaps: Sequence[Gap], parts: Sequence[Sequence[Gap]]
) -> tuple[Report, list[Gap]]:
    """Return the report and its gaps with the verdicts on the original lines of each merged gap applied.

    The merged line stays if the judge ruled on none of its original lines, or if no page that was read answers any of
    them; it then lists the unopened pages that may. Otherwise its original lines replace it, each with its own verdict.
    """
    ruled = list[Gap]()
    split: Parts = {}
    for gap, own in zip(gaps, parts, strict=True):
        verdicts = {part.verdict for part in own}
        if len(own) == 1:
            ruled += own
        elif verdicts <= {"not_told", "not_opened"} or verdicts == {None}:
            phrases = [*dict.fromkeys(chain.from_iterable(part.phrases for part in own))]
            pages = {page.url: page for part in own for page in part.not_opened}
            verdict = "not_opened" if pages else own[0].verdict
            told = {"verdict": verdict, "phrases": phrases, "not_opened": [*pages.values()]}
            ruled.append(gap.model_copy(update=told))
        else:
            split[gap.place, gap.line] = [part.line for part in own]
            ruled += own
    sections = [
        section.model_copy(
            update={"missing": "\n".join(_split_lines(section.heading, section.missing, split))}
        )
        if any(place == section.heading for place, _ in split)
        else section
        for section in report.sections
    ]
    return report.model_copy(update={"sections": sections, "gaps": [*report.gaps, *ruled]}), ruled


def _split_lines(heading: str, missing: str, split: Parts) -> list[str]:
    lines = map(str.strip, missing.splitlines())
    return [*chain.from_iterable(split.get((heading, line), [line]) for line in lines)]

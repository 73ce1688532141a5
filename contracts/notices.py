"""Notices: a code with parameters that explains something to a reader, and the catalogue of their English words."""

import re
from collections.abc import Iterable
from typing import Literal, cast

from pydantic import Field

from contracts.base import Contract
from contracts.documents import UnreadPart

Code = Literal[
    "run-unfinished",
    "run-failed",
    "run-rejected",
    "run-cancelled",
    "run-partial",
    "rejection",
    "rejection-unnamed",
    "phase-failed",
    "phase-partial",
    "phase-incomplete",
    "phase-skipped",
    "phase-blocked",
    "phase-unchecked",
    "searches-unmade",
    "report-insufficient",
    "budget-ended",
    "budget-ended-reading",
    "time-ended",
    "time-ended-reading",
    "steps-undone",
    "no-report",
    "no-result",
    "collections-reading",
    "collection-unread",
    "collection-gone",
    "documents-failed",
    "files-unopened",
    "unread-pages-without-text",
    "unread-pages-cut",
    "unread-text-cut",
    "unread-images",
    "unread-slides-hidden",
    "unread-sheets-hidden",
    "unread-rows-hidden",
    "unread-columns-hidden",
    "unread-sheets-cut",
    "unread-rows-cut",
    "unread-formulas-without-value",
    "unread-attachments",
    "unread-parts-encrypted",
    "unread-parts-broken",
    "unread-characters-broken",
    "unread-more",
    "warning",
]

WORDS: dict[Code, str] = {
    "run-unfinished": "This is a draft: the run has not ended yet ({status}).",
    "run-failed": "This run failed: the report is not finished.",
    "run-rejected": "This run was rejected before its end: the report is not finished.",
    "run-cancelled": "This run was cancelled before its end: the report is not finished.",
    "run-partial": "This run is partial: a part of the work is missing.",
    "rejection": "{by} rejected it: “{text}”",
    "rejection-unnamed": "The reason given: “{text}”",
    "phase-failed": "{phase} failed: {reason}",
    "phase-partial": "{phase} is partial: {reason} | {phase} are partial: {reason}",
    "phase-incomplete": "{phase} is partial: it lacks a result of {without}."
    " | {phase} are partial: they lack a result of {without}.",
    "phase-skipped": "{phase} was not done: {reason} | {phase} were not done: {reason}",
    "phase-blocked": "{phase} was not done: it needs the result of {without}."
    " | {phase} were not done: they need the result of {without}.",
    "phase-unchecked": "{phase} went on without a check: {reason}"
    " | {phase} went on without checks: {reason}",
    "searches-unmade": "{phase}: of the plan’s {of} searches, one was not made: {names}"
    " | {phase}: of the plan’s {of} searches, {n} were not made: {names}",
    "report-insufficient": "The report did not pass its validation: {reason}.",
    "budget-ended": "{phase} ended early: the run’s budget was used up.",
    "budget-ended-reading": "{phase} ended early for money, after {n} page: the run’s budget was used up."
    " | {phase} ended early for money, after {n} pages: the run’s budget was used up.",
    "time-ended": "{phase} ended early: its time was used up.",
    "time-ended-reading": "{phase} ended early for time, after {n} page: its time was used up."
    " | {phase} ended early for time, after {n} pages: its time was used up.",
    "steps-undone": "Of the plan, one step was not done: {steps}. | Of the plan, {n} steps were not done: {steps}.",
    "no-report": "This run wrote no report: what its phases gave is shown instead.",
    "no-result": "This run ended before anything of a report was written.",
    "collections-reading": "{done} of {n} documents of your collections are read.",
    "collection-unread": "{unread} of {n} documents of “{collection}” are not indexed yet: no search found them.",
    "collection-gone": "The collection “{collection}” was deleted: no search found its documents.",
    "documents-failed": "A document of “{collection}” cannot be read, and no search found it: {names}."
    " | {n} documents of “{collection}” cannot be read, and no search found them: {names}.",
    "files-unopened": "One file that you gave was not opened, and the report quotes nothing of it: {names}"
    " | {n} of the {of} files that you gave were not opened, and the report quotes nothing of them: {names}",
    "unread-pages-without-text": "{name}: {n} page[ of {of}] is an image without text[: {names}]"
    " | {name}: {n}[ of {of}] pages are images without text[: {names}]",
    "unread-pages-cut": "{name}: {n} page[ of {of}] was not read, as the document is too long[: {names}]"
    " | {name}: {n}[ of {of}] pages were not read, as the document is too long[: {names}]",
    "unread-text-cut": "{name}: {n} character[ of {of}] was not read, as the text is too long"
    " | {name}: {n}[ of {of}] characters were not read, as the text is too long",
    "unread-images": "{name}: {n} image[ of {of}] was not read[: {names}]"
    " | {name}: {n}[ of {of}] images were not read[: {names}]",
    "unread-slides-hidden": "{name}: {n} slide[ of {of}] is hidden and was not read[: {names}]"
    " | {name}: {n}[ of {of}] slides are hidden and were not read[: {names}]",
    "unread-sheets-hidden": "{name}: {n} sheet[ of {of}] is hidden and was not read[: {names}]"
    " | {name}: {n}[ of {of}] sheets are hidden and were not read[: {names}]",
    "unread-rows-hidden": "{name}: {n} row[ of {of}] is hidden and was not read[: {names}]"
    " | {name}: {n}[ of {of}] rows are hidden and were not read[: {names}]",
    "unread-columns-hidden": "{name}: {n} column[ of {of}] is hidden and was not read[: {names}]"
    " | {name}: {n}[ of {of}] columns are hidden and were not read[: {names}]",
    "unread-sheets-cut": "{name}: {n} sheet[ of {of}] was not read[: {names}]"
    " | {name}: {n}[ of {of}] sheets were not read[: {names}]",
    "unread-rows-cut": "{name}: {n} row[ of {of}] was not read[: {names}]"
    " | {name}: {n}[ of {of}] rows were not read[: {names}]",
    "unread-formulas-without-value": "{name}: {n} formula[ of {of}] has no stored value[: {names}]"
    " | {name}: {n}[ of {of}] formulas have no stored value[: {names}]",
    "unread-attachments": "{name}: {n} attachment[ of {of}] was not read[: {names}]"
    " | {name}: {n}[ of {of}] attachments were not read[: {names}]",
    "unread-parts-encrypted": "{name}: {n} part[ of {of}] is encrypted and was not read[: {names}]"
    " | {name}: {n}[ of {of}] parts are encrypted and were not read[: {names}]",
    "unread-parts-broken": "{name}: {n} part[ of {of}] is damaged and was not read[: {names}]"
    " | {name}: {n}[ of {of}] parts are damaged and were not read[: {names}]",
    "unread-characters-broken": "{name}: {n} character[ of {of}] could not be decoded"
    " | {name}: {n}[ of {of}] characters could not be decoded",
    "unread-more": "{n} more document was read in part | {n} more documents were read in part",
    "warning": "{text}",
}
"""The English words of each code; of a text in two parts, the first is for `n` = 1.

What stands in brackets is left out where a hole in it has no value.
"""
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_HOLE = re.compile(r"\{(\w+)\}")

Lack = Literal["no-report", "no-result"]
"""What a run without a report has in its place: what its phases gave, or nothing but the head."""


class Notice(Contract):
    """What a reader must know of a run or its report; each language has words for its code."""

    code: Code
    params: dict[str, str | int] = Field(default={}, description="what the words name, by hole")

    @property
    def text(self) -> str:
        """Its English words."""
        one, _, several = WORDS[self.code].partition(" | ")
        words = several if several and self.params.get("n") != 1 else one
        return _OPTIONAL.sub(self._keep_known, words).format_map(self.params)

    def _keep_known(self, part: re.Match[str]) -> str:
        return part[1] if set(_HOLE.findall(part[1])) <= self.params.keys() else ""


def tell_unread_parts(name: str, parts: Iterable[UnreadPart]) -> str:
    """Return in words, for a model, the parts of a document that were not read."""
    return "; ".join(tell_unread(name, part).text for part in parts)


def tell_unread(name: str, part: UnreadPart) -> Notice:
    """Return the notice of a part of a document that was not read."""
    params: dict[str, str | int] = {"name": name, "n": part.count}
    if part.of is not None:
        params["of"] = part.of
    if part.names:
        rest = ", …" if part.count > len(part.names) else ""
        params["names"] = ", ".join(part.names) + rest
    return Notice(code=cast("Code", f"unread-{part.code.replace('_', '-')}"), params=params)

"""Notices: a code with parameters that explains something to a reader, and the catalogue of their English words."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract

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
    "warning": "{text}",
}
"""The English words of each code; of a text in two parts, the first is for `n` = 1."""

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
        return words.format_map(self.params)

"""The head of a report: warnings, question, short answer, cost and time."""

from collections.abc import Iterable, Sequence
from typing import TypedDict

from contracts.notices import Lack, Notice, Told
from contracts.report.document import Block, Callout, Paragraph, ReportHead, Sentence
from contracts.runs.statuses import ENDED
from contracts.words import Language, say
from contracts.words.dollars import format_usd


def list_report_notices(status: str, notices: Sequence[Notice], lack: Lack | None) -> list[Notice]:
    """Return the notices above a run's report, or above its substitute.

    The findings of a validation are in the notes of the report itself.
    """
    told = [notice for notice in notices if notice.code != "report-insufficient"]
    is_draft = status not in ENDED
    draft = [Notice.of("run-unfinished", status=Notice.of(f"status-{status}"))] if is_draft else []
    return [*draft, *told, *([Notice.of(lack)] if lack else [])]


def build_opening(head: ReportHead, summary: str, language: Language) -> list[Block]:
    """Return the question as a block in the report's language, with the summary above the report."""
    named = {"question": head.question, "in-short": summary}
    return [
        Paragraph(sentences=[Sentence(lead=f"{say(language, code)}:", text=text)])
        for code, text in named.items()
        if text
    ]


def build_warnings(head: ReportHead, language: Language) -> list[Callout]:
    """Return what a run's report lacks and why as a block; none if the run completed."""
    recorded = head.recorded and head.recorded.notice
    first, *more = [n.say(language) for n in head.notices if n != recorded] or [""]
    return [Callout(title=first, lines=more)] if first else []


def describe_limits(
    head: ReportHead | None, searched: Sequence[Notice], *, offline: bool, language: Language
) -> str:
    """Return in one line the day, that no model was called, and what was searched in place of the web."""
    recorded = head.recorded if head else None
    stand_in = recorded.notice if recorded else Notice.of("offline-rule") if offline else None
    told = [each.say(language) for each in [stand_in, *searched] if each]
    return " · ".join([*([head.date[:10]] if head else []), *told])


def describe_facts(head: ReportHead, language: Language) -> str:
    """Return the day, the price, the model and how many sources were read, in one line."""
    price = say(language, "free") if head.offline else format_usd(head.usd, language)
    stand_in = head.recorded.notice.say(language) if head.recorded else say(language, "no-model")
    model = stand_in if head.offline else head.model
    read = say(language, "sources-read", n=head.sources_read)
    return " · ".join([head.date[:10], price, model, read])


def write_note(note: Told, language: Language) -> str:
    """Return a text unchanged, a notice as a sentence with a capital and an end."""
    if isinstance(note, str):
        return note
    words = note.say(language)
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "”", "“")) else ".")


class AnswerInHead(TypedDict):
    """The short answer of a report's head, empty if there is none, and the same without marks."""

    answer: str
    answer_unmarked: str


def find_answer(outputs: Iterable[object]) -> AnswerInHead:
    """Return the text of the last summary among phase outputs."""
    found = [output.get("summary") for output in outputs if isinstance(output, dict)]
    told = [each for each in found if isinstance(each, dict) and isinstance(each.get("text"), str)]
    last = told[-1] if told else {}
    return AnswerInHead(
        answer=str(last.get("text", "")), answer_unmarked=str(last.get("unmarked", ""))
    )

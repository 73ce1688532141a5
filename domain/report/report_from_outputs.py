"""A report built from the phase outputs of a run that wrote none: their sentences with evidence."""

from collections.abc import Iterable, Iterator

from pydantic import JsonValue

from contracts.agents.calculations_and_charts import Artifact
from contracts.base import Json
from contracts.notices import Lack, say_told
from contracts.report.report import Report, Search, Section
from contracts.runs.records import PhaseView
from contracts.words import Language, say, say_name
from contracts.words.question_language import detect_language
from domain.evidence.claims import find_claims, list_texts
from domain.report.claims.report_claims import count_claims

_SHOWN_ELSEWHERE = frozenset({"recall", "clarification", "planning", "hitl_checkpoint"})
"""Phase kinds whose output is a question, a plan or a decision."""
_NOT_TEXT = frozenset(
    {"findings", "gaps", "sources", "searches", "artifacts", "patches", "report", "end_reason"}
    | {
        "fundamentals",
        "news",
        "additions",
    }  # figures and pages, which are shown as tables and sources
)
"""Fields of an output that are read elsewhere than in its text."""
_TYPED = frozenset({"analysis", "decision", "review", "summary"})
"""Output fields whose schema a definition may choose; the report lists their values with the values' names."""


def replace_report(
    query: str,
    given: Iterable[tuple[PhaseView, Json | None]],
    artifacts: list[Artifact],
    *,
    offline: bool,
) -> tuple[Report, Lack]:
    """Return the substitute report of a run that ended without one: at least what was read."""
    if results := _build_results(query, given, artifacts, offline=offline):
        return results, "no-report"
    return Report(title=query[:200], sections=[], searches=[]), "no-result"


def _build_results(
    query: str,
    given: Iterable[tuple[PhaseView, Json | None]],
    artifacts: list[Artifact],
    *,
    offline: bool,
) -> Report | None:
    """Build a report with a section per phase; None if no phase produced anything to read."""
    language = detect_language(query)
    outputs = [
        (say_told(phase.called, language), output)
        for phase, output in given
        if output and phase.kind not in _SHOWN_ELSEWHERE
    ]
    written = [_build_section(title, output, language) for title, output in outputs]
    sections = [section for section in written if section.is_written or section.missing]
    if not (sections or (outputs and artifacts)):
        return None
    searches = [Search.read_record(s) for _, o in outputs for s in _read_list(o, "searches")]
    exhibits = [artifact.id for artifact in artifacts]
    report = Report(title=query[:200], sections=sections, searches=searches, exhibits=exhibits)
    return count_claims(report, is_judged=not offline)


def _build_section(title: str, output: Json, language: Language) -> Section:
    """Return a phase's claims, or else its other texts as an unchecked account."""
    own = {name: value for name, value in output.items() if name not in _NOT_TEXT}
    found = {claim.text: claim for claim in find_claims([own, output.get("findings")])}
    computed = [*_list_computed(own)]
    typed = {name: value for name, value in own.items() if name in _TYPED}
    others = {name: value for name, value in own.items() if name not in _TYPED}
    values = (line for value in typed.values() for line in _list_values(value, language))
    texts = [] if found or computed else [*values, *_list_sentences(others, language)]
    return Section(
        heading=title,
        claims=[claim for claim in found.values() if claim.verdict != "contradicted"],
        missing="\n".join(list_texts(_read_list(output, "gaps"))),
        remarks=computed,
        account="\n".join(texts),
    )


def _list_computed(value: JsonValue) -> Iterator[str]:
    """Yield the texts of sentiments, the parts that have a `spread`: code wrote them."""
    for part in value.values() if isinstance(value, dict) else ():
        if isinstance(part, dict) and "spread" in part:
            yield str(part.get("text", ""))


def _list_sentences(value: JsonValue, language: Language) -> Iterator[str]:
    """Yield the sentences and titles in a value, and whether a review accepts."""
    if isinstance(value, str) and " " in value:
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _list_sentences(item, language)
    elif isinstance(value, dict):
        if isinstance(accepted := value.get("accepted"), bool):
            yield say(language, "review-accepted" if accepted else "review-refused")
        yield from _list_sentences(list(value.values()), language)


def _list_values(value: JsonValue, language: Language, name: str = "") -> Iterator[str]:
    """Yield every value, a line each: a sentence as it is, any other with its name, as `Score: 7`."""
    if isinstance(value, dict):
        if isinstance(value.get("accepted"), bool):
            yield from _list_sentences({"accepted": value["accepted"]}, language)
        for part, inner in value.items():
            if part != "accepted":
                yield from _list_values(inner, language, part)
    elif isinstance(value, list):
        for item in value:
            yield from _list_values(item, language, name)
    elif isinstance(value, str) and (" " in value.strip() or not name):
        yield value
    elif value not in (None, ""):
        told = (
            say(language, "value-true" if value else "value-false")
            if isinstance(value, bool)
            else value
        )
        yield f"{say_name(language, name)}: {told}" if name else str(told)


def _read_list(output: Json, name: str) -> list[JsonValue]:
    value = output.get(name)
    return value if isinstance(value, list) else []

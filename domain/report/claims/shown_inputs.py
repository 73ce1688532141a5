"""Reports and analyses as a model reads them: each sentence once, and nothing that repeats them for other readers."""

from typing import Any

from pydantic import JsonValue, TypeAdapter, ValidationError

from contracts.base import Json
from contracts.evidence.claims import Claim
from contracts.notices import Told, say_told
from domain.evidence.claims import LEFT_OUT, find_claims, replace_claims

REPORT = "report"
"""The name of the output that holds a report."""
REPEATED = frozenset({"text", "asked_day"})
"""Fields of an analysis that repeat its points, or that no reader of them needs."""
UNSHOWN = frozenset(
    {"claims_total", "claims_unjudged", "claims_unsupported", "note_order", "source_notes"}
)
"""Fields of a report that count or number what it says."""
NOTICES = ("caveats", "losses", "notes")
"""Fields of a report that list notices."""
LOOKED_UP = ("line", "verdict", "left", "found")
"""What a reader has to know of a line that a page answers after all; others stand as they are in their sections."""
_TOLD: TypeAdapter[list[Told]] = TypeAdapter(list[Told])


def show_inputs(values: Json) -> Json:
    """Return the outputs of earlier phases by name, as a prompt shows them: without empty fields and repeated sentences.

    A sentence or a "not found" line that both an analysis and the report contain is shown in the report only. If the
    report's sentence has no id, it gets the one from the analysis, so that other sentences can still refer to it.
    """
    told = [value for name, value in values.items() if _is_report(name)]
    lines = {line for value in told for line in _list_missing(value)}
    shown: Json = {}
    for name, value in values.items():
        if _is_report(name):
            shown[name] = _show_report(_add_ids(value, values))
        else:
            shown[name] = _leave_out_told(value, told, lines)
    return shown


def _is_report(name: str) -> bool:
    return name.rpartition(".")[2] == REPORT


def _describe(claim: Claim) -> tuple[object, ...]:
    """Return what makes two sentences one: their words and their passages."""
    return (claim.text, *((cited.source, cited.quote) for cited in claim.citations))


def _add_ids(report: JsonValue, values: Json) -> JsonValue:
    """Return a report whose sentences without an id have that of the same sentence of an analysis."""
    parts = [value for name, value in values.items() if not _is_report(name)]
    ids = {_describe(claim): claim.id for claim in find_claims(parts) if claim.id}

    def name(said: Json, claim: Claim) -> Json:
        known = ids.get(_describe(claim))
        return said | {"id": known} if known and not claim.id else said

    return replace_claims(report, name)


def _leave_out_told(value: JsonValue, told: list[JsonValue], lines: set[str]) -> JsonValue:
    """Return an analysis without the sentences and lines that a report has, and without its short text."""
    if not (told and isinstance(value, dict)):
        return value
    known = {_describe(claim) for claim in find_claims(told)}

    def leave_out(said: Json, claim: Claim) -> Json:
        return LEFT_OUT if _describe(claim) in known else said

    kept: Any = replace_claims(value, leave_out)
    if isinstance(gaps := kept.get("gaps"), list):
        kept |= {"gaps": [gap for gap in gaps if not (isinstance(gap, str) and gap in lines)]}
    left = REPEATED if "points" in kept else frozenset()
    return {name: part for name, part in kept.items() if name not in left}


def _list_missing(report: JsonValue) -> list[str]:
    sections = report.get("sections") if isinstance(report, dict) else None
    texts = (
        part.get("missing")
        for part in (sections if isinstance(sections, list) else [])
        if isinstance(part, dict)
    )
    return [line for text in texts if isinstance(text, str) for line in text.splitlines()]


def _show_report(report: JsonValue) -> JsonValue:
    """Return a report without empty fields; of the lines that were looked up, those that a page answers."""
    if not isinstance(report, dict):
        return report
    gaps = report.get("gaps")
    found: list[JsonValue] = [
        {name: gap[name] for name in LOOKED_UP if gap.get(name)}
        for gap in (gaps if isinstance(gaps, list) else [])
        if isinstance(gap, dict) and gap.get("verdict") not in (None, "not_told")
    ]
    shown = {name: part for name, part in report.items() if name not in UNSHOWN}
    shown |= {name: _say(shown[name]) for name in NOTICES if name in shown}
    return _leave_out_empty(shown | {"gaps": found})


def _say(notices: JsonValue) -> JsonValue:
    """Return notices as English sentences. A value that is not a list of notices is returned unchanged."""
    try:
        return [say_told(told, "en") for told in _TOLD.validate_python(notices)]
    except ValidationError:
        return notices


def _leave_out_empty(value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return [_leave_out_empty(part) for part in value]
    if not isinstance(value, dict):
        return value
    parts = {name: _leave_out_empty(part) for name, part in value.items()}
    return {n: part for n, part in parts.items() if part not in ("", None, False, [], {})}

"""A crew's answers as a report: every claim with its quotes, whatever the tasks' schemas."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from pydantic import JsonValue, ValidationError

from contracts.agents.crews import CrewTask
from contracts.base import Json
from contracts.evidence.claims import Claim
from contracts.evidence.reasons import Reason
from contracts.notices import Notice
from contracts.report.report import Comparison, ComparisonRow, Section
from contracts.words import Language, say
from domain.evidence.claims import find_claims, list_texts, replace_claims
from domain.report.changes.patches import build_grid

GAPS = "gaps"
"""The field of a task's output that lists what it did not find."""

COMPARISON = "comparison"
"""The field of a task's output that sets figures side by side."""


def name_apart(task: str, output: Json) -> Json:
    """Return an output whose claims have ids of their task's own; what rests on them follows."""
    own = {claim.id for claim in find_claims(output) if claim.id}

    def tell(name: str) -> str:
        return f"{task}.{name}" if name in own else name

    def rename(said: Json, claim: Claim) -> Json:
        return said | {"id": tell(claim.id), "rests_on": [*map(tell, claim.rests_on)]}

    named: Any = replace_claims(output, rename)
    return dict(named)


def build_sections(
    task: CrewTask, output: Json | None, why: Notice | None, language: Language
) -> list[Section]:
    """Return a section for each of a task's lists, or one that says why there is nothing."""
    heading = task.title or _humanize(task.id)
    if output is None:
        return [Section(heading=heading, remarks=[say(language, "part-unfinished", why=why or "")])]
    gaps = "\n".join(list_texts(output.get(GAPS)))
    parts = {n: part for n, part in output.items() if n != GAPS and not _is_comparison(n, part)}
    named = {name: list(_read_claims(part)) for name, part in parts.items()}
    return [
        Section(
            heading=_name_section(heading, name, claims) if len(named) > 1 else heading,
            claims=claims,
            missing=gaps if n == len(named) else "",
        )
        for n, (name, claims) in enumerate(named.items(), start=1)
    ]


def put_conclusions_first(sections: Iterable[Section]) -> list[Section]:
    """Return the sections with those first that only conclude: what the crew recommends."""
    return sorted(sections, key=lambda section: not _only_concludes(section.claims))


def join_comparisons(outputs: Iterable[Json]) -> Comparison | None:
    """Return what the tasks set side by side as one table; None if they compared nothing."""
    tables = list(filter(None, (_read_comparison(output.get(COMPARISON)) for output in outputs)))
    columns = list(dict.fromkeys(column for table in tables for column in table.columns))
    grid: dict[str, dict[str, Claim | None]] = {}
    for table in tables:
        for label, cells in build_grid(table).items():
            grid.setdefault(label, {}).update({name: c for name, c in cells.items() if c})
    rows = [ComparisonRow(label=label, cells=[*map(c.get, columns)]) for label, c in grid.items()]
    return Comparison(columns=columns, rows=rows) if rows else None


def join_outputs(outputs: list[Json]) -> Json:
    """Return the tasks' fields side by side; lists of one name become one list."""
    analysis: Json = {}
    for output in outputs:
        for name, value in output.items():
            known = analysis.get(name)
            both = isinstance(known, list) and isinstance(value, list)
            analysis[name] = [*known, *value] if both else value  # type: ignore[misc]
    return analysis


def _is_comparison(name: str, value: JsonValue) -> bool:
    """Tell whether a field is a table, or null where there is none, which no section tells again."""
    return name == COMPARISON and (value is None or _read_comparison(value) is not None)


def _read_comparison(value: JsonValue) -> Comparison | None:
    """Return a field of an agent's output as a comparison, if it is one."""
    with suppress(ValidationError):
        table = Comparison.model_validate(value)
        return None if table.is_empty else table
    return None


def _name_section(heading: str, name: str, claims: list[Claim]) -> str:
    """Return the heading of one of a task's fields; what concludes is said for the whole crew."""
    if _only_concludes(claims):
        return _humanize(name)
    return f"{heading}: {_humanize(name).lower()}"


def _only_concludes(claims: list[Claim]) -> bool:
    return bool(claims) and all(claim.kind == "concluded" for claim in claims)


def _read_claims(value: JsonValue) -> Iterator[Claim]:
    """Yield the claims in a value; a text or an object that cites nothing is unsupported."""
    for item in value if isinstance(value, list) else [value]:
        if found := list(find_claims(item)):
            yield from found
        else:
            for text in _find_strings(item):
                yield Claim(text=text, citations=[]).rule("not_shown", Reason(code="uncited"))


def _find_strings(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str) and value.strip():
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _find_strings(part)


def _humanize(name: str) -> str:
    return name.replace("_", " ").replace("-", " ").capitalize()

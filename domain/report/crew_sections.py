"""A crew's answers as a report: every claim with its quotes, whatever the tasks' schemas."""

from collections.abc import Iterator

from pydantic import JsonValue

from contracts.agents.crews import CrewTask
from contracts.base import Json
from contracts.evidence.claims import Claim
from contracts.report.research import Section
from domain.evidence.claims import UNCITED, find_claims, list_texts

GAPS = "gaps"
"""The field of a task's output that lists what it did not find."""


def build_sections(task: CrewTask, output: Json | None, why: str) -> list[Section]:
    """Return a section for each of a task's lists, or one that says why there is nothing."""
    heading = task.title or _humanize(task.id)
    if output is None:
        return [Section(heading=heading, missing=f"This part was not finished: {why}.")]
    gaps = "\n".join(list_texts(output.get(GAPS)))
    named = {name: list(_read_claims(value)) for name, value in output.items() if name != GAPS}
    return [
        Section(
            heading=heading if len(named) == 1 else f"{heading}: {_humanize(name).lower()}",
            claims=claims,
            missing=gaps if n == len(named) else "",
        )
        for n, (name, claims) in enumerate(named.items(), start=1)
    ]


def join_outputs(outputs: list[Json]) -> Json:
    """Return the tasks' fields side by side; lists of one name become one list."""
    analysis: Json = {}
    for output in outputs:
        for name, value in output.items():
            known = analysis.get(name)
            both = isinstance(known, list) and isinstance(value, list)
            analysis[name] = [*known, *value] if both else value  # type: ignore[misc]
    return analysis


def _read_claims(value: JsonValue) -> Iterator[Claim]:
    """Yield the claims in a value; a text or an object that cites nothing is unsupported."""
    for item in value if isinstance(value, list) else [value]:
        if found := list(find_claims(item)):
            yield from found
        else:
            for text in _find_strings(item):
                yield Claim(text=text, citations=[], verdict="not_shown", reason=UNCITED)


def _find_strings(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str) and value.strip():
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _find_strings(part)


def _humanize(name: str) -> str:
    return name.replace("_", " ").replace("-", " ").capitalize()

"""What a crew found, as a report: every statement with its quotes, whatever the tasks' schemas."""

from collections.abc import Iterator

from pydantic import JsonValue

from contracts.agents.crews import CrewTask
from contracts.base import Json
from contracts.evidence.sources import Claim
from contracts.report.research import Section
from domain.evidence.statements import statement, texts

GAPS = "gaps"
"""The field in which a task says what it did not find."""


def sections(task: CrewTask, output: Json | None, why: str) -> list[Section]:
    """Return a section for each of a task's lists, or one that says why there is nothing."""
    heading = task.title or _words(task.id)
    if output is None:
        return [Section(heading=heading, missing=f"This part was not finished: {why}.")]
    gaps = " ".join(gap for gap in texts(output.get(GAPS)))
    named = {name: list(_claims(value)) for name, value in output.items() if name != GAPS}
    headings = {name: f"{heading}: {_words(name).lower()}" for name in named}
    if len(named) == 1:
        headings = dict.fromkeys(named, heading)
    found = [Section(heading=headings[name], claims=claims) for name, claims in named.items()]
    return [*found[:-1], found[-1].model_copy(update={"missing": gaps})] if found else []


def joined(outputs: list[Json]) -> Json:
    """Return the tasks' fields side by side; lists of one name become one list."""
    analysis: Json = {}
    for output in outputs:
        for name, value in output.items():
            known = analysis.get(name)
            both = isinstance(known, list) and isinstance(value, list)
            analysis[name] = [*known, *value] if both else value  # type: ignore[misc]
    return analysis


def _claims(value: JsonValue) -> Iterator[Claim]:
    """Yield the statements in a value: objects that cite, and texts that do not."""
    if isinstance(value, list):
        for item in value:
            yield from _claims(item)
    elif isinstance(value, str) and value.strip():
        yield Claim(text=value)
    elif isinstance(value, dict):
        yield from _record(value)


def _record(value: Json) -> Iterator[Claim]:
    """Yield an object that cites as one statement; of any other, what stands in it."""
    if found := statement(value):
        yield found
        return
    for part in value.values():
        yield from _claims(part)


def _words(name: str) -> str:
    return name.replace("_", " ").replace("-", " ").capitalize()

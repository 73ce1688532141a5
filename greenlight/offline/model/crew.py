"""Those among whom a plan parts its work: whom the reply's schema offers and an input describes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from greenlight.offline.model.knowledge import Field
from greenlight.offline.model.task import Task
from greenlight.offline.text.kin import mentions
from greenlight.offline.text.words import VAGUE, stem, stems

IDLE = frozenset(map(stem, VAGUE))


@dataclass(frozen=True)
class Member:
    """One of those who do the work; `field` is where a step names them."""

    id: str
    field: str
    said: str

    def likeness(self, field: Field) -> int:
        """Return how many words on a field are words on what the member does."""
        own = stems(self.said) - IDLE
        wanted = stems(f"{field.heading} {field.of_market}") - IDLE
        return sum(mentions(own, root) for root in wanted)


def members(task: Task) -> list[Member]:
    """Return those whom the schema offers for a part and an input describes, in its order."""
    described = [list(entries(data)) for data in task.conversation.json.values()]
    for name, options in offered(task.conversation.schema):
        for found in described:
            known = [entry for entry in found if entry["id"] in options]
            if known and len(known) == len(found):
                return [Member(e["id"], name, " ".join(texts(e))) for e in known]
    return []


def entries(data: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects of a list that have an id."""
    for item in data if isinstance(data, list) else []:
        if isinstance(item, dict) and isinstance(item.get("id"), str):
            yield item


def texts(entry: dict[str, Any]) -> Iterator[str]:
    """Yield the texts of an object, an id's words parted."""
    return (value.replace("_", " ") for value in entry.values() if isinstance(value, str))


def offered(schema: Any, name: str = "") -> Iterator[tuple[str, list[str]]]:
    """Yield every property that takes one of several texts, with those texts."""
    if isinstance(schema, list):
        for part in schema:
            yield from offered(part, name)
    if not isinstance(schema, dict):
        return
    options = schema.get("enum")
    if name and isinstance(options, list) and all(isinstance(o, str) for o in options):
        yield name, options
    properties = schema.get("properties")
    for key, part in properties.items() if isinstance(properties, dict) else ():
        yield from offered(part, key)
    for key, part in schema.items():
        if key not in ("properties", "enum", "const", "default"):
            yield from offered(part, name)


def shares(crew: list[Member], fields: list[Field]) -> dict[str, list[Field]]:
    """Return who looks up which fields: those nearest to what each does, the rest in turn.

    Where there are several, the last one looks up nothing: somebody has to conclude.
    """
    searching = crew[:-1] if len(crew) > 1 else crew
    parts: dict[str, list[Field]] = {member.id: [] for member in searching}
    rest = []
    for field in fields:
        nearest = max(searching, key=lambda member: member.likeness(field))
        if nearest.likeness(field):
            parts[nearest.id].append(field)
        else:
            rest.append(field)
    for n, field in enumerate(rest):
        parts[searching[n % len(searching)].id].append(field)
    return {name: sorted(taken, key=fields.index) for name, taken in parts.items()}

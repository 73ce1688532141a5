"""Tools that work with figures: which a schema offers, and what to put into them, once each."""

import json
import re
import unicodedata
from typing import Any

from greenlight.offline.model.comparison import Row, figures_of
from greenlight.offline.model.conversation import Call, Tool
from greenlight.offline.model.gazetteer import places
from greenlight.offline.model.refs import inlined
from greenlight.offline.model.task import Task
from greenlight.offline.text.words import clip, listed

Schema = dict[str, Any]
TEXTS = frozenset({"string"})
NUMBERS = frozenset({"number", "integer"})


def makings(task: Task) -> list[tuple[Tool, dict[str, Any]]]:
    """Return drafts for tools that take figures; none where no two figures are comparable."""
    made = {call.name for call in task.conversation.calls}
    fresh = [tool for tool in task.conversation.tools if tool.name not in made]
    rows = comparable(task) if fresh else []
    drafts = [(tool, draft(tool, rows)) for tool in fresh if rows]
    return [(tool, drawn) for tool, drawn in drafts if drawn]


def comparable(task: Task) -> list[Row]:
    """Return the measures that several things have, in one unit."""
    return [row for row in figures_of(task).best() if len(row.cells) > 1 and row.sizes]


def draft(tool: Tool, rows: list[Row]) -> dict[str, Any] | None:
    """Return what to give a tool, known by what it takes; None for any other tool."""
    takes = inlined(tool.schema.get("properties", {}), tool.schema)
    parts: dict[str, str] = {}
    for name, part in takes.items():
        parts.setdefault(shape(part), name)
    if "text" in parts and "named numbers" in parts:
        return computed(parts, rows[0])
    if "texts" in parts and "rows" in parts:
        return tabulated(parts, rows)
    if "series" in parts and ("texts" in parts or "values" in parts):
        return drawn(parts, takes, rows[0])
    return None


def shape(part: Schema) -> str:
    """Return what kind of thing a property takes."""
    branches = part.get("anyOf", [part])
    if all(branch.get("type") == "array" for branch in branches):
        return listing([branch.get("items", {}) for branch in branches])
    if part.get("type") == "object":
        values = part.get("additionalProperties", part.get("patternProperties"))
        return "named numbers" if kinds(values) <= NUMBERS and kinds(values) else "object"
    return "text" if kinds(part) == TEXTS and "enum" not in part else "other"


def listing(items: list[Schema]) -> str:
    """Return what kind of list it is, by its items."""
    if all(item.get("type") == "array" for item in items):
        return "rows"
    if all(item.get("type") == "object" for item in items):
        held = [shape(part) for item in items for part in item.get("properties", {}).values()]
        return "series" if "values" in held else "objects"
    found = set().union(*map(kinds, items))
    return "texts" if found >= TEXTS else "values" if found & NUMBERS else "list"


def kinds(part: Any) -> set[str]:
    """Return the types that a part of a schema allows, null left out."""
    if not isinstance(part, dict):
        return set()
    if "anyOf" in part:
        return set().union(*map(kinds, part["anyOf"]))
    if "type" not in part:
        return set().union(*map(kinds, part.values())) if part else set()
    allowed = part["type"]
    return set([allowed] if isinstance(allowed, str) else allowed) - {"null"}


def computed(parts: dict[str, str], row: Row) -> dict[str, Any]:
    """Return how many times the larger figure is the smaller one; of shares, their difference."""
    most, *_, least = row.ordered
    names = {name: variable(f"{name} {row.label}") for name in (most, least)}
    if not all(names.values()) or names[most] == names[least]:
        names = {most: "larger", least: "smaller"}
    is_share = any("%" in measure.value for measure in row.cells.values())
    sign = "-" if is_share or row.sizes[least] <= 0 else "/"
    return {
        parts["text"]: f"{names[most]} {sign} {names[least]}",
        parts["named numbers"]: {names[name]: row.sizes[name] for name in (most, least)},
    }


def variable(name: str) -> str:
    """Return a name as one may stand in an expression, or nothing."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    found = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:40]
    return found.strip("_") if found[:1].isalpha() else ""


def tabulated(parts: dict[str, str], rows: list[Row]) -> dict[str, Any]:
    """Return the figures as a table: a row for each measure, a column for each thing."""
    names = list(dict.fromkeys(name for row in rows for name in row.cells))
    told = [[row.cells[n].value if n in row.cells else None for n in names] for row in rows]
    labels = [row.label for row in rows]
    return {
        **titled(parts, f"{listed(names)}: figures side by side"),
        parts["texts"]: ["Measure", *names],
        parts["rows"]: [[label, *values] for label, values in zip(labels, told, strict=True)],
    }


def drawn(parts: dict[str, str], takes: Schema, row: Row) -> dict[str, Any]:
    """Return one measure of every thing, as bars where that can be chosen."""
    names, unit = row.ordered, next(iter(row.cells.values())).unit
    held = takes[parts["series"]]["items"]["properties"]
    series = {
        name: [row.sizes[n] for n in names] if shape(part) == "values" else row.label
        for name, part in held.items()
    }
    bars = {name: "bar" for name, part in takes.items() if "bar" in part.get("enum", ())}
    compared = "Country" if all(map(places, names)) else "What is compared"
    said = {"x_label": compared, "y_label": row.label, "unit": unit}
    return {
        **titled(parts, f"{row.label}: {listed(names)}"),
        **{name: text for name, text in said.items() if name in takes},
        **bars,
        parts.get("texts", "") or parts["values"]: names,
        parts["series"]: [series],
    }


def titled(parts: dict[str, str], title: str) -> dict[str, Any]:
    """Return the first text that a tool takes: what it makes is called."""
    return {parts["text"]: clip(title, 200)} if "text" in parts else {}


def told(task: Task) -> list[str]:
    """Return what the tools that took figures gave, in a line each."""
    found = (said(call) for call in task.conversation.calls if not call.failed)
    return [line for line in found if line]


def said(call: Call) -> str:
    """Return what a result says of itself: an id with its name, or a number with its origin."""
    for body in call.inputs.values():
        try:
            result = json.loads(body)
        except ValueError:
            continue
        if not isinstance(result, dict):
            continue
        if isinstance(result.get("id"), str):
            return f"{result.get('name', 'Made')} [{result['id']}]"
        numbers = [v for v in result.values() if isinstance(v, int | float)]
        texts = [v for v in result.values() if isinstance(v, str)]
        if numbers:
            return f"{' '.join(texts)} = {numbers[-1]:,.6g}"
    return ""

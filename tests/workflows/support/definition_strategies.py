"""Definitions as anybody might compose them, of every kind there is: some hold together."""

from functools import cache
from typing import Any

from hypothesis import strategies as st

from workflows.phases import PHASES

Drawn = st.SearchStrategy[Any]

GATED = ["planning", "hitl_checkpoint"]
BEGINNINGS = st.sampled_from(
    [GATED, [*GATED, "research"], ["recall", "clarification", *GATED, "research"], ["planning"], []]
)
"""Without one of these, the needs of most kinds are not met."""

KINDS = st.sampled_from(sorted(PHASES.keys() - {"edit"}))  # which is of another run's report


def _value(schema: dict[str, Any]) -> Drawn | None:
    """Return what a field of a config may hold, and a value or two that it may not."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    low = schema.get("minimum", schema.get("exclusiveMinimum", 0))
    known: dict[str, Drawn] = {
        "boolean": st.booleans(),
        "integer": st.sampled_from([low + 1, low + 2, low + 3] * 8 + [low, low - 1, "many"]),
        "number": st.sampled_from([low + 0.3, low + 600]),
        "string": st.text("abc ü🌞", max_size=5),
    }
    return known.get(schema.get("type", ""))


@cache
def configs(kind: str) -> Drawn:
    """Return configs of a kind, by its schema alone."""
    phase: Any = PHASES[kind].phase
    properties = phase().config.model_json_schema()["properties"]
    fields = {name: _value(schema) for name, schema in properties.items()}
    some = {name: value for name, value in fields.items() if value is not None}
    return st.fixed_dictionaries({}, optional=some)


def _bound(kind: str, ids: list[str], before: list[str]) -> Drawn:
    """Return a need bound to a phase before that provides it, where there is one."""
    phase: Any = PHASES[kind].phase
    needs = [need.name for need in PHASES[kind].needs(phase())] or ["plan"]
    able = [(n, id) for n in needs for id, k in zip(ids, before) if n in PHASES[k].provides]  # noqa: B905
    return st.sampled_from(able or [(n, id) for n in needs for id in ids]).map(
        lambda one: dict([one])
    )


@st.composite
def bodies(draw: st.DrawFn) -> dict[str, Any]:
    """Return what a user might send: phases of any kind, in any order, bound to anything."""

    def once_in(n: int) -> bool:
        return draw(st.integers(1, n)) == n

    more = draw(st.lists(KINDS, min_size=draw(st.integers(1, 5)), max_size=5))
    kinds = draw(BEGINNINGS) + more
    ids = [f"{kind}-{0 if once_in(30) else n}" for n, kind in enumerate(kinds)]
    phases: list[dict[str, Any]] = []
    for place, kind in enumerate(kinds):
        made: dict[str, Any] = {"kind": kind, "id": ids[place]}
        if once_in(4):
            some = [*ids, "nobody"] if once_in(4) else ids[:place]
            made["after"] = draw(st.lists(st.sampled_from(some), max_size=2)) if some else []
        if once_in(8):
            made["bind"] = draw(_bound(kind, ids, kinds[:place]))
        if once_in(8):
            made["enabled"] = False
        if once_in(3):
            made["config"] = draw(configs(kind))
        phases.append(made)
    return {"id": "any", "phases": phases}

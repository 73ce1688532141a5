"""Plans that differ in one field each, for every field that an approval covers."""

from collections.abc import Iterator
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel

from contracts.notices import Notice
from contracts.planning.plan import Plan
from contracts.tool_servers import PlannedServer, PlannedTool

NOTHING_TO_CHANGE = (list[PlannedServer], list[Notice])
"""Lists of models, which are changed by their first."""
SERVER = PlannedServer(
    name="stock",
    address="https://stock.example/mcp",
    max_calls=20,
    usd_per_call=0.01,
    tools=[PlannedTool(name="look_up", description="Finds.", changes=False, hash="0123456789ab")],
)


class ChangedPlan(NamedTuple):
    """A plan in which one field differs, with its new value, or the name of a flag, as a text.

    Views that have words for such a value show these.
    """

    field: str
    plan: Plan
    shown: str


def list_hashed_changes(plan: Plan) -> list[ChangedPlan]:
    """Return a change of each field that the plan's hash covers, found by changing every field of the model."""
    changes = [
        ChangedPlan(".".join(path), Plan.model_validate(dumped), shown)
        for path, dumped, shown in _change_each(plan)
    ]
    return [change for change in changes if change.plan.hash != plan.hash]


def group_changes(changes: list[ChangedPlan]) -> list[list[ChangedPlan]]:
    """Return the changes in as few groups as possible; no two of a group are recognized by the same text."""
    groups: list[list[ChangedPlan]] = []
    for change in changes:
        known = (group for group in groups if change.shown not in {one.shown for one in group})
        group = next(known, None)
        if group is None:
            groups.append(group := [])
        group.append(change)
    return groups


def apply_changes(plan: Plan, changes: list[ChangedPlan]) -> Plan:
    """Return the plan with all of these changes at once."""
    whole = plan.model_dump(mode="json")
    for change in changes:
        into, new = whole, change.plan.model_dump(mode="json")
        *above, name = change.field.split(".")
        for part in above:
            into, new = (
                one[part][0] if isinstance(one[part], list) else one[part] for one in (into, new)
            )
        into[name] = new[name]
    return Plan.model_validate(whole)


def _change_each(model: BaseModel) -> Iterator[tuple[list[str], dict[str, Any], str]]:
    whole = model.model_dump(mode="json")
    for name in type(model).model_fields:
        value = getattr(model, name)
        if value == [] and type(model).model_fields[name].annotation in NOTHING_TO_CHANGE:
            continue
        items = value if isinstance(value, list) else [value]
        if items and isinstance(items[0], BaseModel):
            for path, dumped, shown in _change_each(items[0]):
                rest = whole[name][1:] if isinstance(value, list) else None
                changed = dumped if rest is None else [dumped, *rest]
                yield [name, *path], {**whole, name: changed}, shown
            continue
        other, shown = _choose_other(type(model), name, value) or _change(name, value)
        yield [name], {**whole, name: other}, shown


def _choose_other(model: type[BaseModel], name: str, value: object) -> tuple[str, str] | None:
    """Return another allowed value of the field, or None if it has no fixed values."""
    named = [each for each in get_args(model.model_fields[name].annotation) if each != value]
    choices = [each for each in named if isinstance(each, str)]
    if not choices:
        return None
    return choices[0], choices[0]


def _change(name: str, value: object) -> tuple[object, str]:
    """Return another value of the same type, and the text by which it is recognized."""
    words = f"another {name.replace('_', ' ')}"
    match value:
        case None if name == "as_of":
            return "2010-06-30", "2010-06-30"
        case str():
            return words, words
        case list():
            return [*value, words], words
        case bool():
            return not value, name
        case float():
            return 77.25, "77.25"
        case int() | None:
            return 4321, "4321"
        case _:
            raise AssertionError(f"{name}: add a change for a {type(value).__name__}")

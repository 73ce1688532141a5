"""Differences between two plans: found field by field, and described in words."""

import json
import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from itertools import zip_longest

from pydantic import JsonValue

from contracts.planning.assumptions import Assumption
from contracts.planning.cost_estimate import CostEstimate
from contracts.planning.plan import Plan, PlanDraft, PlanStep, join_searches
from contracts.planning.plan_changes import PlanChange
from contracts.words import Language, say
from domain.report.formats.markdown import escape_markdown

LABELS = {
    "search_terms": "Searches",
    "geographical_scope": "Scope",
    "expanded_queries": "Further searches",
    "focus_areas": "Focus",
    "measures": "Measures",
    "not_held": "Likely not found here",
    "as_of": "As of",
    "max_age_days": "Age of sources in days",
    "wished_usd": "Amount that was named",
    "agent_role": "Role",
    "estimated_duration": "Time",
    "servers": "Tools",
    "estimated_cost": "Price",
}
NOTHING = "none"
"""The words for a field that is not set."""
_STEP_PATH = re.compile(r"steps\[(\d+)\](?:\.(\w+))?")


def list_plan_changes(before: PlanDraft, after: PlanDraft) -> list[PlanChange]:
    """Return every field in which two plans differ.

    Both lists of searches count as one unless only their split differs. Steps are aligned, so that an added
    or removed step is a single change.
    """
    old, new = before.model_dump(mode="json"), after.model_dump(mode="json")
    if before.searches != after.searches:
        old, new = join_searches(old), join_searches(new)
    for fields, plan in ((old, before), (new, after)):
        fields["servers"] = _list_tools(plan)
    found: list[PlanChange] = []
    for name in type(after).model_fields:
        if name == "steps":
            found += _list_step_changes(before.steps, after.steps)
        elif old.get(name) != new.get(name):
            found.append(PlanChange(path=name, before=old.get(name), after=new.get(name)))
    return found


def _list_tools(plan: PlanDraft) -> list[JsonValue]:
    """Return the servers of a plan and their tools, each as a line with all that is approved of it."""
    lines: list[JsonValue] = []
    for server in plan.servers if isinstance(plan, Plan) else []:
        price = f"{server.max_calls} × {server.usd_per_call:g} USD"
        lines.append(" · ".join([server.name, server.address, price]))
        for tool in server.tools:
            effect = "changes" if tool.changes else "reads"
            told = [server.name, tool.name, effect, tool.hash[:12], tool.description]
            lines.append(" · ".join(filter(None, told)))
        lines += [f"{server.name} · {note.text}" for note in server.notes]
    return lines


def merge_plan_changes(
    earlier: Iterable[PlanChange], later: Iterable[PlanChange]
) -> list[PlanChange]:
    """Return changes that were made one after the other, each field once: from its first value to its last."""
    merged = {change.path: change for change in earlier}
    for change in later:
        first = merged.get(change.path, change)
        merged[change.path] = change.model_copy(update={"before": first.before})
    return [change for change in merged.values() if change.before != change.after]


def _list_step_changes(before: list[PlanStep], after: list[PlanStep]) -> Iterator[PlanChange]:
    keys = [[step.model_dump_json() for step in steps] for steps in (before, after)]
    matcher = SequenceMatcher(None, keys[0], keys[1], autojunk=False)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        if tag == "equal":
            continue
        for old, new in zip_longest(range(start, end), range(new_start, new_end)):
            yield from _compare_steps(
                old if new is None else new,
                None if old is None else before[old],
                None if new is None else after[new],
            )


def _compare_steps(
    place: int, before: PlanStep | None, after: PlanStep | None
) -> Iterator[PlanChange]:
    if before is None or after is None:
        old, new = (step and step.model_dump(mode="json") for step in (before, after))
        yield PlanChange.model_validate({"path": f"steps[{place}]", "before": old, "after": new})
        return
    for name in PlanStep.model_fields:
        was, now = getattr(before, name), getattr(after, name)
        if was != now:
            yield PlanChange(path=f"steps[{place}].{name}", before=was, after=now)


def label_field(name: str) -> str:
    """Return what a plan's field is called."""
    return LABELS.get(name, name.replace("_", " ").capitalize())


def label_path(path: str) -> str:
    """Return what a changed path is called, e.g. `Step 2, role`; steps count from 1 there."""
    if (place := _STEP_PATH.fullmatch(path)) is None:
        return label_field(path)
    step = f"Step {int(place[1]) + 1}"
    return f"{step}, {label_field(place[2]).lower()}" if place[2] else step


def describe_change(change: PlanChange) -> list[str]:
    """Return what a field was and what it is, in lines of plain text.

    Of a list they are the items that were added (`+`) and removed (`-`).
    """
    before, after = change.before, change.after
    if isinstance(before, list) and isinstance(after, list):
        lines = [f"- {describe_value(item)}" for item in before if item not in after]
        lines += [f"+ {describe_value(item)}" for item in after if item not in before]
        return lines or [f"in another order: {describe_value(after)}"]
    if _STEP_PATH.fullmatch(change.path) and None in (before, after):
        return [f"+ {describe_value(after)}" if before is None else f"- {describe_value(before)}"]
    old, new = describe_value(before) or NOTHING, describe_value(after) or NOTHING
    if old == new:  # equal after formatting, e.g. below a hundredth of a cent
        old, new = json.dumps(before), json.dumps(after)
    return [f"{old} → {new}"]


def describe_value(value: JsonValue) -> str:
    """Return the value of a plan's field as one line; of a step with all that it says."""
    if isinstance(value, list):
        return "; ".join(map(describe_value, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, dict):
        return str(value or "")
    if "top_usd" in value:
        return describe_price(CostEstimate.model_validate(value))
    if "text" in value:
        return Assumption.model_validate(value).say("en")
    step = PlanStep.model_validate(value)
    alone = "independent" if step.independent else ""
    about = ", ".join(filter(None, [step.agent_role, step.estimated_duration, alone]))
    return f"{step.name} ({about}){step.description and f': {step.description}'}"


def describe_price(price: CostEstimate, language: Language = "en") -> str:
    """Return what a plan is expected to cost, at the least and at the most."""
    amounts = {"low": price.low_usd, "expected": price.expected_usd, "top": price.top_usd}
    return say(language, "price-range", **amounts)


def render_changes(changes: list[PlanChange]) -> str:
    """Return the changes of a plan since it was last shown, as Markdown."""
    if not changes:
        return "**Nothing changed since the plan before.**"
    rows = [
        f"- **{label_path(change.path)}:** {escape_markdown('; '.join(describe_change(change)))}"
        for change in changes
    ]
    return "\n".join(["**What changed since the plan before**", "", *rows])

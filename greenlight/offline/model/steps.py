"""The plan's steps: search, read and write; of a crew, what each member looks for."""

import math
from typing import Any

from greenlight.offline.model.crew import Member, members, shares
from greenlight.offline.model.knowledge import Field
from greenlight.offline.model.planning import fields_of, focus_areas, named, search_terms
from greenlight.offline.model.task import Task
from greenlight.offline.text.words import clip, listed

MOST_STEPS = 3
MANY_TERMS = 10
MANY_FIELDS = 4


def steps(task: Task) -> list[dict[str, Any]]:
    """Return the steps, no more than the user allows."""
    most = max(1, task.conversation.number("max_plan_steps", MOST_STEPS))
    if crew := members(task):
        return crew_steps(task, crew, most)
    every = [search_step(task), read_step(task), write_step(task)]
    while len(every) > most:
        first, second, *rest = every
        every = [joined(first, second), *rest]
    return [made | {"estimated_duration": lasting(made["estimated_duration"])} for made in every]


def crew_steps(task: Task, crew: list[Member], most: int) -> list[dict[str, Any]]:
    """Return steps for the members, as many as the user allows; the last one concludes."""
    parts = parted(shares(crew, fields_of(task)), max(most - 1, 1))
    made = [look_up_step(task, crew[0].field, name, fields) for name, fields in parts]
    if len(crew) > 1 and most > 1:
        concluding = {**write_step(task), "name": "Weigh what was found"}
        made.append(concluding | {crew[-1].field: crew[-1].id})
    return [s | {"estimated_duration": lasting(s["estimated_duration"])} for s in made]


def parted(shares: dict[str, list[Field]], most: int) -> list[tuple[str, list[Field]]]:
    """Return who looks up which fields in which step: large shares take several, if there are any."""
    parts = list(shares.items())[:most]
    while len(parts) < most:
        largest = max(range(len(parts)), key=lambda n: len(parts[n][1]))
        name, fields = parts[largest]
        if len(fields) < MANY_FIELDS:
            break
        half = (len(fields) + 1) // 2
        parts[largest : largest + 1] = [(name, fields[:half]), (name, fields[half:])]
    return parts


def look_up_step(task: Task, field: str, member: str, fields: list[Field]) -> dict[str, Any]:
    """Return the step of one who searches; each of its sentences heads what is looked up."""
    names = "; ".join(f.name.lower() for f in fields) or clip(task.topic, 80)
    where = f" in {named(task)}" if task.places else ""
    made = step(f"Look up {names}", "", member, 0.5)
    text = " ".join(f"{f.heading}." for f in fields) or f"Look for {clip(task.topic, 80)}{where}."
    return made | {"description": text, field: member}


def lasting(minutes: float) -> str:
    """Return a duration in words."""
    return f"{math.ceil(minutes)} min" if minutes >= 1 else "under 1 min"


def step(name: str, description: str, role: str, minutes: float) -> dict[str, Any]:
    """Return one step."""
    return {
        "name": name,
        "description": description,
        "agent_role": role,
        "estimated_duration": minutes,
    }


def minutes(task: Task) -> float:
    """Return how long each step takes, about."""
    return 1 if len(search_terms(task)) >= MANY_TERMS else 0.5


def joined(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return two steps as one."""
    name = f"{one['name']}, then {other['name'][:1].lower()}{other['name'][1:]}"
    description = f"{one['description']} {other['description']}"
    lasts = one["estimated_duration"] + other["estimated_duration"]
    return step(name, description, one["agent_role"], lasts)


def search_step(task: Task) -> dict[str, Any]:
    """Return the step that searches."""
    terms = len(search_terms(task))
    what = listed(focus_areas(task)[:5])
    where = f" for {named(task)}" if task.subjects else ""
    text = f"Send {terms} {'search' if terms == 1 else 'searches'}{where} on {what}."
    return step("Search for sources", text, "researcher", minutes(task))


def read_step(task: Task) -> dict[str, Any]:
    """Return the step that reads."""
    changes = f" Bear in mind: {clip(task.feedback, 200)}" if task.feedback else ""
    text = f"Read the pages that bear on it and copy figures and statements to the letter.{changes}"
    return step("Read and take notes", text, "researcher", minutes(task))


def write_step(task: Task) -> dict[str, Any]:
    """Return the step that writes."""
    weighed = f", weighing {listed(task.wishes[:3])}" if task.wishes else ""
    if len(task.subjects) > 1:
        names = listed([clip(subject, 40) for subject in task.subjects])
        text = f"Set {names} side by side and write what the sources support{weighed}."
    else:
        text = f"Write what the sources support and what they leave open{weighed}."
    return step("Compare and report", text, "synthesizer", minutes(task))

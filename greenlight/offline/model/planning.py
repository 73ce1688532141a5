"""The plan: what to search for, read and compare, from the question and what the user said."""

from itertools import accumulate
from typing import Any

from greenlight.offline.model.knowledge import Field, country_fields, general_fields, measured
from greenlight.offline.model.task import Task
from greenlight.offline.text.words import clip, listed

MOST_STEPS = 3
MOST_FIELDS = 6
MOST_TERMS, FEWEST_PARTS = 18, 4
LONGEST_TERM = 200


def named(task: Task) -> str:
    """Return the compared things, or nothing."""
    return listed([clip(subject, 40) for subject in task.subjects])


def subject(task: Task) -> str:
    """Return the topic as the beginning of a line."""
    about = clip(task.topic, 90)
    return about[:1].upper() + about[1:]


def fields_of(task: Task) -> list[Field]:
    """Return the fields to look up."""
    if task.places:
        return country_fields(task.topic, task.wishes)[:MOST_FIELDS]
    return list(general_fields(task.question))


def own_wishes(task: Task) -> list[str]:
    """Return the wishes that are no field of their own."""
    return [wish for wish in task.wishes if wish not in {f.name for f in fields_of(task)}]


def title(task: Task) -> str:
    """Return what the work is about in a line."""
    names = named(task)
    return f"{subject(task)}: {names}" if names and names != task.topic else subject(task)


def goal(task: Task) -> str:
    """Return what the user will have at the end."""
    table = " and the figures side by side" if len(task.subjects) > 1 else ""
    asked = clip(task.question, 300)
    names = f" for {named(task)}" if task.places else ""
    return f"Answer “{asked}”{names} from sources that anyone can open, every statement with its quote{table}."


def requirements(task: Task) -> list[str]:
    """Return what the user asked for, in the user's words."""
    changes = [f"Changed as asked: {line}" for line in task.feedback.splitlines()]
    said = [f"{question} — {answer}".removeprefix(" — ") for question, answer in task.answers]
    standing = task.conversation.text("instructions")
    issues = task.conversation.text("issues") and task.conversation.data("issues")
    mended = [f"Mend: {issue}" for issue in issues] if isinstance(issues, list) else []
    return [*changes, *said, *([standing] if standing else []), *mended]


def focus_areas(task: Task) -> list[str]:
    """Return what to look at: the subject, what the user named, what is measured of it."""
    names = [field.name for field in fields_of(task)]
    return list(dict.fromkeys([subject(task), *own_wishes(task), *names]))


def search_terms(task: Task) -> list[str]:
    """Return the searches: each compared thing with the topic and wishes, then with measures."""
    own = [] if task.topic == named(task) else [task.topic]
    context = "" if task.places or not own else f"{task.topic} "
    special = [" ".join(measured(task.topic)[:2])] if task.places else []
    measures = [context + " ".join(field.measures) for field in fields_of(task)]
    asked = " ".join([*own, *own_wishes(task)[:2]])
    parts = chunked(list(filter(None, [asked, *special, *measures])), len(task.subjects) or 1)
    terms = [f"{thing} {part}".strip() for part in parts for thing in task.subjects or [""]]
    return list(dict.fromkeys(clip(term, LONGEST_TERM) for term in terms))


def chunked(parts: list[str], things: int) -> list[str]:
    """Return the parts of the searches, the last ones joined where there would be too many."""
    most = max(FEWEST_PARTS, MOST_TERMS // things)
    sizes = [(len(parts) + n) // most for n in range(most)]
    ends = list(accumulate(sizes))
    chunks = (parts[end - size : end] for size, end in zip(sizes, ends, strict=True))
    return [" ".join(chunk) for chunk in chunks if chunk]


def expanded_queries(task: Task) -> list[str]:
    """Return the question in other words."""
    return [f"{title(task)}: {area}" for area in focus_areas(task)[1:4]] or [title(task)]


def geographical_scope(task: Task) -> str:
    """Return where the work looks."""
    return listed(task.places) or "not limited to a place"


def outline(task: Task) -> list[str]:
    """Return the report's sections."""
    headings = [field.heading for field in fields_of(task)]
    opening = ["In short"] if len(task.subjects) > 1 else []
    topic = [] if task.topic == named(task) else [subject(task)]
    return list(dict.fromkeys([*opening, *topic, *own_wishes(task), *headings]))


def assumptions(task: Task) -> list[str]:
    """Return what is taken for granted because the user left it open."""
    open_points = [f"Left to us: {question}" for question in task.left_open]
    taken = "Figures are taken as their sources state them, not converted or brought to one year."
    return [*open_points, taken]


def steps(task: Task) -> list[dict[str, Any]]:
    """Return the steps, no more than the user allows."""
    most = max(1, task.conversation.number("max_plan_steps", MOST_STEPS))
    every = [search_step(task), read_step(task), write_step(task)]
    while len(every) > most:
        first, second, *rest = every
        every = [joined(first, second), *rest]
    return every


def step(name: str, description: str, role: str, duration: str) -> dict[str, Any]:
    """Return one step."""
    return {
        "name": name,
        "description": description,
        "agent_role": role,
        "estimated_duration": duration,
    }


def joined(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return two steps as one."""
    name = f"{one['name']}, then {other['name'][:1].lower()}{other['name'][1:]}"
    description = f"{one['description']} {other['description']}"
    return step(name, description, one["agent_role"], "5 min")


def search_step(task: Task) -> dict[str, Any]:
    """Return the step that searches."""
    terms = len(search_terms(task))
    what = listed(focus_areas(task)[:5])
    where = f" for {named(task)}" if task.subjects else ""
    text = f"Send {terms} searches{where} on {what}."
    return step("Search for sources", text, "researcher", "2 min")


def read_step(task: Task) -> dict[str, Any]:
    """Return the step that reads."""
    changes = f" Bear in mind: {clip(task.feedback, 200)}" if task.feedback else ""
    text = f"Read the pages that bear on it and copy figures and statements to the letter.{changes}"
    return step("Read and take notes", text, "researcher", "3 min")


def write_step(task: Task) -> dict[str, Any]:
    """Return the step that writes."""
    weighed = f", weighing {listed(task.wishes[:3])}" if task.wishes else ""
    if len(task.subjects) > 1:
        text = f"Set {named(task)} side by side and write what the sources support{weighed}."
    else:
        text = f"Write what the sources support and what they leave open{weighed}."
    return step("Compare and report", text, "synthesizer", "2 min")

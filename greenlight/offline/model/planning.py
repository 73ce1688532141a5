"""The plan: what to search for, read and compare, from the question and what the user said."""

from typing import Any

from greenlight.offline.model import knowledge
from greenlight.offline.model.task import Task
from greenlight.offline.text.subject import runs
from greenlight.offline.text.words import clip, listed

MOST_STEPS = 3
MOST_AREAS = 8
MOST_TERMS = 24


def named(task: Task) -> str:
    """Return the compared things, or nothing."""
    return listed([clip(subject, 40) for subject in task.subjects])


def title(task: Task) -> str:
    """Return what the work is about in a line."""
    about = clip(task.topic, 90)
    about = about[:1].upper() + about[1:]
    return f"{about}: {named(task)}" if task.subjects else about


def goal(task: Task) -> str:
    """Return what the user will have at the end."""
    table = ", with the compared figures side by side" if len(task.subjects) > 1 else ""
    return f"Answer “{clip(task.question, 300)}” from sources that can be opened, each statement with its quote{table}."


def requirements(task: Task) -> list[str]:
    """Return what the user asked for, in the user's words."""
    said = [f"{question} {answer}".strip() for question, answer in task.answers]
    instructions = task.conversation.text("instructions")
    changes = [f"Asked to change: {task.feedback}"] if task.feedback else []
    return [*changes, *said, *([instructions] if instructions else [])]


def wishes(task: Task) -> list[str]:
    """Return what the user's answers and feedback add to the subject, as short phrases."""
    texts = [task.feedback, *(answer for _, answer in task.answers)]
    own = {task.topic.lower(), *(subject.lower() for subject in task.subjects)}
    found = [clip(run, 60) for text in texts for run in runs(text) if run.lower() not in own]
    return list(dict.fromkeys(found))


def focus_areas(task: Task) -> list[str]:
    """Return what to look at: what the user named, then what is measured of such a subject."""
    fields = [field.name for field in (*task_fields(task), *basics(task))]
    return list(dict.fromkeys([*fields, *wishes(task), task.topic]))[:MOST_AREAS]


def task_fields(task: Task) -> list[knowledge.Field]:
    """Return the fields of knowledge that the subject and the user's wishes call for."""
    return knowledge.fields(" ".join([task.topic, *wishes(task)]))


def basics(task: Task) -> tuple[knowledge.Field, ...]:
    """Return what matters of any country."""
    return knowledge.BASICS if task.places else ()


def search_terms(task: Task) -> list[str]:
    """Return the searches: for each compared thing the topic, its measures and the user's wishes."""
    special = knowledge.measured(task.topic)[:3] if task.places else []
    measures = (
        [field.measures for field in (*task_fields(task), *basics(task))] if task.places else []
    )
    topics = [task.topic, *wishes(task)[:3], *([", ".join(special)] if special else []), *measures]
    terms = [f"{subject} {part}" for part in topics for subject in task.subjects or [""]]
    return list(dict.fromkeys(clip(term, 200).strip() for term in terms))[:MOST_TERMS]


def expanded_queries(task: Task) -> list[str]:
    """Return the question in other words."""
    areas = focus_areas(task)[:3]
    return [f"{title(task)}: {area}" for area in areas]


def geographical_scope(task: Task) -> str:
    """Return where the work looks."""
    return named(task) if task.places else "not limited"


def steps(task: Task) -> list[dict[str, Any]]:
    """Return the steps, no more than the user allows."""
    about = title(task)
    areas = listed(focus_areas(task)[:4])
    every = [
        ("Search", f"Search for sources on {about}: {areas}.", "researcher", "2 min"),
        (
            "Read",
            "Read the best pages and note figures and statements with their quotes.",
            "researcher",
            "4 min",
        ),
        ("Compare and report", compare_step(task), "synthesizer", "2 min"),
    ]
    most = max(1, task.conversation.number("max_plan_steps", MOST_STEPS))
    while len(every) > most:
        first, second, *rest = every
        every = [
            (f"{first[0]} and {second[0].lower()}", f"{first[1]} {second[1]}", first[2], "6 min"),
            *rest,
        ]
    return [
        dict(zip(("name", "description", "agent_role", "estimated_duration"), s, strict=True))
        for s in every
    ]


def compare_step(task: Task) -> str:
    """Return what is done with the findings."""
    wished = f" Weigh {listed(wishes(task)[:3])}." if wishes(task) else ""
    if len(task.subjects) > 1:
        return f"Set {named(task)} side by side and write down what the sources support.{wished}"
    return f"Write down what the sources support, and what they leave open.{wished}"


def outline(task: Task) -> list[str]:
    """Return the report's sections."""
    fields = [field.name for field in (*task_fields(task), *basics(task))]
    about = clip(task.topic, 80)
    return list(dict.fromkeys([about[:1].upper() + about[1:], *wishes(task)[:2], *fields]))


def assumptions(task: Task) -> list[str]:
    """Return what is taken for granted because the user left it open."""
    open_points = (
        [] if task.answers else ["Nothing was said beyond the question; it is taken as it stands."]
    )
    return [*open_points, "Sources are taken at their word; figures are not adjusted or converted."]

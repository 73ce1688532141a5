"""Questions back to the user: about what the question leaves open, and nothing else."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from greenlight.offline.model.gazetteer import names_a_place
from greenlight.offline.model.knowledge import is_business, is_inquiry
from greenlight.offline.model.planning import is_open
from greenlight.offline.model.task import Task
from greenlight.offline.text.aspects import (
    states_criterion,
    states_means,
    states_people,
    states_purpose,
    states_time,
)
from greenlight.offline.text.words import clip, listed

MOST = 3
BROAD_WORDS = 7


@dataclass(frozen=True)
class Aspect:
    """Something a question may leave open, how to tell, and how to ask for it."""

    stated: Callable[[str], bool]
    ask: Callable[[Task], str]
    why: str
    choices: tuple[str, ...] = ()


def phrase(task: Task) -> str:
    """Return the subject in the user's words: with its article, in quotes where it has none."""
    topic = clip(task.topic, 70)
    article = re.search(rf"\b(?:the|a|an|my|our)\s+(?={re.escape(topic)})", task.question)
    if article:
        return article[0] + topic
    return topic if topic.endswith("s") else f"“{topic}”"


def deciding(task: Task) -> str:
    """Ask what the decision should rest on."""
    if len(task.subjects) > 1 and not task.region:
        sides = listed([clip(subject, 40) for subject in task.subjects])
        about = "" if task.topic == listed(task.subjects) else f" for {phrase(task)}"
        return f"What should count most when {sides} are compared{about}?"
    return f"What should count most when you judge {phrase(task)}?"


PART = Aspect(
    lambda said: len(said.split()) > BROAD_WORDS,
    lambda task: f"Which part of {phrase(task)} are you interested in?",
    "It covers many things; naming one keeps the searches narrow.",
)
PLACE = Aspect(
    names_a_place,
    lambda task: f"In which country or region do you want to look at {phrase(task)}?",
    "Figures, rules and competitors differ from place to place; it scopes the sources.",
)
ENTRY = Aspect(
    states_criterion,
    deciding,
    "It decides which figures are looked up first and what the conclusion rests on.",
    ("Size of the market", "Ability to pay", "Cost and ease of entry", "Risk and stability"),
)
MERIT = Aspect(
    states_criterion,
    deciding,
    "It decides what is looked up first and what the conclusion rests on.",
    ("Cost", "Quality", "Ease of use", "Reliability"),
)
SEGMENT = Aspect(
    states_people,
    lambda task: f"Which customers do you have in mind for {phrase(task)}?",
    "Who buys decides which figures stand for demand and for the ability to pay.",
    ("Private households", "Small businesses", "Large companies", "Public bodies or NGOs"),
)
TIMING = Aspect(
    states_time,
    lambda task: f"How soon do you want to act on {phrase(task)}?",
    "It decides whether present figures or trends weigh more, and how old a source may be.",
    ("Within a year", "In one to three years", "Later than that"),
)
BUDGET = Aspect(
    states_means,
    lambda task: f"What budget or other limits do you have for {phrase(task)}?",
    "What is beyond your means can be left out before anything is read.",
)
PERIOD = Aspect(
    states_time,
    lambda task: f"Which years or months of {phrase(task)} matter to you?",
    "Figures change from year to year; it decides which of them lead.",
)
PURPOSE = Aspect(
    states_purpose,
    lambda task: f"What will you decide or do with the answer on {phrase(task)}?",
    "It decides how deep to go and what the report should open with.",
)
KNOWN = Aspect(
    lambda said: "already" in said.lower(),
    lambda task: f"What do you already know about {phrase(task)} that need not be searched again?",
    "It keeps the searches to what is new to you.",
)

ENTERING: tuple[Aspect, ...] = (PART, PLACE, ENTRY, SEGMENT, TIMING, BUDGET, PURPOSE, KNOWN)
CHOOSING: tuple[Aspect, ...] = (MERIT, BUDGET, PURPOSE, TIMING, PLACE, KNOWN)
INQUIRING: tuple[Aspect, ...] = (PERIOD, PURPOSE, KNOWN)
ESSENTIAL = (PART, PLACE, ENTRY, MERIT, SEGMENT)
"""What has to be known before a plan can be made."""


def questions(task: Task) -> list[dict[str, Any]]:
    """Return up to three questions about what is open.

    In a later round, and where none need be asked, only what matters most is.
    """
    most = min(task.conversation.number("max_questions", MOST), MOST)
    least = task.conversation.number("min_questions", 1)
    is_first = not task.answers and not task.left_open
    wanted = is_first and least > 0
    if not wanted and task.places and is_inquiry(task.question):
        return []  # what is asked for is said, and where
    asked = [aspect for aspect in open_aspects(task) if wanted or aspect in ESSENTIAL]
    return [as_question(aspect, task) for aspect in asked[:most]]


def open_aspects(task: Task) -> list[Aspect]:
    """Return what is left open and was not asked before, the most consequential first."""
    said = stated(task)
    if is_open(task) and not task.places:
        order = INQUIRING
    elif not task.places and not is_business(task.question):
        order = CHOOSING
    elif len(task.subjects) > 1 and not task.region:
        order = (ENTRY, *(aspect for aspect in ENTERING if aspect not in (PART, ENTRY)))
    else:
        order = ENTERING
    return [a for a in order if not a.stated(said) and a.ask(task) not in task.left_open]


def stated(task: Task) -> str:
    """Return everything that the user has said so far."""
    about = [
        str(task.startup.get(k, "")) for k in ("description", "industry", "geographical_scope")
    ]
    return " \n".join([task.question, *(answer for _, answer in task.answers), *about])


def as_question(aspect: Aspect, task: Task) -> dict[str, Any]:
    """Return an aspect as a question with its reason."""
    return {
        "question": aspect.ask(task),
        "context": aspect.why,
        "kind": "choice" if aspect.choices else "text",
        "choices": list(aspect.choices),
    }

"""Questions back to the user: about what the question leaves open, and nothing else."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from greenlight.offline.model.gazetteer import names_a_place
from greenlight.offline.model.task import Task
from greenlight.offline.text.words import clip, listed

MOST = 3

TIME = re.compile(
    r"\b(?:(?:19|20)\d\d|q[1-4]|today|now(?:adays)?|current(?:ly)?|immediately|decades?|"
    r"(?:this|next|last|coming|past|within)\s+(?:\w+\s+){0,2}(?:year|month|quarter|week|decade)s?|"
    r"\d+\s*-?\s*(?:year|month|week|quarter|day)s?|(?:short|medium|long)[- ](?:term|run)|by the end)\b",
    re.IGNORECASE,
)
PEOPLE = re.compile(
    r"\b(?:b2b2?c?|b2c|b2g|smes?|smbs?|customers?|consumers?|clients?|users?|buyers?|business(?:es)?|"
    r"enterprises?|compan(?:y|ies)|corporates?|startups?|start-ups?|households?|famil(?:y|ies)|"
    r"schools?|students?|pupils|hospitals?|patients?|clinics?|governments?|public sector|ngos?|"
    r"children|kids|parents|teenagers|seniors|elderly|women|men|people|tourists?|smallholders?|"
    r"cooperatives?|freelancers?|professionals?|investors?|employees|staff|teams?|"
    r"\w{3,}(?:keepers|makers|growers|owners|holders|workers|farmers|dealers|sellers|teachers|"
    r"drivers|designers|developers|engineers|managers|retailers|manufacturers|gardeners|builders|"
    r"ists|icians))\b|\bfor (?:\w+ ){0,2}(?!computers|containers|papers|motors|sensors)\w{3,}(?:ers|ors)\b",
    re.IGNORECASE,
)
CRITERION = re.compile(
    r"\b(?:cost|cheap|price|profit|margin|revenue|growth|grow|risk|safe|demand|return|roi|speed|fast|"
    r"quick|quality|impact|sustainab|market size|regulat|easiest|ease|reliab|efficien|afford)\w*",
    re.IGNORECASE,
)
MONEY = re.compile(
    r"[$€£¥]|\b(?:budget|capital|funding|fund|spend|invest\w*|usd|eur|million|bootstrap\w*)\b",
    re.IGNORECASE,
)
PURPOSE = re.compile(
    r"\b(?:because|so that|in order to|to decide|for (?:a|my|our) (?:pitch|thesis|board|talk|paper))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Aspect:
    """Something a question may leave open, how to tell, and how to ask for it."""

    stated: Callable[[str], object]
    ask: Callable[[Task], str]
    why: Callable[[Task], str]
    choices: tuple[str, ...] = ()


def phrase(task: Task) -> str:
    """Return the subject in the user's words, short enough for a question."""
    return clip(task.topic, 70)


def sides(task: Task) -> str:
    """Return the compared things as one phrase."""
    return listed([clip(subject, 40) for subject in task.subjects])


def deciding(task: Task) -> str:
    """Ask what the decision should rest on."""
    if len(task.subjects) > 1:
        return f"What should count most when {sides(task)} are compared for {phrase(task)}?"
    return f"What should count most when {phrase(task)} is judged?"


ASPECTS = {
    "part": Aspect(
        lambda text: len(text.split()) > 7,
        lambda task: f"Which part of {phrase(task)} are you interested in?",
        lambda task: f"“{phrase(task)}” covers many things; naming one keeps the search narrow.",
    ),
    "criterion": Aspect(
        CRITERION.search,
        deciding,
        lambda task: (
            "It decides which figures are compared first and what the conclusion rests on."
        ),
        ("Size of the market", "Ability to pay", "Cost and ease of entry", "Risk and stability"),
    ),
    "place": Aspect(
        names_a_place,
        lambda task: f"Which country or region should {phrase(task)} be looked at in?",
        lambda task: (
            "Figures, rules and competitors differ from place to place; it scopes the sources."
        ),
    ),
    "segment": Aspect(
        PEOPLE.search,
        lambda task: (
            f"Who would buy or use it: which customers do you have in mind for {phrase(task)}?"
        ),
        lambda task: "The customer decides which numbers measure demand and ability to pay.",
        ("Private households", "Small businesses", "Large companies", "Public bodies or NGOs"),
    ),
    "time": Aspect(
        TIME.search,
        lambda task: f"How soon do you want to act on {phrase(task)}?",
        lambda task: (
            "It decides whether present figures or trends weigh more, and how old a source may be."
        ),
        ("Within a year", "One to three years", "Longer than three years"),
    ),
    "budget": Aspect(
        MONEY.search,
        lambda task: f"What budget or other limits apply to {phrase(task)}?",
        lambda task: "Options beyond your means can be left out before anything is read.",
    ),
    "purpose": Aspect(
        PURPOSE.search,
        lambda task: f"What will you decide or do with the answer about {phrase(task)}?",
        lambda task: "It decides how deep to go and what the report should open with.",
    ),
    "known": Aspect(
        lambda text: "already" in text.lower(),
        lambda task: (
            f"What do you already know about {phrase(task)} that need not be searched again?"
        ),
        lambda task: "It keeps the search to what is new to you.",
    ),
}
ORDER = ("part", "place", "criterion", "segment", "time", "budget", "purpose", "known")


def questions(task: Task) -> list[dict[str, Any]]:
    """Return up to three questions about what is open, the most consequential first."""
    most = min(task.conversation.number("max_questions", MOST), MOST)
    return [as_question(ASPECTS[name], task) for name in open_aspects(task)][:most]


def open_aspects(task: Task) -> list[str]:
    """Return what is left open and was not asked before, the most consequential first."""
    said = stated(task)
    order = sorted(ORDER, key=lambda name: name != "criterion") if len(task.subjects) > 1 else ORDER
    fresh = [name for name in order if is_open(name, task, said)]
    return [name for name in fresh if ASPECTS[name].ask(task) not in task.left_open]


def stated(task: Task) -> str:
    """Return everything that the user has said so far."""
    about = [
        str(task.startup.get(k, "")) for k in ("description", "industry", "geographical_scope")
    ]
    return " \n".join([task.question, *(answer for _, answer in task.answers), *about])


def is_open(name: str, task: Task, said: str) -> bool:
    """Tell whether an aspect is left open; a part is asked for only where the topic is broad."""
    broad = len(task.topic.split()) <= 2 and len(task.subjects) < 2
    return (name != "part" or broad) and not ASPECTS[name].stated(said)


def as_question(aspect: Aspect, task: Task) -> dict[str, Any]:
    """Return an aspect as a question with its reason."""
    return {
        "question": aspect.ask(task),
        "context": aspect.why(task),
        "kind": "choice" if aspect.choices else "text",
        "choices": list(aspect.choices),
    }

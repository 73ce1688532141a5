"""What a question is about: the things it compares, and the topic it asks of them."""

import re

from greenlight.offline.text.aspects import states_people
from greenlight.offline.text.words import ASKING, STOP, VAGUE, WORD

NAME = r"[A-Z0-9][\w.&+\-]*(?: [A-Z0-9][\w.&+\-]*)*"
JOINT = r"(?:\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or|vs\.?|versus|over|against)\s+)(?:the\s+|an?\s+)?"
NAMES = re.compile(rf"{NAME}(?:{JOINT}{NAME})+")
EITHER = re.compile(r"\s+(?:or|vs\.?|versus)\s+", re.IGNORECASE)
LONGEST_TOPIC, LONGEST_SIDE = 6, 3


def idle(word: str) -> bool:
    """Tell whether a word says nothing about the subject."""
    return word.lower() in STOP or word.lower() in ASKING


def runs(text: str) -> list[str]:
    """Return the stretches of a text between idle words and punctuation."""
    found: list[list[str]] = [[]]
    end = 0
    for match in WORD.finditer(text):
        if text[end : match.start()].strip(" \t\n'’\"“”"):
            found.append([])
        end = match.end()
        if idle(match[0]):
            found.append([])
        else:
            found[-1].append(match[0])
    return [" ".join(run) for run in found if run]


def compared(question: str) -> list[str]:
    """Return the two or more things that a question sets side by side, if it does."""
    listing = NAMES.search(without_opening(question))
    found = re.split(JOINT, listing[0]) if listing else either_side(question)
    names = list(dict.fromkeys(part.strip(" .") for part in found if part.strip(" .")))
    return names if len(names) > 1 else []


def without_opening(question: str) -> str:
    """Return a question without the idle words that begin it."""
    text = question.strip()
    while (first := WORD.match(text)) and idle(first[0]):
        text = text[first.end() :].lstrip()
    return text


def without_idle_ends(text: str) -> str:
    """Return a text without the idle words and punctuation at both ends."""
    telling = [match for match in WORD.finditer(text) if not idle(match[0])]
    return text[telling[0].start() : telling[-1].end()] if telling else ""


def either_side(question: str) -> list[str]:
    """Return the words that stand directly on both sides of an `or`."""
    sides = EITHER.split(question, maxsplit=1)
    if len(sides) < 2:
        return []
    before = [match[0] for match in WORD.finditer(sides[0])][::-1]
    after = [match[0] for match in WORD.finditer(sides[1])]
    return [" ".join(until_idle(before)[::-1]), " ".join(until_idle(after))]


def until_idle(words: list[str]) -> list[str]:
    """Return the first words up to one that says nothing; none where that is too many."""
    count = next((n for n, word in enumerate(words) if idle(word)), len(words))
    return words[:count] if count <= LONGEST_SIDE else []


def without(names: list[str], text: str) -> str:
    """Return a text with names blanked out."""
    for name in filter(None, names):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " / ", text)
    return text


TOWARDS = re.compile(
    r"\b(?:for|among|amongst|serving|targeting|"
    r"(?:sell|offer|supply|rent|lease|lend)(?:ing)?\b[^.;?!]{3,80}?\bto)\s+",
    re.IGNORECASE,
)
LONGEST_SEGMENT = 3


def segment(question: str) -> str:
    """Return the people that a question speaks of as buyers, if it does."""
    for rest in TOWARDS.split(question)[1:]:
        following = re.split(r"[,.;?!]", rest)[0].split()[:LONGEST_SEGMENT]
        for length in range(len(following), 0, -1):
            if not any(map(idle, following[:length])) and is_people(following[length - 1]):
                return " ".join(following[:length])
    return ""


def is_people(word: str) -> bool:
    """Tell whether a word means people."""
    return states_people(f"for {word}")


def topic(question: str, subjects: list[str]) -> str:
    """Return the longest stretch that is not one of the compared things."""
    rest = without([segment(question), *subjects], question)
    found = [run.split()[:LONGEST_TOPIC] for run in runs(rest) or runs(without(subjects, question))]
    return max((" ".join(run) for run in found), key=tells, default="")


def tells(run: str) -> tuple[bool, int, int]:
    """Return how much a stretch says: whether it names a subject at all, then how long it is."""
    names = any(word.lower() not in VAGUE for word in run.split())
    return names, run.count(" "), len(run)

"""What a question is about: the things it compares, and the topic it asks of them."""

import re

from greenlight.offline.text.words import ASKING, STOP, WORD

NAME = r"[A-Z0-9][\w.&+\-]*(?: [A-Z0-9][\w.&+\-]*)*"
NAMES = re.compile(rf"{NAME}(?:\s*,\s*{NAME})*,?\s+(?:and|or|vs\.?|versus|over|against)\s+{NAME}")
SPLIT = re.compile(r"\s*,\s*|,?\s+(?:and|or|vs\.?|versus|over|against)\s+")
EITHER = re.compile(r"\s+(?:or|vs\.?|versus)\s+", re.IGNORECASE)
LONGEST = 6


def idle(word: str) -> bool:
    """Tell whether a word says nothing about the subject."""
    return word.lower() in STOP or word.lower() in ASKING


def runs(text: str) -> list[str]:
    """Return the stretches of a text between idle words and punctuation."""
    found: list[list[str]] = [[]]
    end = 0
    for match in WORD.finditer(text):
        if text[end : match.start()].strip(" \t\n'’\"“”") and found[-1]:
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
    if listing:
        parts = [tidy(part) for part in SPLIT.split(listing[0])]
    else:
        sides = EITHER.split(question, maxsplit=1)
        if len(sides) < 2:
            return []
        before, after = runs_touching(sides[0], at_end=True), runs_touching(sides[1], at_end=False)
        parts = [before, after]
    parts = list(dict.fromkeys(part for part in parts if part))
    return parts if len(parts) > 1 else []


def without_opening(question: str) -> str:
    """Return a question without the idle words that begin it."""
    text = question.strip()
    while (first := WORD.match(text)) and idle(first[0]):
        text = text[first.end() :].lstrip()
    return text


def tidy(part: str) -> str:
    """Return a name without idle words around it."""
    kept = part.split()
    while kept and idle(kept[0]):
        kept.pop(0)
    while kept and idle(kept[-1]):
        kept.pop()
    return " ".join(kept).strip(" .,;:?!")


def runs_touching(side: str, at_end: bool) -> str:
    """Return the stretch that touches the `or`, if there is one."""
    words = [match[0] for match in WORD.finditer(side)]
    kept: list[str] = []
    for word in reversed(words) if at_end else words:
        if idle(word):
            break
        kept.append(word)
    return " ".join(reversed(kept) if at_end else kept) if len(kept) <= LONGEST // 2 else ""


def topic(question: str, subjects: list[str]) -> str:
    """Return the longest stretch that is not one of the compared things."""
    rest = question
    for subject in subjects:
        rest = re.sub(rf"(?<!\w){re.escape(subject)}(?!\w)", " / ", rest)
    found = runs(rest)
    best = max(found, key=lambda run: (len(run.split()[:LONGEST]), len(run)), default="")
    return " ".join(best.split()[:LONGEST])

"""What a human asks to change: what is to be added, and what is to be left out."""

import re
from collections.abc import Iterator

from greenlight.offline.model.gazetteer import places
from greenlight.offline.text.subject import runs, without_idle_ends

CLAUSE = re.compile(
    r"[.;,\n]|\bbut\b|\band (?=drop|add|leave|remove|skip|include|less|more|omit)|"
    r"(?=instead of|rather than|except|without)"
)
ONLY = re.compile(r"\b(?:only|just|focus|limit)\b", re.IGNORECASE)
_OUT = (
    r"drop|without|remove|exclude|excluding|skip|omit|leave out|cut|ignore|except|less|fewer|"
    r"instead of|rather than|no need for|(?:not|n't|never) (?:include|cover|need|want|interested)"
)
DROP = re.compile(rf"\b(?:{_OUT}|not|don't|no)\b", re.IGNORECASE)
"""What takes a named thing out."""
OUT = re.compile(
    rf"\b(?:{_OUT})\s+(?:(?:emphasis|focus|detail|weight)\s+)?(?:(?:on|about|of|in|the|any)\s+)*",
    re.IGNORECASE,
)
"""What takes out the topic that follows."""
NEGATED = re.compile(r"\b(?:not|no|never|n't)\b|n't\b", re.IGNORECASE)
ADD = re.compile(
    r"\b(?:add|include|also|more|look|cover|focus|plus|consider|only|what about|compare)\b",
    re.IGNORECASE,
)
SHORT = 4
LONGEST_WORDS = 7


def clauses(said: str) -> list[str]:
    """Return the parts of what was said, each with one wish."""
    return [clause.strip() for clause in CLAUSE.split(said) if clause.strip()]


def left_out(said: str) -> list[str]:
    """Return the topics that are to be left out."""
    found = (OUT.split(clause, maxsplit=1)[-1] for clause in clauses(said) if OUT.search(clause))
    return [core for text in found if (core := without_idle_ends(text))]


def added(said: str) -> Iterator[str]:
    """Yield the parts that add a topic; whatever else is said is guidance and no topic."""
    for clause in clauses(said):
        is_bare = len(clause.split()) <= SHORT
        if not OUT.search(clause) and not NEGATED.search(clause) and (ADD.search(clause) or is_bare):
            yield clause


def topics(text: str) -> list[str]:
    """Return what a text is about: itself if it is short, else its longest stretches."""
    if len(text.split()) <= LONGEST_WORDS:
        core = without_idle_ends(text)
        return [core] if core else []
    return [run[:60] for run in sorted(runs(text), key=len, reverse=True)[:2]]


def revised(named: list[str], feedback: str) -> list[str]:
    """Return what is compared after what a human asked to change: added, dropped, only these."""
    for clause in CLAUSE.split(feedback):
        meant = places(clause) or [name for name in named if name in clause]
        if DROP.search(clause):
            named = [name for name in named if name not in meant] or named
        elif ONLY.search(clause) and meant:
            named = meant
        else:
            named = [*named, *(name for name in meant if name not in named)]
    return named

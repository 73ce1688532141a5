"""What a human asks to change: what is to be added, and what is to be left out."""

import re
from collections.abc import Iterator

from greenlight.offline.model.regions import meant
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
SENTENCE = re.compile(r"[.;\n]|\bbut\b")
ITEM = re.compile(r",|\band\b|\bor\b")
SHORT = 4
LONGEST_WORDS = 7


def left_out(said: str) -> list[str]:
    """Return the topics that are to be left out."""
    return [item for part, is_out in parts(said) if is_out for item in items(part)]


def items(part: str) -> list[str]:
    """Return what a part lists, without the words that only say what to do with it."""
    found = ITEM.split(OUT.split(part, maxsplit=1)[-1])
    return [core for text in found if (core := without_idle_ends(text))]


def added(said: str) -> Iterator[str]:
    """Yield the parts that add a topic; whatever else is said is guidance and no topic."""
    for part, is_out in parts(said):
        is_bare = len(part.split()) <= SHORT
        if not is_out and not NEGATED.search(part) and (ADD.search(part) or is_bare):
            yield part


def parts(said: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of what was said, and whether each takes out; a list goes on as it began."""
    for sentence in SENTENCE.split(said):
        is_out = False
        for part in filter(None, map(str.strip, CLAUSE.split(sentence))):
            is_out = bool(OUT.search(part)) or (is_out and not ADD.search(part))
            yield part, is_out


def topics(text: str) -> list[str]:
    """Return what a text is about: itself if it is short, else its longest stretches."""
    if len(text.split()) <= LONGEST_WORDS:
        core = without_idle_ends(text)
        return [core] if core else []
    return [run[:60] for run in sorted(runs(text), key=len, reverse=True)[:2]]


def revised(named: list[str], feedback: str) -> list[str]:
    """Return what is compared after what a human asked to change: added, dropped, only these."""
    for clause in CLAUSE.split(feedback):
        spoken_of = meant(clause) or [name for name in named if name in clause]
        if DROP.search(clause):
            named = [name for name in named if name not in spoken_of] or named
        elif ONLY.search(clause) and spoken_of:
            named = spoken_of
        else:
            named = [*named, *(name for name in spoken_of if name not in named)]
    return named

"""Finding what the sources say: passages by relevance, claims that stay within their quotes."""

import json
import math
from collections import Counter
from typing import Any

from greenlight.offline.model.bench import told
from greenlight.offline.model.source import Source
from greenlight.offline.model.task import Task
from greenlight.offline.text.kin import kin, mentions
from greenlight.offline.text.passages import Passage
from greenlight.offline.text.words import clip, stems

IN_PROSE = 8
CHARS_PER_TOKEN = 4
KIN_WEIGHT = 0.6
FEW_WORDS = 4
FILL = 0.7
"""How much of the room for an answer is used."""


def ranked(sources: list[Source], wanted: dict[str, float]) -> list[Passage]:
    """Return the passages that bear on the wanted stems, best first."""
    known = [p for s in sources for p in s.passages if not (p.heading or is_title(p, s))]
    spread = Counter(stem for passage in known for stem in passage.stems)
    scores = {p: score(p, wanted, spread, len(known)) for p in known}
    return sorted((p for p in scores if scores[p] > 0), key=lambda p: -scores[p])


def is_title(passage: Passage, source: Source) -> bool:
    """Tell whether a passage is no sentence: it names its source, or is a few words alone."""
    if passage.plain.endswith((".", "!", "?")):
        return False
    is_alone = len(passage.plain.split()) <= FEW_WORDS and not passage.figures and not passage.fact
    return passage is source.naming or is_alone


def score(passage: Passage, wanted: dict[str, float], spread: Counter[str], total: int) -> float:
    """Return how much a passage bears on the wanted stems; rare ones and figures count more."""
    shared = sorted(stem for stem in passage.stems if stem in wanted)
    weight = sum(wanted[stem] * math.log(1 + total / spread[stem]) for stem in shared)
    return (1.3 if passage.figures else 1.0) * weight / math.sqrt(4 + len(passage.stems))


def fits(passage: Passage, phrase: str, title: str = "") -> bool:
    """Tell whether a passage, read under a title, has more than half of a phrase's words or kin."""
    wanted = stems(phrase)
    own = {root for root in wanted if mentions(passage.stems, root)}
    met = own | {root for root in wanted if mentions(stems(title), root)}
    return bool(own) and len(met) * 2 > len(wanted)


def widened(weights: dict[str, float]) -> dict[str, float]:
    """Return weights with those of the words that mean nearly the same."""
    near = {other: KIN_WEIGHT * weight for root, weight in weights.items() for other in kin(root)}
    return near | weights


def room(task: Task) -> float:
    """Return how many characters an answer may have."""
    return task.conversation.max_tokens * CHARS_PER_TOKEN * FILL


def within(items: list[Any], chars: float) -> list[Any]:
    """Return the first items, as many as fit."""
    kept, used = [], 0
    for item in items:
        used += len(json.dumps(item))
        if used > chars:
            break
        kept.append(item)
    return kept


def statement(passage: Passage, source: Source, subjects: list[str]) -> str:
    """Return a sentence that says no more than a passage and which subject its source is about."""
    if said := source.said_with(passage):
        return said
    naming = naming_for(passage, source, subjects)
    return f"{clip(naming.plain.rstrip('.'), 80)}: {passage.plain}" if naming else passage.plain


def naming_for(passage: Passage, source: Source, subjects: list[str]) -> Passage | None:
    """Return the passage that names the subject, where another one leaves it open."""
    naming = source.naming
    if naming is None or source.quotes or naming.stems & passage.stems:
        return None
    return naming if any(stems(subject) & naming.stems for subject in subjects) else None


def citations(passage: Passage, source: Source, subjects: list[str]) -> list[dict[str, Any]]:
    """Return the passage, and the one that names what it is about where it does not say so."""
    naming = naming_for(passage, source, subjects)
    needed = naming.quotes if naming and not source.is_titled(naming.plain) else []
    return [citation(source, quote) for quote in [*passage.quotes, *needed]]


def citation(source: Source, quote: str) -> dict[str, Any]:
    """Return a quote with the number of its source."""
    return {"source": source.number, "quote": quote}


def prose(task: Task) -> str:
    """Return an answer in plain text that quotes the sources."""
    best = ranked(task.sources, task.wanted)[:IN_PROSE]
    lines = [f"- {line}" for line in told(task)]
    lines += [f"- {passage.plain} [{passage.source}]" for passage in best]
    return (
        "\n".join(within(lines, room(task)))
        or f"No source was given on: {clip(task.question, 300)}"
    )

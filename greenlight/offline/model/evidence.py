"""Finding what the sources say: passages by relevance, claims that stay within their quotes."""

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

from greenlight.offline.model.task import Source, Task
from greenlight.offline.text.passages import Passage
from greenlight.offline.text.words import clip, stems

PER_SOURCE = 4


@dataclass(frozen=True)
class Scored:
    """A passage and how much it bears on what is wanted."""

    passage: Passage
    score: float


def ranked(sources: list[Source], wanted: dict[str, float]) -> list[Scored]:
    """Return the passages that bear on the wanted stems, best first."""
    known = [p for source in sources for p in source.passages if not p.heading]
    spread = Counter(stem for passage in known for stem in passage.stems)
    scored = [Scored(p, score(p, wanted, spread, len(known))) for p in known]
    return sorted((s for s in scored if s.score > 0), key=lambda s: -s.score)


def score(passage: Passage, wanted: dict[str, float], spread: Counter[str], total: int) -> float:
    """Return how much a passage bears on the wanted stems; rare ones and figures count more."""
    weights = sorted(
        wanted.get(stem, 0) * math.log(1 + total / spread[stem]) for stem in passage.stems
    )
    figures = 1.3 if passage.figures else 1.0
    return figures * sum(weights) / math.sqrt(4 + len(passage.stems))


def findings(task: Task) -> list[dict[str, Any]]:
    """Return what each source says that bears on the task, with the passage it is learned from."""
    made = []
    for source in task.sources:
        best = ranked([source], task.wanted)[:PER_SOURCE]
        made += [finding(source, scored.passage) for scored in best]
    return made


def finding(source: Source, passage: Passage) -> dict[str, Any]:
    """Return one passage as a finding."""
    return {"text": statement(passage, source), "source": source.number, "quote": passage.text}


def statement(passage: Passage, source: Source) -> str:
    """Return a sentence that says no more than a passage, and what it is about."""
    about = clip(source.naming.plain, 80) if source.naming else ""
    if not passage.fact:
        return passage.plain
    label, value = passage.fact
    return f"{about}: {label} is {value}".removeprefix(": ")


def citations(passage: Passage, source: Source) -> list[dict[str, Any]]:
    """Return the passage, and the one that names what it is about."""
    quotes = [passage.text] + ([source.naming.text] if source.naming and passage.fact else [])
    return [{"source": source.number, "quote": quote} for quote in dict.fromkeys(quotes)]


def gaps(task: Task) -> list[str]:
    """Return what no source says, each with what was looked for."""
    said = {stem for source in task.sources for p in source.passages for stem in p.stems}
    terms = [str(term) for term in task.plan.get("search_terms", [])] or [task.topic]
    if not task.sources:
        return [f"Nothing was found. Searched for: {'; '.join(terms)}."]
    areas = [str(area) for area in task.plan.get("focus_areas", [])] or [task.topic]
    missing = [area for area in areas if not stems(area) & said]
    return [f"No source that was read says anything about {area}." for area in missing]


def prose(task: Task) -> str:
    """Return an answer in plain text that quotes the sources."""
    best = ranked(task.sources, task.wanted)[:8]
    lines = [f"- {scored.passage.plain} [{scored.passage.source}]" for scored in best]
    return "\n".join(lines) or f"Nothing was given that answers: {task.question}"

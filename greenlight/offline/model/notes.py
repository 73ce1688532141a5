"""A researcher's notes: what the sources say on the plan's phrases, and what none of them says."""

from itertools import zip_longest
from typing import Any

from greenlight.offline.model import leaning
from greenlight.offline.model.comparison import LOOSE, figures_of
from greenlight.offline.model.evidence import (
    citation,
    fits,
    ranked,
    room,
    statement,
    widened,
    within,
)
from greenlight.offline.model.task import Task
from greenlight.offline.text.passages import Passage
from greenlight.offline.text.words import stems, words

PER_SOURCE = 2
LONGEST_QUOTE = 400
FEW_CLAIMS = 6
_CONCLUDING = """
    answer bottom comparison conclusion conclusions findings overall recommendation recommendations
    result short summary takeaways verdict
"""
CONCLUDING = frozenset(_CONCLUDING.split())
"""Words of a heading that asks for what follows from the rest."""


def is_concluding(heading: str) -> bool:
    """Tell whether a heading asks for what follows from the rest of the report."""
    return any(word.lower() in CONCLUDING for word in words(heading))


def telling(task: Task, phrases: list[str], most: int = PER_SOURCE) -> list[Passage]:
    """Return the passages that are on one of the phrases and are no figures of a table."""
    weights = widened({stem: 1.0 for phrase in phrases for stem in stems(phrase)})
    titles = {} if task.subjects else {source.number: source.title for source in task.sources}
    on_it = [
        passage
        for passage in ranked(task.sources, weights)
        if any(fits(passage, phrase, titles.get(passage.source, "")) for phrase in phrases)
    ]
    on_it.sort(key=lambda passage: not opens_with(passage, task.topic))
    by_source: dict[int, dict[str, Passage]] = {}
    for passage in [*on_it, *in_context(task, phrases)]:
        if not is_tabled(task, passage) and len(passage.text) <= LONGEST_QUOTE:
            by_source.setdefault(passage.source, {}).setdefault(passage.text, passage)
    ranks = zip_longest(*(list(found.values())[:most] for found in by_source.values()))
    return [passage for rank in ranks for passage in rank if passage]


def opens_with(passage: Passage, topic: str) -> bool:
    """Tell whether a passage gives a figure and its first words are the topic."""
    return bool(passage.figures) and bool(stems(" ".join(words(passage.plain)[:3])) & stems(topic))


def is_tabled(task: Task, passage: Passage) -> bool:
    """Tell whether a passage is a figure for the table, if there is one."""
    is_figure = bool((passage.fact or passage.header) and passage.figures)
    return is_figure and figures_of(task).about(passage) is not None


def in_context(task: Task, phrases: list[str]) -> list[Passage]:
    """Return the figures of documents whose title is on a phrase, where nothing is compared."""
    if task.subjects:
        return []
    titled = [s for s in task.sources if any(fits(Passage(0, s.title), p) for p in phrases)]
    return [p for s in titled for p in s.passages if p.figures and not p.heading]


def findings(task: Task) -> list[dict[str, Any]]:
    """Return what the sources say that bears on the task, each with its passage."""
    tabled = [m.passage for row in figures_of(task).best() for m in row.cells.values()]
    by_number = {source.number: source for source in task.sources}
    found = [
        {"text": statement(p, by_number[p.source], task.subjects)}
        | citation(by_number[p.source], p.text)
        for p in dict.fromkeys([*tabled, *telling(task, task.phrases)])
    ]
    return sorted(within(found, room(task)), key=lambda entry: int(entry["source"]))


def claims(task: Task) -> list[dict[str, Any]]:
    """Return a short answer: the findings that share most with the question, the nearest first."""
    wanted = stems(task.question)
    found = accounted(task) if leaning.is_of_accounts(task) else findings(task)
    near = sorted(found, key=lambda f: -len(stems(f["text"]) & wanted))
    return [{"text": f.pop("text"), "citations": [f]} for f in near[:FEW_CLAIMS]]


def accounted(task: Task) -> list[dict[str, Any]]:
    """Return what accounts say, weightiest first: what was noted of them, else all."""
    by_number = {source.number: source for source in task.sources}
    return [
        {"text": leaning.brief(p)} | citation(by_number[p.source], p.text)
        for p in leaning.strongest(task, 0)
        if p.text in task.quotes or not task.quotes
    ]


def missing(task: Task) -> str:
    """Return what no source says, as one text."""
    return " ".join(gaps(task))


def gaps(task: Task) -> list[str]:
    """Return what no source says, each with what was looked for."""
    if leaning.is_of_accounts(task):
        return []
    if not task.sources:
        terms = task.planned("search_terms") or [task.topic]
        return [f"Nothing was found. Searched for: {'; '.join(terms)}."]
    plain = [h for h in task.planned("outline") if ":" not in h and not is_concluding(h)]
    unsaid = [phrase for phrase in plain or [task.topic] if is_unsaid(task, phrase)]
    return [f"No source that was read says anything on {phrase}." for phrase in unsaid]


def is_unsaid(task: Task, phrase: str) -> bool:
    """Tell whether neither a passage nor a figure is on a phrase."""
    passages = (passage for source in task.sources for passage in source.passages)
    on_it = any(fits(passage, phrase) for passage in passages)
    return not on_it and not figures_of(task).rows_for(phrase, LOOSE, 1)

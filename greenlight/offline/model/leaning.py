"""How statements lean: what they say got better or worse, by how much, how lately, and in what."""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import zip_longest

from greenlight.offline.model.evidence import is_title
from greenlight.offline.model.lexicon import NEUTRAL, sound
from greenlight.offline.model.source import Source
from greenlight.offline.model.task import Task
from greenlight.offline.text.passages import Passage
from greenlight.offline.text.words import stem, stems

LONGEST = 400
"""How long a passage may be that is quoted whole."""
MIXED = 1 / 3
"""Up to here what speaks for and against is nearly balanced."""
LEAST, MOST_SURE = 0.5, 0.9
PLAIN, SLIGHT = 0.5, 0.1
"""How far a loss leans that is not compared with any other; a debt, or a profit."""
FULL = 50
"""A change of so many percent weighs most of what any may."""
MOST_NAMED, FEW_THEMES = 3, 3
DECIDING = {"rationale": 1, "risks": -1}
"""Lists of one decision: what speaks for it, whichever way it goes, and what against."""


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, text.split()))


MOVED = re.compile(
    r"\b(?:(?P<up>rose|risen|grew|grown|increased|climbed|surged|gained|jumped|widened|doubled)|"
    r"(?P<down>fell|fallen|declined|decreased|dropped|slumped|shrank|plunged|narrowed|halved))\b"
)
SHARE = re.compile(r"(\d+(?:\.\d+)?)\s?%")
COMPARED = re.compile(
    r"(\d+(?:\.\d+)?)\s?%(?: \([^()]*\))? (?:(more|higher)|(?:less|lower)) than\b"
)
DAY = re.compile(r"\b((?:19|20)\d\d)-([01]\d)-[0-3]\d\b")
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
UNWELCOME = _stems("""
    churn complaint cost debt deficit default expense inflation liability loss outage poverty
    shortage shortfall unemployment
""")
LOST = _stems("loss deficit shortfall negative")
OWED = _stems("debt liability borrowing")
EARNED = _stems("margin profit")
ITSELF = re.compile(
    r"(?:this|the) (?:article|document|figures?|notice|page|press release|report)\b"
    r"|note:|computed:|filings? \d",
    re.IGNORECASE,
)
"""How a sentence begins that speaks of the text it stands in, or of where figures come from."""
THEMES = [
    _stems(names)
    for names in (
        "margin",
        "debt liability borrowing",
        "cash",
        "income profit loss earnings EPS",
        "revenue sales turnover orders growth",
    )
]
"""What a statement of money may be on, what is narrower first."""


def lean(passage: Passage) -> float:
    """Return from -1 to 1 how far a statement speaks of something better or worse than before."""
    if ITSELF.match(passage.plain):
        return 0.0
    if found := COMPARED.search(passage.plain):
        up = bool(found[2])
        return _change(up, passage.plain[: found.start()], float(found[1]))
    if moved := MOVED.search(passage.plain):
        share = SHARE.search(passage.plain, moved.end())
        by = float(share[1]) if share else FULL / 2
        return _change(bool(moved["up"]), passage.plain[: moved.start()], by)
    return _standing(passage.fact[0]) if passage.fact else sound(passage.plain)


def _change(up: bool, what: str, percent: float) -> float:
    good = up != bool(UNWELCOME & stems(what))
    return (1 if good else -1) * min(1.0, 0.2 + percent / FULL)


def _standing(label: str) -> float:
    """Return how a figure leans by its name alone."""
    named = stems(label)
    if named & LOST:
        return -PLAIN
    return -SLIGHT if named & OWED else SLIGHT if named & EARNED else 0.0


def theme(passage: Passage) -> int:
    """Return what a statement is on, by its number; the last for anything else."""
    label = passage.fact[0] if passage.fact else passage.plain
    found = (n for n, names in enumerate(THEMES) if names & stems(label))
    return next(found, len(THEMES))


def is_statement(passage: Passage) -> bool:
    """Tell whether a passage says something of the world, in a length that can be quoted."""
    return len(passage.text) <= LONGEST and not ITSELF.match(passage.plain)


def is_named(passage: Passage, source: Source) -> bool:
    """Tell whether a passage is a heading, or the title of a source that is given whole."""
    return passage.heading or (not source.quotes and is_title(passage, source))


@lru_cache(maxsize=16)
def statements(task: Task) -> list[Passage]:
    """Return what the sources say, titles and headings left out, each statement once."""
    found = (
        passage
        for source in task.sources
        for passage in source.passages
        if is_statement(passage) and (passage.fact or not is_named(passage, source))
    )
    return list({passage.text: passage for passage in found}.values())


def is_of_accounts(task: Task) -> bool:
    """Tell whether the sources are figures of one thing, a line each, on several themes of money."""
    on = {theme(p) for p in statements(task) if p.fact and p.figures}
    return not task.subjects and len(on - {len(THEMES)}) >= FEW_THEMES


@lru_cache(maxsize=16)
def weighed(task: Task) -> list[tuple[Passage, float]]:
    """Return the statements that lean, each with how far; half as far for each year of age."""
    found = [(p, lean(p)) for p in statements(task)]
    leaning = [(p, value) for p, value in found if abs(value) > NEUTRAL]
    return [(p, value * lately) for p, value, lately in _aged(leaning)]


def _aged(found: list[tuple[Passage, float]]) -> Iterator[tuple[Passage, float, float]]:
    days = [_day(passage.plain) for passage, _ in found]
    newest = max(filter(None, days), default=0.0)
    for (passage, value), day in zip(found, days, strict=True):
        yield passage, value, 0.5 ** (newest - day) if day else 1.0


def _day(text: str) -> float | None:
    """Return the latest date that a text states, as a year with its months; else its latest year."""
    dated = [int(year) + int(month) / 12 for year, month in DAY.findall(text)]
    return max(dated or map(float, YEAR.findall(text)), default=None)


def balance(task: Task) -> float:
    """Return from -1 to 1 how far all that is said leans."""
    values = [value for _, value in weighed(task)]
    return sum(values) / (sum(map(abs, values)) or 1.0)


def confidence(task: Task) -> float:
    """Return how sure a decision by balance is: how clear the balance, over how many statements."""
    found, count = abs(balance(task)), len(weighed(task))
    clear = (found - MIXED) / (1 - MIXED) if found > MIXED else (MIXED - found) / MIXED
    sure = (LEAST + clear * (MOST_SURE - LEAST)) * count / (count + 2)
    return round(sure, 2)


def strongest(task: Task, sign: int) -> list[Passage]:
    """Return the statements that lean one way, or either way for 0, each theme's best first."""
    values = dict(weighed(task))
    if sign:
        return _in_turn({p: v for p, v in values.items() if v * sign > 0})
    return _in_turn(dict.fromkeys(statements(task), 0.0) | values)


def _in_turn(values: dict[Passage, float]) -> list[Passage]:
    """Return passages by how far they lean, one of each theme, then another of each.

    Of those on one theme with the same change, the first is enough.
    """
    by_theme: dict[int, list[Passage]] = {}
    told: set[tuple[int, str]] = set()
    for passage in sorted(values, key=lambda p: -abs(values[p])):
        share = SHARE.search(passage.plain)
        same = (theme(passage), share[1] if share else passage.text)
        if same not in told:
            by_theme.setdefault(theme(passage), []).append(passage)
        told.add(same)
    others = by_theme.pop(len(THEMES), [])
    ranks = zip_longest(*by_theme.values())
    return [p for rank in ranks for p in rank if p] + others


def side(task: Task, lists: Collection[str]) -> int:
    """Return -1 for the lists of a decision against, whose risks are what is good, else 1."""
    return -1 if DECIDING.keys() <= {*lists} and balance(task) < -MIXED else 1


def brief(passage: Passage) -> str:
    """Return what a statement says without where its figure comes from."""
    return passage.plain.split("; ")[0] if passage.fact else passage.plain


def named(task: Task) -> list[str]:
    """Return the names of the figures that lean the way all of it does."""
    found = strongest(task, side(task, DECIDING))
    return list(dict.fromkeys(_names(found)))[:MOST_NAMED]


def _names(found: Iterable[Passage]) -> Iterator[str]:
    return (passage.fact[0].split(",")[0] for passage in found if passage.fact)

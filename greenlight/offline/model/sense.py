"""What the name of a list asks for: people, sellers, sizes, a tone; and whether a passage gives it."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from greenlight.offline.model.comparison import YEAR
from greenlight.offline.model.gazetteer import places
from greenlight.offline.model.lexicon import NEUTRAL, sound
from greenlight.offline.model.regions import meant
from greenlight.offline.model.source import Source
from greenlight.offline.text.aspects import PEOPLE
from greenlight.offline.text.kin import mentions
from greenlight.offline.text.measures import SCALES, measures
from greenlight.offline.text.passages import Passage
from greenlight.offline.text.subject import NAME, idle, runs
from greenlight.offline.text.words import clip, stem, stems, telling_stems, words

LONGEST_NAME = 4
ACTING = r"(?:, (?:an?|the|based) | (?:sells|offers|makes|leases|rents) )"
"""What follows a name that opens a sentence: what it is, or that it sells."""


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, text.split()))


HUMANS = PEOPLE | _stems("population household rural urban poverty labor capita inhabitant income")
SELLING = _stems("""
    alternative brand competitor compete competition competing dealer distributor incumbent maker
    manufacturer provider rival sell sells sold seller supplier supply vendor
""")
LARGE = _stems("""
    capacity demand grow grew growth installed market number sale share size sold total volume
""") | set(map(stem, SCALES))
GOOD = _stems("""
    demand fertile grow growth increase potential rise rising subsidy surplus untapped
""")
AMPLE = _stems("agricultural arable irrigated renewable")
"""What a measure of is welcome; in a sentence such a word says nothing yet."""
BAD = _stems("""
    barrier conflict competition competitor corruption debt decline deficit drought erosion
    expensive fall hazard inflation lack outage poverty regulation scarce scarcity shortage rival
    tax terrorist theft tariff unemployment
""")
RISKS = _stems("""
    barrier challenge concern con danger disadvantage drawback problem risk threat weakness
""")
CHANCES = _stems("advantage benefit chance driver opportunity pro strength upside")


@dataclass(frozen=True)
class Kind:
    """A kind of thing that a list may hold, by the words of its name."""

    called: frozenset[str]
    is_one: Callable[[Passage, Source, str], bool]


def fits(name: str, passage: Passage, source: Source, topic: str) -> bool:
    """Tell whether a passage gives what a list of this name asks for."""
    kinds = (kind for kind in KINDS if kind.called & stems(name.replace("_", " ")))
    return all(kind.is_one(passage, source, topic) for kind in kinds)


def is_on(source: Source, topic: str) -> bool:
    """Tell whether a source is on a topic: its title, or one of its passages, has most of it."""
    about = telling_stems(topic)
    texts = [frozenset(stems(source.title)), *(passage.stems for passage in source.passages)]
    return any(sum(mentions(text, root) for root in about) * 2 > len(about) for text in texts)


def _is_on_people(passage: Passage, source: Source, topic: str) -> bool:
    return bool(HUMANS & passage.stems)


def _is_on_sellers(passage: Passage, source: Source, topic: str) -> bool:
    said = passage.stems | stems(source.title)
    is_told = bool(SELLING & said) or any(mark in passage.text for mark in "$€£¥")
    return is_told and is_on(source, topic) and bool(seller(passage, source))


def _is_on_size(passage: Passage, source: Source, topic: str) -> bool:
    is_row = passage.fact is not None and bool(places(source.title))
    return is_row or bool(LARGE & passage.stems)


KINDS = (
    Kind(_stems("audience buyer client customer persona segment user"), _is_on_people),
    Kind(
        _stems("alternative competitor incumbent player provider rival supplier vendor"),
        _is_on_sellers,
    ),
    Kind(_stems("size volume figure"), _is_on_size),
)


def name_of(called: str, passage: Passage, source: Source, subjects: list[str]) -> str:
    """Return a short name for what a passage is about, in words of it or of its title."""
    if passage.header:
        return passage.text.strip("| ").split("|")[0].strip()
    if _is_called(called, KINDS[1]):
        return seller(passage, source)
    found = [m.label for m in measures(passage, subjects)] if passage.fact else []
    inside = [label for label in found if label.casefold() in passage.plain.casefold()]
    stretches = runs(passage.plain)
    people = [run for run in stretches if HUMANS & stems(run)] if not inside else []
    return next(iter([*inside, *map(_short, people), *map(_short, stretches)]), "")


def _short(run: str) -> str:
    return " ".join(run.split()[:LONGEST_NAME])


def _is_called(name: str, kind: Kind) -> bool:
    return bool(kind.called & stems(name.replace("_", " ")))


def seller(passage: Passage, source: Source) -> str:
    """Return who sells: the first name in a row or a sentence, else in the title."""
    if passage.header:
        return passage.text.strip("| ").split("|")[0].strip()
    return next(chain_names(passage, source), "")


def chain_names(passage: Passage, source: Source) -> Iterator[str]:
    """Yield the proper names in a passage, then those in its source's title."""
    for text in (passage.plain, source.title):
        for match in re.finditer(NAME, text):
            name = match[0].rstrip(".")
            if not meant(name) and _is_proper(name, match.start() == 0, source):
                yield clip(name, 60)


def _is_proper(name: str, opens: bool, source: Source) -> bool:
    """Tell whether capitals mean a name; a word that opens a sentence must prove it elsewhere."""
    first, *more = words(name) or [""]
    if idle(first) or name[0].isdigit() or (not more and len(name) < 3):
        return False
    if not opens or any(char.isupper() for char in first[1:]) or more:
        return first.lower() not in words(source.text)
    own = {stem(first)}
    acts = re.search(rf"(?<!\w){re.escape(first)}{ACTING}", source.text)
    named = re.search(rf"[a-z,|] {re.escape(first)}(?!\w)", source.text)
    return bool(named or (acts and not own & (HUMANS | SELLING)))


def year_of(passage: Passage) -> str:
    """Return the last year that a passage states, or nothing."""
    return next(reversed(YEAR.findall(passage.plain)), "")


def tone_of(name: str) -> int:
    """Return the tone that the name of a list asks for: 1, -1, or 0 for any."""
    called = stems(name.replace("_", " "))
    return bool(called & CHANCES) - bool(called & RISKS)


def has_tone(name: str, text: str, sizes: Mapping[str, float]) -> bool:
    """Tell whether a statement, or a measure by its label, sounds as a list's name asks."""
    wanted = tone_of(name)
    return wanted == 0 or tone(text, sizes) == wanted


def tone(text: str, sizes: Mapping[str, float]) -> int:
    """Return whether a statement speaks of something welcome, unwelcome or neither."""
    own = stems(text)
    if any(value < 0 for value in sizes.values()) or own & BAD:
        return -1
    if own & GOOD or (sizes and own & AMPLE):
        return 1
    value = sound(text)
    return (value > NEUTRAL) - (value < -NEUTRAL)

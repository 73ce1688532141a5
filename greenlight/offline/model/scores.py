"""A list that asks how each source sounds: one item for each of them, with its own passage."""

from collections.abc import Iterator
from statistics import fmean
from typing import Any

from greenlight.offline.model.evidence import is_title
from greenlight.offline.model.judge import TONE, lexicon
from greenlight.offline.model.notes import LONGEST_QUOTE
from greenlight.offline.model.source import Source
from greenlight.offline.text.passages import Passage

NUMBERS = ("number", "integer")


def scored(properties: dict[str, Any]) -> list[str]:
    """Return the properties of an item that take a tone."""
    return [
        name
        for name, part in properties.items()
        if part.get("type") in NUMBERS and TONE & set(name.lower().split("_"))
    ]


def tones(sources: list[Source], names: list[str]) -> Iterator[tuple[Passage, dict[str, float]]]:
    """Yield for each source its passage that sounds most like something, and the mean of all."""
    for source in sources:
        if told := _sentences(source):
            mean = round(fmean(map(_tone, told)), 3)
            yield max(told, key=lambda p: abs(_tone(p))), dict.fromkeys(names, mean)


def _sentences(source: Source) -> list[Passage]:
    return [
        p
        for p in source.passages
        if not (p.heading or is_title(p, source)) and len(p.text) <= LONGEST_QUOTE
    ]


def _tone(passage: Passage) -> float:
    return float(lexicon().polarity_scores(passage.plain)["compound"])

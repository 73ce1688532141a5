"""A list that asks how each source sounds: one item for each of them, with its own passage."""

from collections.abc import Iterator
from typing import Any

from greenlight.offline.model import leaning
from greenlight.offline.model.evidence import is_title
from greenlight.offline.model.judge import TONE
from greenlight.offline.model.lexicon import NEUTRAL
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
    """Yield for each source its passage that leans furthest, and the mean of all that lean.

    The mean is drawn to 0 as by one more that does not lean: a single word is not a verdict.
    """
    for source in sources:
        if told := _sentences(source):
            leans = [lean for lean in map(leaning.lean, told) if abs(lean) > NEUTRAL]
            mean = round(sum(leans) / (len(leans) + 1), 3)
            yield max(told, key=lambda p: abs(leaning.lean(p))), dict.fromkeys(names, mean)


def _sentences(source: Source) -> list[Passage]:
    return [
        p
        for p in source.passages
        if leaning.is_statement(p) and not (p.heading or is_title(p, source))
    ]

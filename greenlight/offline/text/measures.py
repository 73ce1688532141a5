"""Figures with what they measure, from lines `Label: figure` and from sentences."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from greenlight.offline.text.passages import FIGURE, YEARS, Passage
from greenlight.offline.text.words import STOP, WORD, stems

LONGEST_VALUE = 90
LONGEST_LABEL = 3
ROOT = 5
_NO_UNIT = "a|an|and|of|in|for|per|to|at|by|on|with|from|is|are|was|were|or|the|but|as|which|that"
QUANTITY = rf"{FIGURE.pattern}(?:[\s-]?(?!(?:{_NO_UNIT})\b)(?:[^\W\d_]{{1,14}}|%))?"
VALUE = re.compile(
    rf"{QUANTITY}(?:\s(?:in|per|a|an|for|to)\s{QUANTITY}|\s(?:per|a|an)\s[^\W\d_]+)?"
)
HEDGES = frozenset({"about", "around", "approximately", "roughly", "nearly", "almost", "estimated"})
SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}


@dataclass(frozen=True)
class Measure:
    """One figure for one thing, and the passage it stands in."""

    label: str
    value: str
    passage: Passage

    @property
    def key(self) -> frozenset[str]:
        """What makes two labels the same; `weighs` is `weight`."""
        found = stems(self.label)
        if len(found) == 1:
            return frozenset(stem[:ROOT] for stem in found)
        return frozenset(found) or frozenset({self.label.lower()})

    @property
    def number(self) -> float | None:
        """The figure as a number."""
        found = FIGURE.search(YEARS.sub(" ", self.value))
        digits = re.sub(r"[^\d.\-−]", "", found[0]).replace("−", "-") if found else ""
        try:
            size = float(digits)
        except ValueError:
            return None
        return size * scale(self.value)

    @property
    def kind(self) -> str:
        """Whether it is money, a share or anything else; only like stands beside like."""
        return next((mark for mark in "%$€£¥" if mark in self.value), "")

    @property
    def unit(self) -> str:
        """What the figure counts, years and scale left out."""
        bare = FIGURE.sub(" ", YEARS.sub(" ", self.value))
        return " ".join(w for w in re.findall(r"[^\W\d]+|[%$€£]", bare) if w not in SCALES)


def scale(value: str) -> float:
    """Return what the first word of scale in a value multiplies by."""
    return next(
        (SCALES[word] for word in re.findall(r"[a-z]+", value.lower()) if word in SCALES), 1
    )


def measures(passage: Passage, subjects: list[str]) -> list[Measure]:
    """Return the figures of a passage, each with a label that does not name the subject."""
    if passage.cells:
        found = (Measure(label, value, passage) for label, value in passage.cells.items())
        return [measure for measure in found if measure.label and FIGURE.search(measure.value)]
    if not passage.figures:
        return []
    if passage.fact is None:
        return list(in_prose(passage, subjects))
    label, value = passage.fact
    fact = Measure(without(label, subjects), value, passage)
    return [fact] if len(value) <= LONGEST_VALUE else []


def without(label: str, subjects: list[str]) -> str:
    """Return a label without the names of what is compared."""
    for subject in subjects:
        label = re.sub(
            rf"(?:,?\s*\b(?:of|in|for)\b|,)?\s*(?<!\w){re.escape(subject)}(?:'s)?(?!\w)", "", label
        )
    return label.strip(" ,-–") or "Figure"


def in_prose(passage: Passage, subjects: list[str]) -> Iterator[Measure]:
    """Yield the figures of a sentence, labelled by the words that lead up to each."""
    text = passage.plain
    years = [match.span() for match in YEARS.finditer(text)]
    names = {word.lower() for subject in subjects for word in subject.split()}
    for match in VALUE.finditer(text):
        if any(start <= match.start() < end for start, end in years):
            continue
        if label := leading(text[: match.start()], names):
            yield Measure(label, match[0].strip(), passage)


def leading(before: str, names: set[str]) -> str:
    """Return the content words that lead up to a figure within its part of the sentence."""
    clause = re.split(r"[,;:(]|\band\b|\d", before)[-1]
    idle = STOP | HEDGES | names
    found = [match[0] for match in WORD.finditer(clause)]
    while found and found[-1].lower() in idle:
        found.pop()
    start = next((n for n in range(len(found), 0, -1) if found[n - 1].lower() in idle), 0)
    label = " ".join(found[start:][-LONGEST_LABEL:])
    return label[:1].upper() + label[1:]

"""Figures with what they measure, from lines `Label: figure` and from sentences."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from greenlight.offline.text.passages import FIGURE, YEARS, Passage
from greenlight.offline.text.words import STOP, WORD, stem, stems

LONGEST_VALUE = 90
LONGEST_LABEL = 3
UNIT = re.compile(r"\s?-?(?:[^\W\d_]{1,12}\b|%)(?:\s(?:per|a|an)\s[^\W\d_]+)?")
SAYING = frozenset(
    {"about", "around", "approximately", "roughly", "nearly", "almost", "over", "estimated"}
)


@dataclass(frozen=True)
class Measure:
    """One figure for one thing, and the passage it stands in."""

    label: str
    value: str
    passage: Passage

    @property
    def key(self) -> frozenset[str]:
        """What makes two labels the same."""
        return frozenset(stems(self.label)) or frozenset({self.label.lower()})

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
    def unit(self) -> str:
        """What the figure counts, years and scale left out."""
        bare = FIGURE.sub(" ", YEARS.sub(" ", self.value))
        return " ".join(w for w in re.findall(r"[^\W\d]+|[%$€£]", bare) if w not in SCALES)


SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}


def scale(value: str) -> float:
    """Return what the first word of scale in a value multiplies by."""
    return next(
        (SCALES[word] for word in re.findall(r"[a-z]+", value.lower()) if word in SCALES), 1
    )


def measures(passage: Passage, subjects: list[str]) -> list[Measure]:
    """Return the figures of a passage, each with a label that does not name the subject."""
    if not passage.figures:
        return []
    if passage.fact:
        label, value = passage.fact
        return (
            [Measure(without(label, subjects), value, passage)]
            if len(value) <= LONGEST_VALUE
            else []
        )
    return list(in_prose(passage, subjects))


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
    for match in FIGURE.finditer(text):
        if any(start <= match.start() < end for start, end in years):
            continue
        unit = UNIT.match(text, match.end())
        value = text[
            match.start() : unit.end() if unit and is_unit(unit[0]) else match.end()
        ].strip()
        label = leading(text[: match.start()], names)
        if label:
            yield Measure(label, value, passage)


def is_unit(word: str) -> bool:
    """Tell whether the word after a figure says what it counts."""
    return word.strip(" -").lower() not in STOP


def leading(before: str, names: set[str]) -> str:
    """Return the content words that lead up to a figure within its sentence part."""
    clause = re.split(r"[,;:(]|\band\b", before)[-1]
    found: list[str] = []
    for match in reversed(list(WORD.finditer(clause))):
        word = match[0].lower()
        if word in STOP or word in SAYING or word in names:
            if found:
                break
            continue
        found.append(match[0])
        if len(found) == LONGEST_LABEL:
            break
    label = " ".join(reversed(found))
    return label[:1].upper() + label[1:]


def head(label: str) -> str:
    """Return the stem of the word that a label turns on."""
    found = WORD.findall(label)
    return stem(found[-1]) if found else label

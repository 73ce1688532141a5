"""Lists the figures and days of an uncited text that none of its known sources mention."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import combinations, islice

from contracts.evidence.claims import Claim
from contracts.words import Language, say
from domain.evidence.figures.figure_agreement import agrees, is_quoted
from domain.evidence.figures.notation.dates import Date, parse_dates
from domain.evidence.figures.notation.quantities import (
    PERCENT,
    Quantity,
    read_claimed,
    read_quantities,
)
from domain.evidence.normal_forms import normalize
from domain.evidence.not_found import says_not_found

_CLAUSE = re.compile(r"[:;]\s")
_SENTENCE = re.compile(r"(?:(?<=[^\W\d][.?!])|(?<=\d{3}[.?!])|(?<=[%)”\"][.?!]))\s+(?=\W?[A-ZÄÖÜ])")
"""Matches the space between two sentences, but not the one in a German date such as `30. Juni`."""
_PRESUPPOSING = re.compile(
    r"\b(?:why|because|although|which|who|whose|warum|weil|obwohl|nachdem)\b|,\s(?:die|der|das)\b",
    re.IGNORECASE,
)
"""Begins a part that is taken for a fact, as in `No source says why sales fell by 12.9%.`"""


_INPUT = re.compile(r"(\d[\d,]*(?:\.\d+)?)(\s*%)?")
_TELLING_DIGITS = 3
_PLAIN = frozenset({0.5, 1, 2, 4, 12, 100, 1_000, 1_000_000, 1_000_000_000})
"""Numbers that sums use in any case: a half, twice, quarters, months, percent and scales."""
MAX_PARTS = 12
"""Maximum divisor that is read as the count of an average."""
MAX_TERMS = 12
"""At most this many of a sentence's figures are combined in pairs, to find those that others of them give."""


class KnownFigures:
    """The figures and days that known texts mention, parsed once, and only when a text with a figure is compared.

    Workflow code compares dozens of lines with all sentences of a report; parsing the sentences for each line would take seconds.
    """

    def __init__(self, texts: Iterable[str], day: str = "") -> None:
        """Take the known texts, and the day (ISO) on which plans are compared with them."""
        self._texts = list(texts)
        self._day = day

    def list_unfounded(self, text: str, *, is_plan: bool = False) -> list[str]:
        """Return the figures and days of a text, as written, that no known text mentions.

        A figure that its own sentence computes from two known ones is not listed, nor a day of a plan (`is_plan`) that is
        still ahead.
        """
        new: dict[str, None] = {}
        for sentence in _SENTENCE.split(normalize(text)):
            said, rest = parse_dates(sentence)
            days = [day for day in said if not (is_plan and self._is_ahead(day))]
            new |= {d.shown: None for d in days if not any(d.parts <= k for k in self._days)}
            left = [each for each in read_claimed(rest) if not is_quoted(each, self._quantities)]
            if left:
                known = (q for q in read_quantities(rest) if is_quoted(q, self._quantities))
                inputs = [*islice(dict.fromkeys(known), MAX_TERMS)]
                new |= {each.shown: None for each in left if not _is_computed(each, inputs)}
        return list(new)

    def knows_inputs(self, claim: Claim, more: Iterable[str]) -> bool:
        """Return whether a computed claim takes every number of its expression from a known text, or from `more`.

        A number of fewer than three digits has to be a known percentage, as any text has a 15 somewhere, or divide a sum
        of as many parts: an average.
        """
        texts = KnownFigures(more)
        for match in _INPUT.finditer(claim.expression):
            digits, percent = _strip(match[1]), match[2]
            value = float(match[1].replace(",", ""))
            divides = value <= MAX_PARTS and claim.expression[: match.start()].rstrip()[-1:] == "/"
            few = len(digits) < _TELLING_DIGITS and not (value in _PLAIN or divides)
            known = (*self._quantities, *texts._quantities) if few else ()
            if few and not (percent and is_quoted(read_quantities(match[0])[0], known)):
                return False
            if len(digits) >= _TELLING_DIGITS and digits not in self._digits | texts._digits:
                return False
        return bool(claim.working)

    def name_unfounded(
        self, text: str, language: Language, *, is_plan: bool = False, is_missing: bool = False
    ) -> str:
        """Return an uncited text that names those of its figures and days that no known text mentions.

        Of a plan (`is_plan`), figures are of the writer's choosing, and days ahead are not named. What a
        clause says was not found has no source. In a list of what was not found (`is_missing`), the same holds for the
        days with which a sentence begins: they say of when something was sought.
        """
        code = "figures-chosen" if is_plan else "figures-unfounded"
        marked = (
            say(language, code, line=line, figures=new)
            if (new := self.list_unfounded(_blank_sought(line, is_missing), is_plan=is_plan))
            else line
            for line in text.splitlines()
        )
        return "\n".join(marked)

    def _is_ahead(self, date: Date) -> bool:
        """Return whether a date ends after the day of the plan, however it is read; one without its year does not."""
        return bool(self._day) and all(_find_end(parts) > self._day for parts in date.readings)

    @cached_property
    def _normal_texts(self) -> list[str]:
        return [normalize(text) for text in self._texts]

    @cached_property
    def _days(self) -> set[frozenset[str]]:
        return {day.parts for text in self._normal_texts for day in parse_dates(text)[0]}

    @cached_property
    def _digits(self) -> set[str]:
        """The digits of all numbers, without zeros at either end: those of `4,614` and `4.614 billion` are the same."""
        return {_strip(match[1]) for text in self._texts for match in _INPUT.finditer(text)}

    @cached_property
    def _quantities(self) -> list[Quantity]:
        found = (quantity for text in self._normal_texts for quantity in read_quantities(text))
        return list({quantity.shown: quantity for quantity in found}.values())


def _find_end(parts: frozenset[str]) -> str:
    """Return the last day of a date's parts as an ISO date; an empty text without a year."""
    known = {part[0]: part[1:].zfill(2) for part in parts}
    return f"{known['y']}-{known.get('m', '12')}-{known.get('d', '31')}" if "y" in known else ""


def _strip(number: str) -> str:
    return re.sub(r"[.,]", "", number).strip("0")


def _blank_sought(line: str, is_missing: bool) -> str:
    """Return a line without the figures and days of what it says was not found."""
    return " ".join(
        _blank_clause(clause, is_missing and n == 0)
        for sentence in _SENTENCE.split(normalize(line))
        for n, clause in enumerate(_CLAUSE.split(sentence))
    )


def _blank_clause(clause: str, is_sought: bool) -> str:
    is_unfound = says_not_found(clause)
    if not (is_sought or is_unfound):
        return clause
    rest = parse_dates(clause)[1]
    if not is_unfound:
        return rest
    told = _PRESUPPOSING.search(rest)
    return rest[told.start() :] if told else ""


def _is_computed(claimed: Quantity, inputs: Sequence[Quantity]) -> bool:
    """Return whether a figure is the sum, difference, product, quotient or rate of change of two others."""
    return any(
        agrees(claimed.as_rounded, value)
        for pair in combinations(inputs, 2)
        for one, other in (pair, pair[::-1])
        for value in _compute(one, other, claimed.unit)
    )


def _compute(one: Quantity, other: Quantity, unit: str) -> Iterator[float]:
    """Yield what two figures make in a unit: 10% and 2.60 dollars make dollars, two amounts make a rate."""
    for a, b in ((a, b) for a in one.values for b in other.values):
        if one.unit == other.unit == unit:
            yield from (a + b, abs(a - b))
        if unit == PERCENT and one.unit == other.unit != PERCENT and b:
            yield from (100 * a / b, 100 * abs(a / b - 1))
        if one.unit == unit != PERCENT and other.unit == PERCENT and b:
            yield from (a * b / 100, a * 100 / b, a * (1 + b / 100), a * (1 - b / 100))
        if one.unit == unit != PERCENT and not other.unit and b:
            yield from (a * b, a / b)

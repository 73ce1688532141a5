"""Checks by code whether a sentence's figures are supported by its citations, and lists those left to a judge."""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass

from contracts.evidence.claims import QuotedFigure
from contracts.evidence.reasons import Reason, ReasonCode
from domain.evidence.figures.figure_agreement import find_different, find_misread, is_quoted
from domain.evidence.figures.notation.dates import Date, parse_dates
from domain.evidence.figures.notation.quantities import (
    PERCENT,
    Quantity,
    list_inputs,
    read_claimed,
    read_figure,
    read_quantities,
)
from domain.evidence.figures.quote_reading import has_unread_numbers
from domain.evidence.figures.worked_out_figures import may_be_worked_out
from domain.evidence.normal_forms import normalize
from domain.evidence.pages.cited_page import PERIODS

_COUNTED = {1e3: "in thousands", 1e6: "in millions", 1e9: "in billions", 0.01: "in cents"}
_DIGITS = re.compile(r"\d{1,3}(?>(?:[ '’]\d{3}(?!\d))+)(?:[.,]\d+)?|\d[\d.,]*")
_GROUPS = re.compile(r"\d[\d.,]*")
_CLOSE, _LOOSE = 0.05, 0.125
"""How far a figure may be from the quoted one that it rounds, without a word that says so: seen by no judge, and named to him."""
_ROUGH = re.compile(
    r"(?:[~≈<>≤≥]|\b(?:about|around|some|roughly|approx(?:imately)?|nearly|almost|over|above|under|below|close\sto|up\sto"
    r"|(?:more|less|fewer|better)\sthan|at\s(?:least|most)|just|circa|ca|etwa|rund|ungefähr|knapp|fast|gut|über|unter|annähernd"
    r"|mehr\sals|weniger\sals|mindestens|höchstens|environ|près|presque|quelque|plus\sde|moins\sde|unos|unas|cerca"
    r"|casi|alrededor|aproximadamente|más\sde|menos\sde|quasi|oltre|più\sdi|meno\sdi|quase|mais\sde)\b)"
    r"\s?(?:[\d.,]{1,12}\s?\S{0,9}\s?(?:to|and|or|bis|und|oder|à|a|y|[-–])\s?)?(?:the|an?|de|of|di|[A-Z]{2,3})?\s?[$€£¥]?\Z",
    re.IGNORECASE,
)
"""Words that call the figure right after them, or a range that ends with it, rounded, or a bound."""
_ROUGH_REACH = 30


@dataclass(frozen=True)
class FigureCheck:
    """The evidence for the figures of one sentence."""

    quotes: Sequence[Sequence[Quantity]]
    others: Sequence[Sequence[Quantity]]
    """The figures of results, headings, titles and premises."""
    versions: Set[str]
    """The short forms of versions in quotes, headings and titles."""
    placed: Sequence[Quantity]
    """Figures that the sentence marks as quoted and that occur in the quotes."""
    unplaced: Sequence[Quantity]
    """Figures that the sentence marks as quoted but that do not occur in the quotes."""
    passages: str
    """The text of all quotes."""
    is_open: bool
    """Whether code accepts figures that no quote contains.

    It does for computed figures, for conclusions, and for figures that the claim does not declare as quoted.
    """

    @property
    def dates(self) -> list[Date]:
        """The dates of all quotes."""
        return parse_dates(normalize(self.passages))[0]

    def check(self, text: str) -> tuple[list[Reason], list[str]]:
        """Return why figures of a sentence are refused, and those that are left to the judge.

        The sentence comes without its dates.
        """
        parts = [*self.quotes, *self.others]
        stated = read_quantities(text)
        quoted = [quantity for quote in self.quotes for quantity in quote]
        shows_percent = any(other.unit == PERCENT for other in quoted)
        problems, unquoted = list[Reason](), list[str]()
        for rough in read_claimed(text):
            quantity = tighten(rough, text)
            is_version = not quantity.unit and quantity.shown in self.versions
            if is_version or any(is_quoted(quantity, part) for part in parts):
                continue
            if any(is_quoted(rough.rounded_by(2 * _LOOSE), part) for part in parts):
                unquoted.append(rough.shown)
                continue
            is_declared = any(map(quantity.has_digits_of, self.unplaced))
            in_digits = quantity.unit == PERCENT and shows_percent
            if misread := find_misread(quantity, quoted):
                problems.append(_tell_difference("figure-misread", quantity, misread))
            elif any(map(quantity.has_digits_of, self.placed)):
                continue
            elif has_unread_numbers(self.passages, in_digits=in_digits):
                unquoted.append(quantity.shown)
            elif other := find_different(quantity, quoted, is_declared=is_declared):
                problems.append(_tell_difference("figure-differs", quantity, other))
            elif is_declared or self._must_be_quoted(quantity, stated):
                problems.append(Reason(code="figure-missing", params={"shown": quantity.shown}))
            else:
                unquoted.append(quantity.shown)
        return problems, unquoted

    def _must_be_quoted(self, quantity: Quantity, stated: Sequence[Quantity]) -> bool:
        """Return whether a figure occurs nowhere, not even in a date, and cannot be derived from others.

        If the sentence assumes a rate, or the quotes have two dates, it may be derived in ways that code
        does not try.
        """
        quoted = [other for quote in self.quotes for other in quote]
        has_rate = any(q.unit == PERCENT and not is_quoted(q, quoted) for q in stated)
        is_span = quantity.unit in PERIODS and len(self.dates) > 1
        if self.is_open or is_span or (has_rate and quantity.unit != PERCENT):
            return False
        in_cells = "|" not in self.passages and any(other.is_tabular for other in quoted)
        if _list_digits(quantity.shown) & _list_digits(self.passages, in_cells=in_cells):
            return False
        inputs = list_inputs(other for other in [*quoted, *stated] if other.shown != quantity.shown)
        return not may_be_worked_out(quantity, inputs)


def tighten(quantity: Quantity, text: str) -> Quantity:
    """Return a figure of a sentence that agrees with figures near it alone, unless the words before it say that it is rough."""
    is_rough = any(
        _ROUGH.search(text[max(place.start() - _ROUGH_REACH, 0) : place.start()])
        for place in re.finditer(re.escape(quantity.shown), text)
    )
    return quantity if is_rough else quantity.rounded_by(2 * _CLOSE)


def place_figures(
    figures: Sequence[QuotedFigure], quotes: Sequence[Sequence[Quantity]]
) -> tuple[list[tuple[QuotedFigure, Quantity]], list[Quantity]]:
    """Return the declared figures that a quote contains, and those that no quote contains.

    If a figure names the wrong quote, its quote number is corrected.
    """
    placed, unplaced = list[tuple[QuotedFigure, Quantity]](), list[Quantity]()
    for figure in figures:
        quantity = read_figure(figure.value, figure.unit)
        if quantity is None:
            continue
        numbers = sorted(range(1, len(quotes) + 1), key=lambda n: n != figure.quote)
        close = quantity.rounded_by(2 * _LOOSE)
        at = next((n for n in numbers if is_quoted(close, quotes[n - 1])), 0)
        if at:
            placed.append((figure.model_copy(update={"quote": at}), quantity))
        else:
            unplaced.append(quantity)
    return placed, unplaced


def _list_digits(text: str, *, in_cells: bool = False) -> set[str]:
    """Return the figures of a text as digits; with `in_cells`, digit groups may also be figures of separate cells."""
    found = {re.sub(r"[ '’]", "", each) for each in _DIGITS.findall(normalize(text))}
    return found | {*_GROUPS.findall(text)} if in_cells else found


def _tell_difference(code: ReasonCode, claimed: Quantity, quoted: Quantity) -> Reason:
    return Reason(code=code, params={"shown": claimed.shown, "quoted": _show(quoted)})


def _show(quoted: Quantity) -> str:
    """Return a quoted figure as written, with the unit of its row or header."""
    scale = next((_COUNTED[s] for s in quoted.scales if s in _COUNTED), "")
    return f"{quoted.shown}{f' ({scale})' if scale and quoted.is_tabular else ''}"

"""Finds figures that a text gives on one basis only, although the value on another basis differs."""

from collections.abc import Iterable, Iterator, Sequence

from contracts.evidence.claims import Claim
from contracts.notices import Notice, list_once
from contracts.report.additions import NewestValue
from domain.evidence.figures.figure_agreement import agrees
from domain.evidence.figures.notation.quantities import PERCENT, Quantity, read_quantities

EXACT_STEP = 0.1
"""A figure with this last digit, or a finer one, names the value itself; a rounder one may be of something else."""


def list_one_sided(claims: Iterable[Claim], beside: Sequence[NewestValue]) -> list[Notice]:
    """Return what to add to claims that give a figure on one basis and not on the other, each notice once.

    A figure in whole percent counts if a quote of the claims has the value that it is rounded from: a number alone
    may be of anything.
    """
    claims = [*claims]
    said = [*_read_figures(claim.text for claim in claims)]
    quoted = [*_read_figures(c.quote for claim in claims for c in claim.citations)]
    return list_once(
        each.told
        for each in beside
        if _is_given(each.twelve, each.unit, said, quoted)
        and not any(_names(figure, each.now, each.unit) for figure in said)
    )


def _read_figures(texts: Iterable[str]) -> Iterator[Quantity]:
    for text in texts:
        yield from (figure.as_rounded for figure in read_quantities(text))


def _is_given(
    value: float, unit: str, said: Sequence[Quantity], quoted: Sequence[Quantity]
) -> bool:
    """Return whether a text names a value, to a tenth or as a round figure of a quote that has it."""
    named = [figure for figure in said if _names(figure, value, unit)]
    return any(figure.step <= EXACT_STEP for figure in named) or (
        bool(named) and any(_is_exact(figure) and agrees(figure, value) for figure in quoted)
    )


def _names(figure: Quantity, value: float, unit: str) -> bool:
    """Return whether a figure is a value, rounded or not, in its unit."""
    return figure.unit == unit and agrees(figure, value)


def _is_exact(figure: Quantity) -> bool:
    return figure.step <= EXACT_STEP and figure.unit in ("", PERCENT)

"""Claims that state some of the results that a computed sentence has: the expressions and quotes of these results alone."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from contracts.evidence.claims import Claim
from domain.evidence.claims import find_numbers, list_figures

_NUMBER = re.compile(r"\d[\d_]*(?:\.\d+)?")
_CONSTANTS = frozenset({1.0, 10.0, 12.0, 100.0, 1e3, 1e6, 1e9})
"""Numbers of an expression that convert or count, and need no quote."""
_SCALES = (1.0, 1e3, 1e6, 1e9, 1e-3, 1e-6, 1e-9)
_SLACK = 0.02
"""Relative difference up to which a sentence may round a result."""


def narrow_computation(claim: Claim) -> Claim:
    """Reduce a claim that states only some results of its expressions to these expressions and their quotes.

    It keeps the quotes of its other figures. Return it unchanged if it states all results or none, or if no quote
    contains one of the numbers. The results are read from the working, since the gateway applies patches without the
    package that computes.
    """
    parts, workings = claim.expression.split(";"), claim.working.split("; ")
    if len(parts) < 2 or len(parts) != len(workings):
        return claim
    stated = [reading for number in list_figures(claim.text) for reading in _read_rounded(number)]
    told = [n for n, working in enumerate(workings) if _is_said(working, stated)]
    numbers = {float(n) for k in told for n in _NUMBER.findall(parts[k])} - _CONSTANTS
    wanted = {_key(number) for number in numbers}
    quoted = [_list_keys(citation.quote) for citation in claim.citations]
    own = list_figures(claim.text)
    cited = [
        c
        for c, keys in zip(claim.citations, quoted, strict=True)
        if wanted & keys or own & find_numbers(c.quote)
    ]
    is_whole = wanted <= set[str]().union(*quoted)
    if not cited or not is_whole or len(told) == len(parts):
        return claim
    update = {
        "expression": "; ".join(parts[n].strip() for n in told),
        "working": "; ".join(workings[n] for n in told),
        "citations": cited,
    }
    return claim.model_copy(update=update)


def _is_said(working: str, stated: Sequence[tuple[float, float]]) -> bool:
    result = abs(float(working.rpartition(" = ")[2].replace(",", "")))
    return any(
        abs(scale * value - result) <= max(scale * step / 2, _SLACK * result)
        for value, step in stated
        for scale in _SCALES
    )


def _read(number: str) -> Iterator[float]:
    """Yield the values that a number in a text may have: its decimals may follow a dot or a comma."""
    return (value for value, _ in _read_rounded(number))


def _read_rounded(number: str) -> Iterator[tuple[float, float]]:
    """Yield these values, each with the unit to which it may be rounded: 15 to 1, 1,200 to 100, 100 to 10, 1.5 to 0.1."""
    for text in {number.replace(",", ""), number.replace(".", "").replace(",", ".")}:
        with suppress(ValueError):
            value, decimals = float(text), len(text.partition(".")[2])
            zeros = 0 if decimals else len(text) - len(text.rstrip("0"))
            yield value, min(10.0**zeros, value / 10) if zeros else 10.0**-decimals


def _list_keys(quote: str) -> set[str]:
    """Return keys for a quote's numbers as an expression may write them: percentages also as shares or growth factors."""
    read = [value for number in find_numbers(quote) for value in _read(number)]
    forms = ((v, v / 100, 1 + v / 100, 1 - v / 100) for v in read)
    return {_key(value * scale) for each in forms for value in each for scale in _SCALES}


def _key(value: float) -> str:
    return f"{value:.9g}"

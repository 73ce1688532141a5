"""Claims that say one result of a computation of several: what that result alone is from."""

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from contracts.evidence.claims import Claim
from domain.evidence.claims import find_numbers, list_figures

_NUMBER = re.compile(r"\d[\d_]*(?:\.\d+)?")
_CONSTANTS = frozenset({1.0, 10.0, 12.0, 100.0, 1e3, 1e6, 1e9})
"""Numbers of an expression that convert or count and stand in no quote."""
_SCALES = (1.0, 1e3, 1e6, 1e9, 1e-3, 1e-6, 1e-9)
_SLACK = 0.02
"""By how much a said result may be rounded."""


def narrow_computation(claim: Claim) -> Claim:
    """Return a computed claim with those of its expressions alone whose results it says, and the quotes that these use.

    One that says the results of all, or of none, is returned unchanged, and so is one of which a number stands in no quote.
    """
    parts, workings = claim.expression.split(";"), claim.working.split("; ")
    if len(parts) < 2 or len(parts) != len(workings):
        return claim
    stated = [value for number in list_figures(claim.text) for value in _read(number)]
    told = [n for n, working in enumerate(workings) if _is_said(working, stated)]
    numbers = {float(n) for k in told for n in _NUMBER.findall(parts[k])} - _CONSTANTS
    wanted = {_key(number) for number in numbers}
    quoted = [_list_keys(citation.quote) for citation in claim.citations]
    cited = [c for c, keys in zip(claim.citations, quoted, strict=True) if wanted & keys]
    is_whole = wanted <= set[str]().union(*quoted)
    if not cited or not is_whole or len(told) == len(parts):
        return claim
    update = {
        "expression": "; ".join(parts[n].strip() for n in told),
        "working": "; ".join(workings[n] for n in told),
        "citations": cited,
    }
    return claim.model_copy(update=update)


def _is_said(working: str, stated: Sequence[float]) -> bool:
    result = abs(float(working.rpartition(" = ")[2].replace(",", "")))
    return any(math.isclose(value, result, rel_tol=_SLACK) for value in stated)


def _read(number: str) -> Iterator[float]:
    """Yield what a number may be, whose decimals stand behind a dot or a comma."""
    for text in {number.replace(",", ""), number.replace(".", "").replace(",", ".")}:
        with suppress(ValueError):
            yield float(text)


def _list_keys(quote: str) -> set[str]:
    """Return what an expression may write for the numbers of a quote: a percentage also as a share or a growth factor."""
    read = [value for number in find_numbers(quote) for value in _read(number)]
    forms = ((v, v / 100, 1 + v / 100, 1 - v / 100) for v in read)
    return {_key(value * scale) for each in forms for value in each for scale in _SCALES}


def _key(value: float) -> str:
    return f"{value:.9g}"

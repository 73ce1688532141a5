"""EDGAR's company facts as JSON: the rows of a tag stay text until the tag is read, as most tags never are."""

import json
import re
from typing import Any

_ROWS = re.compile(rb'\[\{"[^]]*+\]?')
"""An array of objects up to the first closing bracket: EDGAR's rows hold no other array."""

_KEY = re.compile(rb'"[^",:}]')
"""How a row begins after its brace; what follows a brace within a string does not."""


def parse_company_facts(served: bytes) -> Any:
    """Parse JSON, leaving the rows of each tag and unit as bytes, which `read_rows` parses.

    Raises:
        ValueError, RecursionError: It is not JSON, or nested too deep.
    """
    texts = list[bytes]()

    def take_out(match: re.Match[bytes]) -> bytes:
        texts.append(match[0])
        return b"%d" % (len(texts) - 1)

    try:
        document = json.loads(_ROWS.sub(take_out, served))
    except ValueError:
        document = None
    if not isinstance(document, dict):  # rows that hold an array were cut at its end
        return json.loads(served)
    for by_unit in _list_units(document):
        by_unit |= {
            unit: texts[rows]
            for unit, rows in by_unit.items()
            if type(rows) is int and 0 <= rows < len(texts)
        }
    return document


def read_rows(rows: Any) -> list[Any]:
    """Return a tag's rows in one unit, a repeated row once; none if they are malformed."""
    try:
        found = json.loads(_drop_repeated(rows)) if isinstance(rows, bytes) else rows
    except (ValueError, RecursionError):
        return []
    if not isinstance(found, list):
        return []
    try:
        return [*{tuple(row.values()): row for row in found}.values()]
    except (AttributeError, TypeError):  # a row is no object, or holds one
        return found


def _drop_repeated(rows: bytes) -> bytes:
    """Return the text of rows without those that repeat another to the letter, which are then not parsed."""
    pieces = rows[2:-2].split(b"},{")
    apart = dict.fromkeys(pieces)
    if len(apart) == len(pieces) or not all(map(_KEY.match, apart)):
        return rows
    return b"[{%s}]" % b"},{".join(apart)


def _list_units(document: Any) -> list[dict[str, Any]]:
    """Return the object of units of each tag."""
    found = [document.get("facts")] if isinstance(document, dict) else []
    for _ in ("taxonomy", "tag"):
        found = [each for of in found if isinstance(of, dict) for each in of.values()]
    units = (about.get("units") for about in found if isinstance(about, dict))
    return [by_unit for by_unit in units if isinstance(by_unit, dict)]

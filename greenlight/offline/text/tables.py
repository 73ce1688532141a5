"""Tables in plain text: rows of cells between bars, beneath a header."""

import re
from collections.abc import Iterator
from itertools import pairwise

RULE = re.compile(r"^\|?[\s:|-]*-{2,}[\s:|-]*\|?$")
ROW = re.compile(r"^\|.+\|$|^[^|]+(?:\|[^|]*){2,}$")
DIGITS = re.compile(r"\d")
YEARS = re.compile(r"\b(?:19|20)\d\d\b")


def cells(line: str) -> list[str]:
    """Return the cells of a row."""
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def is_row(line: str) -> bool:
    """Tell whether a line is a row of a table."""
    return ROW.match(line) is not None


def is_header(line: str, following: str) -> bool:
    """Tell whether a table's first row names its columns: it has no figures, or a rule beneath."""
    if RULE.match(following):
        return True
    return is_row(following) and not DIGITS.search(YEARS.sub("", line))


def with_headers(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield every line but headers and rules, each row with the header that it stands beneath."""
    header, inside = "", False
    for line, following in pairwise([*lines, ""]):
        if not is_row(line):
            header, inside = "", False
        elif RULE.match(line):
            continue
        elif not inside and is_header(line, following):
            header, inside = line, True
            continue
        inside = is_row(line)
        yield line, header

"""Lines of a page of figures, each with the rows that it states, and the index of the page."""

from collections.abc import Iterable
from typing import NamedTuple

from contracts.company.figures import Fundamentals
from contracts.evidence.rows import FigureRow, PageRows, PlacedRow


class PageLine(NamedTuple):
    """A line of text, and what of it states which row."""

    text: str
    rows: tuple[PlacedRow, ...] = ()


def state(text: str, *rows: FigureRow) -> PageLine:
    """Return a line that states these rows from its beginning to its end."""
    return PageLine(text, tuple(place(0, len(text), row) for row in rows))


def place(start: int, end: int, row: FigureRow) -> PlacedRow:
    """Return a text span with the fields of its row that the index stores."""
    kept = row.model_dump(include=set(FigureRow.model_fields))
    return PlacedRow(start=start, end=end, row=FigureRow.model_validate(kept))


def join_lines(lines: Iterable[PageLine]) -> tuple[str, PageRows]:
    """Return the text of a page and its index."""
    texts, rows, at = list[str](), list[PlacedRow](), 0
    for line in lines:
        texts.append(line.text)
        rows += (
            placed.model_copy(update={"start": at + placed.start, "end": at + placed.end})
            for placed in line.rows
        )
        at += len(line.text) + 1
    return "\n".join(texts), PageRows(rows=rows)


def name_source(fundamentals: Fundamentals) -> str:
    """Return the title of the figures as a source."""
    company = fundamentals.company
    return f"{company.name} ({company.ticker}): figures from its SEC filings (EDGAR)"


def name_facts(fundamentals: Fundamentals) -> str:
    """Return the title of the page of all facts of a company's newest filings."""
    company = fundamentals.company
    return f"{company.name} ({company.ticker}): all facts of its newest SEC filings (EDGAR)"

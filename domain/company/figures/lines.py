"""Lines of a page of figures, each with the rows that it states, and the index of the page."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from contracts.evidence.rows import FigureRow, PageRows, PlacedRow


class PageLine(NamedTuple):
    """A line of text, and what of it states which row."""

    text: str
    rows: tuple[PlacedRow, ...] = ()


class Cell(NamedTuple):
    """A cell of a table: its text, the row that it states, and a note behind the figure, such as a rank."""

    text: str
    row: FigureRow | None = None
    note: str = ""

    @property
    def whole(self) -> str:
        """The text with the note."""
        return self.text + self.note


def state(text: str, *rows: FigureRow | None) -> PageLine:
    """Return a line that states these rows from its beginning to its end."""
    placed = (PlacedRow(start=0, end=len(text), row=_strip(row)) for row in rows if row)
    return PageLine(text, tuple(placed))


def draw_table(
    columns: Sequence[str], rows: Iterable[tuple[str, Sequence[Cell]]]
) -> Iterator[PageLine]:
    """Yield the lines of a Markdown table: its head, then a labelled line of cells each."""
    yield PageLine(f"|{''.join(f' {name} |' if name else ' |' for name in columns)}")
    yield PageLine("|---" * len(columns) + "|")
    for label, cells in rows:
        text, placed = f"| {label} |", []
        for cell in cells:
            start = len(text) + 1
            if cell.row:
                end = start + len(cell.whole)
                placed.append(PlacedRow(start=start, end=end, row=_strip(cell.row)))
            text += f" {cell.whole} |"
        yield PageLine(text, tuple(placed))


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


def _strip(row: FigureRow) -> FigureRow:
    """Return what an index keeps of a row."""
    return FigureRow.model_validate(row.model_dump(include=set(FigureRow.model_fields)))

"""The living report as a terminal shows it: its headings, and how much stands under each."""

from typing import Any

from rich.table import Table
from rich.text import Text

from contracts.report.patches import TABLE

BLOCK = "▪"
MOST_BLOCKS = 30


class Growth:
    """What the patches add up to so far; counts alone, for the text is the gateway's."""

    def __init__(self) -> None:
        self.sentences: dict[str, int] = {}
        self.cells: set[tuple[str, str]] = set()
        self.newest: dict[str, int] = {}
        """The event of each section's newest change."""

    def apply(self, patch: Any, seq: int) -> str:
        """Take in one patch; return in a few words what it changed."""
        for heading in (patch.get("opening") or {}).get("outline", ()):
            self.sentences.setdefault(str(heading), 0)
        section = str(patch["section"])
        self.newest[section] = seq
        more, less = len(patch.get("added", ())), len(patch.get("removed", ()))
        if section == TABLE:
            for cell in patch.get("cells", ()):
                place = (str(cell["row"]), str(cell["column"]))
                (self.cells.add if cell.get("after") else self.cells.discard)(place)
                more, less = more + bool(cell.get("after")), less + (not cell.get("after"))
        else:
            self.sentences[section] = self.sentences.get(section, 0) + more - less
        told = " ".join(f"{sign}{count}" for sign, count in (("+", more), ("−", less)) if count)
        return f"{told or 'what is missing'} (event {seq})"

    def draw(self) -> Table | None:
        """Return the report as a picture: a block for each sentence and each figure."""
        if not self.sentences:
            return None
        grid = Table.grid(padding=(0, 1))
        grid.add_column(width=3)
        grid.add_column(max_width=50, no_wrap=True, overflow="ellipsis")
        grid.add_column()
        rows = [*self.sentences.items(), *([(TABLE, len(self.cells))] if self.cells else [])]
        latest = max(self.newest, key=lambda name: self.newest[name], default="")
        for name, count in rows:
            style = "green" if name == latest else "dim"
            grid.add_row("", Text(name, style=style), Text(_blocks(count), style=style))
        return grid


def _blocks(count: int) -> str:
    shown = BLOCK * min(count, MOST_BLOCKS)
    return f"{shown} {count}" if count > MOST_BLOCKS else shown or "·"

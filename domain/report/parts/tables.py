"""Tables: their columns, which hold figures or share a unit, their rows, and how wide ones are divided."""

import re
from collections.abc import Iterator, Sequence, Set
from math import ceil

from contracts.agents.calculations_and_charts import Artifact
from contracts.evidence.claims import Claim
from contracts.report.document import Column, MarkCode, Sentence, Table
from contracts.report.report import Comparison
from contracts.words import Language, say, write_digits
from domain.evidence.figures.notation.figure_parser import BLANKS
from domain.report.parts.links import find_kept
from domain.report.parts.notes_and_marks import NoteBook

QUIET: Set[MarkCode] = {"judged", "judged_assumed", "assumed", "assumption"}
"""Marks that describe a cell without casting doubt on it."""
MAX_FIGURE_CHARS = 40
_NUMBER = re.compile(r"[-+−]?\d[\d,]*(\.\d+)?")
"""A number as tables of ours keep it."""
MAX_COLUMNS = 12
"""Columns that fit a page: a wider table continues in another one that repeats the first column."""
_FIGURE = re.compile(
    r"(?P<sign>[-+−–]?)(?P<money>[A-Z]{0,3}[$€£¥]|)\s?"
    rf"(?P<number>[-+−]?\d(?>(?:[\d.,'’]|[{BLANKS}](?=\d{{3}}(?!\d)))*))"
    r"\s?(?P<unit>[%$€£¥]|[^\W\d_]{1,12}|)"
)


def describe_columns(labels: Sequence[str], rows: Sequence[Sequence[str]]) -> list[Column]:
    """Return a table's columns; the first names its rows, unless all of it are figures as well."""
    return [
        _describe(label, [row[n] for row in rows if n < len(row)]) for n, label in enumerate(labels)
    ]


def build_tables(artifact: Artifact, language: Language) -> Iterator[Table]:
    """Yield the first rows of a table under its caption; a wide table is split into several."""
    head, *rows = artifact.preview or [[]]
    columns = [
        column.model_copy(update={"is_figure": True}) if n in artifact.figure_columns else column
        for n, column in enumerate(describe_columns(head, rows))
    ]
    numbers: Language = (
        "en" if artifact.is_account else language
    )  # keep the figures that an agent wrote unchanged
    drawn = list[list[Sentence | None]]()
    for row in rows:
        cells = zip([*row, *[""] * len(columns)], columns, strict=False)
        texts = [_write_cell(cell, column, numbers) for cell, column in cells]
        drawn.append([Sentence(text=text) if text.strip() else None for text in texts])
    groups = group_columns(len(columns))
    for group in groups:
        is_last = group is groups[-1]
        is_cut = is_last and len(rows) < artifact.rows
        yield Table(
            caption=artifact.name if group is groups[0] else "",
            columns=[columns[n] for n in group],
            rows=[[row[n] for n in group] for row in drawn],
            remark=say(language, "rows-shown", n=len(rows), of=artifact.rows) if is_cut else "",
            artifact=find_kept(artifact) if is_last else "",
        )


def build_comparison(comparison: Comparison, book: NoteBook) -> Iterator[Table]:
    """Yield the comparison; its claims stay whole, and all of its columns have one side."""
    for group in group_columns(len(comparison.columns) + 1):
        rows = [
            _join_marks(
                Sentence(text=row.label),
                [
                    book.build_cell(c, row.label)
                    if (c := row.cells[n - 1])
                    else book.build_empty(row.label, comparison.columns[n - 1])
                    for n in group[1:]
                ],
            )
            for row in comparison.rows
        ]
        cells = [row.cells[n - 1] for row in comparison.rows for n in group[1:]]
        [labels] = describe_columns([""], [[row.label] for row in comparison.rows])
        [values] = describe_columns([""], [[_read_value(cell)] for cell in cells])
        columns = [
            values.model_copy(update={"label": comparison.columns[n - 1], "unit": ""})
            for n in group[1:]
        ]
        yield Table(columns=[labels, *columns], rows=rows)


def group_columns(count: int) -> list[list[int]]:
    """Return the numbers of a table's columns by tables that fit a page, each with the first."""
    others = range(1, count)
    tables = max(1, ceil(len(others) / (MAX_COLUMNS - 1)))
    size = ceil(len(others) / tables)
    return [[*range(min(count, 1)), *others[n * size : (n + 1) * size]] for n in range(tables)]


def name_column(column: Column) -> str:
    """Return the head of a column, with the unit of its figures."""
    return f"{column.label} ({column.unit})" if column.unit else column.label


def _join_marks(label: Sentence, cells: Sequence[Sentence | None]) -> list[Sentence | None]:
    """Return a row; quiet marks that all of its cells with data share are moved to its label."""
    empty = {"not_found", "refused"}
    told = [c for c in cells if c and not any(mark.code in empty for mark in c.marks)]
    marks = [[mark for mark in cell.marks if mark.label] for cell in told]
    is_shared = len(told) > 1 and all(each == marks[0] for each in marks)
    if not (is_shared and marks[0] and {mark.code for mark in marks[0]} <= QUIET):
        return [label, *cells]
    shown = [mark.model_copy(update={"look": "plain"}) for mark in marks[0]]
    quiet = (_hide_labels(cell) if cell and cell in told else cell for cell in cells)
    return [label.model_copy(update={"marks": shown}), *quiet]


def _hide_labels(sentence: Sentence) -> Sentence:
    """Return a sentence that its marks colour, without their words."""
    marks = [mark.model_copy(update={"label": ""}) for mark in sentence.marks]
    return sentence.model_copy(update={"marks": marks})


def _read_value(cell: Claim | None) -> str:
    """Return the text of a cell that has a value; a cell without data does not affect its column."""
    return cell.text if cell and cell.kind != "not_found" else ""


def _write_cell(cell: str, column: Column, language: Language) -> str:
    """Return a cell without the unit that its column's head has, a figure with its language's signs."""
    if column.unit and (match := _match(cell)):
        cell = f"{match['sign']}{match['number']}"
    is_number = column.is_figure and _NUMBER.fullmatch(cell)
    return write_digits(language, cell) if is_number else cell


def _describe(label: str, cells: Sequence[str]) -> Column:
    """Describe a column; it has a unit if all its figures have the same one."""
    found = [_match(cell) for cell in cells if cell.strip(" –-")]
    if not found or not all(found):
        return Column(label=label)
    units = {match["money"] or match["unit"] for match in found if match}
    unit = units.pop() if len(units) == 1 else ""
    return Column(label=label, unit=unit, is_figure=True)


def _match(cell: str) -> re.Match[str] | None:
    cell = cell.strip()
    return _FIGURE.fullmatch(cell) if len(cell) <= MAX_FIGURE_CHARS else None

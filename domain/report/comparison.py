"""Comparisons as agents write them: as many cells in a row as there are columns."""

from pydantic import JsonValue, ValidationError

from contracts.report.report import Comparison


def read_comparison(value: JsonValue) -> Comparison | None:
    """Return a field of an agent's output as a comparison, if it is one."""
    try:
        return fit_comparison(Comparison.model_validate(value))
    except ValidationError:
        return None


def fit_comparison(table: Comparison | None) -> Comparison | None:
    """Return a comparison with one cell a column; None if it compares nothing."""
    if table is None or not (table.columns and table.rows):
        return None
    width = len(table.columns)
    rows = [
        row.model_copy(update={"cells": [*row.cells, *[None] * width][:width]})
        for row in table.rows
    ]
    return table.model_copy(update={"rows": rows})

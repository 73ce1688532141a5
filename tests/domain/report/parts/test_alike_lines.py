"""Lines that say the same of several things become one."""

import pytest

from contracts.report.document import Mark, Sentence
from domain.report.parts.alike_lines import merge_alike


@pytest.mark.parametrize(
    ("lines", "merged"),
    [
        (
            ["Roads of Rwanda: no length is given.", "Roads of Uganda: no length is given."],
            ["Roads of Rwanda, Uganda: no length is given."],
        ),
        (
            ["Share of Rwanda's workers in farming", "Share of South Sudan's workers in farming"],
            ["Share of Rwanda's, South Sudan's workers in farming"],
        ),
        (
            ["Roads of South Sudan in km", "Roads of South Africa in km"],
            ["Roads of South Sudan, South Africa in km"],
        ),
        (
            ["Debts of Kenya Power by year", "Debts of Uganda Power by year"],
            ["Debts of Kenya Power, Uganda Power by year"],
        ),
        (["Straßen in Kenia, in km", "Straßen in Mali, in km"], ["Straßen in Kenia, Mali, in km"]),
        (["Costs of pumps", "Costs of pumps"], ["Costs of pumps"]),
        (["Costs of pumps", "Costs of pumps today"], None),
        (["Costs of pumps", "Owners of shops"], None),
        (["Roads of Rwanda: length", "Roads of Uganda: paved share"], None),
    ],
)
def test_lines_that_differ_in_a_name_alone_are_one(
    lines: list[str], merged: list[str] | None
) -> None:
    shown = merge_alike(Sentence(text=line) for line in lines)
    assert [line.text for line in shown] == (lines if merged is None else merged)


def test_lines_that_are_marked_otherwise_stay_apart() -> None:
    mark = Mark(code="gap_unchecked", label="not checked")
    lines = [
        Sentence(text="Roads of Mali in km"),
        Sentence(text="Roads of Chad in km", marks=[mark]),
    ]
    assert merge_alike(lines) == lines


def test_lines_of_other_leads_stay_apart() -> None:
    lines = [
        Sentence(lead=f"{name}:", text="No evidence was found.") for name in ("Roads", "Debts")
    ]
    assert merge_alike(lines) == lines

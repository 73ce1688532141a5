"""A crew's answers as the parts of one report."""

from typing import Any

from contracts.agents.crews import CrewTask
from contracts.agents.market_crew import TASKS
from contracts.base import Json
from domain.report.crew_sections import (
    build_sections,
    join_comparisons,
    name_apart,
    put_conclusions_first,
)

TASK = CrewTask(id="advice", agent="a", title="Strategy", description="d", expected_output="e")


def said(text: str, **about: Any) -> Json:
    return {"text": text, "citations": [{"source": 1, "quote": text}], **about}


def table(columns: list[str], **rows: list[Json | None]) -> Json:
    told: Any = [{"label": label, "cells": cells} for label, cells in rows.items()]
    return {"comparison": {"columns": [*columns], "rows": told}}


def test_what_concludes_is_headed_by_its_own_name_and_a_comparison_is_no_section() -> None:
    advice = said("Enter.", rests_on=["dry"])
    output: Json = {
        "recommendation": [advice],
        "risks": [said("It is dry.", id="dry"), advice],
        "gaps": ["No prices.", "No farms."],
        **table(["A"], Land=[said("5")]),
    }
    sections = build_sections(TASK, output, None, "en")
    assert [(s.heading, s.missing) for s in sections] == [
        ("Recommendation", ""),
        ("Strategy: risks", "No prices.\nNo farms."),
    ]


def test_tables_of_several_tasks_become_one() -> None:
    joined = join_comparisons(
        [
            table(["A", "B"], Land=[said("5"), None], Rain=[said("1")]),
            {"sizes": []},
            table(["B", "C"], Land=[said("7"), said("9")]),
            {"comparison": None},
            table(["A"]),
        ]
    )
    assert joined
    told = {row.label: [cell and cell.text for cell in row.cells] for row in joined.rows}
    assert joined.columns == ["A", "B", "C"]
    assert told == {"Land": ["5", "7", "9"], "Rain": ["1", None, None]}
    assert join_comparisons([{"sizes": []}]) is None


def test_what_only_shares_the_name_of_a_comparison_is_a_section() -> None:
    [section] = build_sections(TASK, {"comparison": [said("A is larger.")]}, None, "en")
    assert section.heading == "Strategy"
    assert [claim.text for claim in section.claims] == ["A is larger."]


def test_what_a_crew_recommends_stands_before_what_it_rests_on() -> None:
    sized = said("It is large.", id="large")
    also: Json = {"text": "So it is open.", "citations": [], "rests_on": ["large"]}
    first = build_sections(TASK, {"sizes": [sized, also]}, None, "en")
    last = build_sections(
        TASK,
        {"recommendation": [said("Enter.", rests_on=["large"])], "risks": [said("Dry.")]},
        None,
        "en",
    )
    headings = [section.heading for section in put_conclusions_first([*first, *last])]
    assert headings == ["Recommendation", "Strategy", "Strategy: risks"]


def test_the_market_crews_strategist_compares() -> None:
    schema: Any = TASKS[-1].output_schema
    assert "comparison" in schema["properties"]


def test_ids_that_two_tasks_gave_stay_apart_and_rest_where_they_did() -> None:
    output: Json = {
        "risks": [{"name": "A", "claim": said("Dry.", id="dry")}],
        "advice": [said("Enter.", rests_on=["dry", "elsewhere"])],
        **table(["A"], Land=[said("5", id="land")]),
    }
    named = name_apart("one", output)
    [risks, advice] = build_sections(TASK, named, None, "en")
    assert risks.claims[0].id == "one.dry"
    assert advice.claims[0].rests_on == ["one.dry", "elsewhere"]
    compared = join_comparisons([named])
    assert compared
    assert [cell and cell.id for cell in compared.rows[0].cells] == ["one.land"]

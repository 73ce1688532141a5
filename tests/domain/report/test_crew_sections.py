"""A crew's answers as the parts of one report."""

from typing import Any

import pytest

from contracts.agents.crews import CrewTask
from contracts.agents.market_crew import TASKS
from contracts.base import Json
from contracts.notices import Notice
from contracts.report.report import Section
from domain.report.crew_sections import (
    arrange_sections,
    build_sections,
    join_comparisons,
    join_outputs,
    list_malformed,
    name_apart,
)
from tests.support.words import de

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
    sections = build_sections(TASK, output)
    assert [(s.heading, s.missing) for s in sections] == [
        ("Recommendation", ""),
        ("Strategy: Risks", "No prices.\nNo farms."),
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


def test_cells_that_two_tasks_fill_differently_are_both_kept() -> None:
    joined = join_comparisons(
        [
            table(["Laos"], Population=[said("7.5 million (2023)")], Area=[said("236,800 km²")]),
            table(["Laos"], Population=[said("7.8 million (2025)")], Area=[said("236,800 km²")]),
        ],
        ["Sizing", "Customers"],
    )
    assert joined
    assert [(row.label, row.cells[0] and row.cells[0].text) for row in joined.rows] == [
        ("Population", "7.5 million (2023)"),
        ("Population (Customers)", "7.8 million (2025)"),
        ("Area", "236,800 km²"),
    ]


def test_fields_of_one_name_are_joined_as_lists_or_kept_by_task() -> None:
    one: Json = {"summary": "A", "risks": ["Dry."], "score": 7, "note": None, "mixed": ["x"]}
    two: Json = {"summary": "B", "risks": ["Wet."], "score": 7, "note": "Late.", "mixed": "y"}
    assert join_outputs([one, two], ["size", "advice"]) == {
        "summary": {"size": "A", "advice": "B"},
        "risks": ["Dry.", "Wet."],
        "score": 7,
        "note": "Late.",
        "mixed": {"size": ["x"], "advice": "y"},
    }
    assert join_outputs([one, {"summary": "B"}])["summary"] == {"1": "A", "2": "B"}


def test_what_only_shares_the_name_of_a_comparison_is_a_section() -> None:
    [section] = build_sections(TASK, {"comparison": [said("A is larger.")]})
    assert section.heading == "Strategy"
    assert [claim.text for claim in section.claims] == ["A is larger."]


def test_where_no_task_writes_sections_the_conclusions_open_the_report() -> None:
    sized = said("It is large.", id="large")
    also: Json = {"text": "So it is open.", "citations": [], "rests_on": ["large"]}
    outputs: dict[str, Json] = {
        "size": {"sizes": [sized, also]},
        "advice": {"recommendation": [said("Enter.", rests_on=["large"])], "risks": [said("Dry.")]},
    }
    assert list_headings(arrange_sections([SIZE, TASK], outputs, ["Answer"])) == [
        *("Recommendation", "Market size", "Strategy: Risks")
    ]


SIZE = TASK.model_copy(update={"id": "size", "title": "Market size"})


def list_headings(sections: list[Section]) -> list[str]:
    return [section.heading for section in sections]


def arrange(placed: list[Json], *sizes: Json, gaps: list[str] | None = None) -> dict[str, Any]:
    """Return the sentences and the gaps of a report by heading; the outline is Answer, Size, Risks."""
    found = name_apart("size", {"sizes": [*sizes], "gaps": [*(gaps or [])]})
    advice = name_apart("advice", {"sections": [*placed]})
    outputs = {"size": found, "advice": advice}
    sections = arrange_sections([SIZE, TASK], outputs, ["Answer", "Size", "Risks"])
    return {s.heading: [*(c.text for c in s.claims), *s.missing.splitlines()] for s in sections}


def section(heading: str, *sentences: str, **more: Any) -> Json:
    return {"heading": heading, "claims": [], "sentences": [*sentences], **more}


def located(text: str, at: int) -> Json:
    return {"text": text, "citations": [{"source": 1, "quote": "q", "start": at, "end": at + 1}]}


def test_sentences_stand_where_the_concluding_task_places_them() -> None:
    answer: Json = {"text": "Enter.", "citations": [], "rests_on": ["size.s1"]}
    told = arrange(
        [section("SIZE", "size.s2", "size.s1"), section("Answer", claims=[answer])],
        said("It is 5."),
        said("It grows."),
        said("It is old."),
    )
    assert told == {
        "Answer": ["Enter."],
        "Size": ["It grows.", "It is 5."],
        "Risks": [],
        "Market size": ["It is old."],
    }


def replace_count(by: str, verdict: str = "supported", *placed: str) -> list[Section]:
    """Return the sections where a count of 147 wells is superseded by the sentence of an id."""
    found = name_apart("size", {"sizes": [said("147 wells.", id="old")]})
    own = said("92 wells without the south.", id="new", verdict=verdict)
    replaced: Json = {"sentence": "size.old", "by": by}
    sections: Json = section("Size", *placed, claims=[own])
    advice = name_apart("advice", {"sections": [sections], "superseded": [replaced]})
    return arrange_sections([SIZE, TASK], {"size": found, "advice": advice}, [])


def test_a_superseded_sentence_is_a_detail_with_the_sentence_that_replaces_it() -> None:
    size, details = replace_count("new", "supported", "size.old")
    assert ([c.text for c in size.claims], size.is_detail) == (
        ["92 wells without the south."],
        False,
    )
    assert [(c.text, c.superseded_by) for c in details.claims] == [("147 wells.", "advice.new")]
    assert (details.heading, details.is_detail) == ("Market size", True)


@pytest.mark.parametrize(("by", "verdict"), [("unknown", "supported"), ("new", "not_shown")])
def test_a_sentence_that_does_not_hold_supersedes_none(by: str, verdict: str) -> None:
    [size] = replace_count(by, verdict, "size.old")
    assert [(c.text, c.superseded_by) for c in size.claims][1:] == [("147 wells.", "")]


def test_a_shipped_task_is_named_in_the_reports_language() -> None:
    found = name_apart(
        "market_sizing", {"sizes": [said("It is 5.")], "facts": [said("It is dry.")]}
    )
    advice: Json = {"sections": [section("Antwort")]}
    outputs = {"market_sizing": found, "strategy": advice}
    told = arrange_sections(TASKS, outputs, [], "de")
    assert list_headings(told) == [
        "Antwort",
        *(f"{de('name-market_sizing')}: {de(name)}" for name in ("name-sizes", "name-facts")),
    ]
    assert [part.is_detail for part in told] == [False, True, True]


def test_a_placed_sentence_that_does_not_hold_stands_once_and_tells_nothing() -> None:
    wrong = {**located("There are 72 farms.", 4), "verdict": "contradicted"}
    told = arrange([section("Size", "size.s1")], wrong, located("The county has 72 farms.", 4))
    assert told["Size"] == ["There are 72 farms."]
    assert told["Market size"] == ["The county has 72 farms."]


def test_a_sentence_that_is_placed_twice_stands_where_it_is_placed_first() -> None:
    placed = [section("Size", "size.s1"), section("Risks", "size.s1", claims=[said("It is 5")])]
    assert arrange(placed, said("It is 5.")) == {"Answer": [], "Size": ["It is 5."], "Risks": []}


def test_what_is_not_placed_is_left_out_where_a_placed_sentence_tells_the_same() -> None:
    told = arrange(
        [section("Size", "size.s1")],
        located("There are 72 farms.", 4),
        located("The county has 72 farms.", 4),
        located("There are 72 wells.", 9),
        located("Farms are many.", 4),
    )
    assert told["Market size"] == ["There are 72 wells.", "Farms are many."]


def test_what_rests_on_a_sentence_that_is_left_out_rests_on_the_one_that_tells_the_same() -> None:
    answer: Json = {"text": "Enter.", "citations": [], "rests_on": ["size.s2"]}
    found = name_apart("size", {"sizes": [located("72 farms.", 4), located("It has 72 farms.", 4)]})
    advice: Json = {"sections": [section("Size", "size.s1", claims=[answer])]}
    [size] = arrange_sections([SIZE, TASK], {"size": found, "advice": advice}, [])
    assert [(c.text, c.rests_on) for c in size.claims] == [
        *(("Enter.", ["size.s1"]), ("72 farms.", []))
    ]


def test_a_gap_that_the_concluding_task_repeats_is_not_told_again() -> None:
    placed = [section("Size", missing="How fast sales of pumps grow")]
    gaps = ["How fast sales of pumps grow.", "No page has prices."]
    assert arrange(placed, gaps=gaps)["Market size"] == ["No page has prices."]


def test_gap_of_several_sentences_is_one_line() -> None:
    gap = "No page has prices. The dealers only name brands."
    told = arrange([section("Size")], gaps=[gap])
    assert told["Market size"] == [gap]


@pytest.mark.parametrize(
    ("missing", "names", "left"),
    [
        ("Nothing on trade.", ["size.gap-1", "size.gap-2"], None),
        ("Nothing on trade.", ["size.gap-2", "size.gap-9"], ["How fast sales grow."]),
        (" ", ["size.gap-1"], ["How fast sales grow.", "Prices."]),
    ],
)
def test_gaps_in_whose_place_the_concluding_task_says_another_line_are_not_listed(
    missing: str, names: list[str], left: list[str] | None
) -> None:
    placed = [section("Size", missing=missing, replaces=names)]
    told = arrange(placed, gaps=["How fast sales grow.", "Prices."])
    assert told.get("Market size") == left


def test_a_field_called_sections_that_means_something_else_is_a_section() -> None:
    output: Json = {"sections": [said("Two wards.")], "gaps": []}
    assert list_headings(arrange_sections([TASK], {"advice": output}, ["Answer"])) == ["Strategy"]


def test_section_that_cannot_be_read_leaves_the_others_and_its_sentences() -> None:
    odd: Json = {"claims": [said("Unplaced.")], "sentences": ["size.s1"]}
    placed = [section("Answer", claims=[said("Enter.")]), odd, section("Size", "size.s1")]
    assert arrange(placed, said("It is 5."), said("It grows.")) == {
        "Answer": ["Enter."],
        "Size": ["It is 5."],
        "Risks": [],
        "Market size": ["It grows."],
        "Strategy": ["Unplaced."],
    }
    outputs: dict[str, Json] = {"advice": {"sections": [*placed], "superseded": ["size.s1"]}}
    assert list_malformed([SIZE, TASK], outputs) == [
        Notice.of("crew-sections-odd", n=1, task="advice"),
        Notice.of("crew-superseded-odd", n=1, task="advice"),
    ]


def test_entry_on_a_replaced_sentence_that_cannot_be_read_leaves_the_others() -> None:
    found = name_apart("size", {"sizes": [said("147 wells.", id="old")]})
    own = section("Size", claims=[said("92 wells.", id="new", verdict="supported")])
    replaced: list[Any] = [{"sentence": 7}, {"sentence": "size.old", "by": "new"}]
    advice = name_apart("advice", {"sections": [own], "superseded": replaced})
    size, details = arrange_sections([SIZE, TASK], {"size": found, "advice": advice}, [])
    assert [claim.text for claim in size.claims] == ["92 wells."]
    assert details.claims[0].superseded_by == "advice.new"


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
    [risks, advice] = build_sections(TASK, named)
    assert risks.claims[0].id == "one.dry"
    assert advice.claims[0].rests_on == ["one.dry", "elsewhere"]
    compared = join_comparisons([named])
    assert compared
    assert [cell and cell.id for cell in compared.rows[0].cells] == ["one.land"]

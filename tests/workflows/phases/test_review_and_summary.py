"""`analysis`, `decision`, `review`, `summary`: named inputs in, typed output with checked quotes out."""

import json
from typing import Any

import pytest
from pydantic import JsonValue, TypeAdapter, ValidationError

from contracts.base import Json
from contracts.definitions import Definition
from contracts.errors import InvalidInput
from contracts.notices import Notice
from contracts.phases import Phase
from domain.lost_inputs import explain_loss
from tests.support.words import en, pattern
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.phase_harness import (
    CLAIM,
    PLAN,
    VERIFIED,
    Silent,
    context_of,
    opened,
    work,
)
from workflows.interpreter.phase_walk import Interpreter
from workflows.phases import PHASES
from workflows.runtime.truncation import truncate
from workflows.start.resolution import validate_definition

KINDS = ("analysis", "decision", "review", "summary")
PHASE: TypeAdapter[Phase] = TypeAdapter(Phase)


def phase(kind: str, **more: Any) -> Phase:
    return PHASE.validate_python({"kind": kind, **more})


def bound(*phases: Json) -> dict[str, dict[str, list[str]]]:
    return validate_definition(
        Definition(id="d", phases=[PHASE.validate_python(p) for p in phases])
    )


def problems(*phases: Json) -> dict[str, str]:
    with pytest.raises(InvalidInput) as refused:
        bound(*phases)
    return {p.path: p.message for p in refused.value.problems}


def told(request: Json) -> dict[str, str]:
    """Return the inputs of a request to a model."""
    messages: Any = request["messages"]
    return {item["name"]: item["text"] for item in messages[0]["content"][0]["inputs"]}


@pytest.mark.parametrize("kind", KINDS)
async def test_each_kind_provides_its_output_and_findings(kind: str) -> None:
    fakes = Fakes()
    fakes.unfounded = ["And more.", "Others sell them too."]
    done = await work(fakes, phase(kind))
    [output] = done.gave
    assert isinstance(output, dict)
    assert {kind, "findings"} <= set(output) == set(PHASES[kind].provides)
    assert output["findings"] == ([] if kind == "review" else [VERIFIED])
    [request] = [each for each in done.of_models() if each["role"] != "judge"]
    assert set(told(request)) == {"question", "answers", "report"}
    assert "markdown" not in told(request)["report"]


async def test_claim_without_its_quote_is_not_shown() -> None:
    fakes = Fakes()
    fakes.unfounded = ["And more."]
    done = await work(fakes, phase("summary"))
    output: Any = done.gave[0]
    points = output["summary"]["key_points"]
    assert [point["verdict"] for point in points] == ["supported", "not_shown"]
    assert output["findings"] == [VERIFIED]


@pytest.mark.parametrize(("kind", "points"), [("summary", "key_points"), ("analysis", "points")])
async def test_the_text_says_only_what_its_verified_points_say(kind: str, points: str) -> None:
    told = [
        "It grows by 40 % a year",
        "Pumps sell.",
        "Farms buy.",
        "Rain is short.",
        "Sun is free.",
    ]
    said: list[JsonValue] = [
        {"text": text, "citations": [{"source": 1, "quote": "Pumps sell."}]} for text in told
    ]
    fakes = Fakes()
    fakes.unfounded = told[:1]
    draft: Json = {"text": "A market of $500 million.", points: said, "gaps": []}
    fakes.answers[kind.capitalize()] = draft
    output: Any = (await work(fakes, phase(kind))).gave[0]
    assert output[kind]["text"] == "Pumps sell. Farms buy. Rain is short."
    assert [point["text"] for point in output[kind][points]] == told


async def test_a_sentence_that_nobody_judged_is_marked_in_a_short_text() -> None:
    cited: JsonValue = [{"source": 1, "quote": "Pumps sell."}]
    said: list[JsonValue] = [
        {"text": text, "citations": cited} for text in ("Do pumps sell?", "Farms buy.")
    ]
    fakes = Fakes()
    fakes.unjudged = ["Farms buy."]
    fakes.answers["Summary"] = {"text": "", "key_points": said, "gaps": []}
    output: Any = (await work(fakes, phase("summary"))).gave[0]
    assert output["summary"]["text"] == f"Do pumps sell? Farms buy ({en('mark-not_judged')})."
    assert output["summary"]["unmarked"] == "Do pumps sell? Farms buy."


def unfounded(line: str, figures: str) -> str:
    return en("figures-unfounded", line=line, figures=figures)


def chosen(line: str, figures: str) -> str:
    return en("figures-chosen", line=line, figures=figures)


async def test_a_decision_says_which_of_its_figures_no_claim_has() -> None:
    fakes = Fakes()
    fakes.answers["Recommendation"] = {
        "action": "Enter",
        "confidence": 0.7,
        "horizon": "from 2011-05-02 until 2031-05-02",
        "rationale": [CLAIM],
        "risks": [{**CLAIM, "text": "Pumps cost 300 dollars in 2024."}],
        "what_would_change": ["A price of 300 dollars in 2024.", "A tax near its 29.8%.", "A war."],
    }
    output: Any = (await work(fakes, phase("decision"))).gave[0]
    horizon = "from 2011-05-02 until 2031-05-02"
    assert output["decision"]["horizon"] == chosen(horizon, "2011-05-02"), (
        "a day ahead is the decider's to set"
    )
    assert output["decision"]["what_would_change"] == output["report"]["would_change"]
    assert output["report"]["would_change"] == [
        "A price of 300 dollars in 2024.",
        chosen("A tax near its 29.8%.", "29.8%"),
        "A war.",
    ]


@pytest.mark.parametrize(("form", "answer"), [("report", "Report"), ("text", "ShortAnswer")])
@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Pumps for farms", "Pumps for farms"),
        ("Pumps at 12.8 times profit", "Where to sell pumps?"),
    ],
)
async def test_a_title_has_no_figure_that_nothing_checks(
    form: str, answer: str, title: str, shown: str
) -> None:
    fakes = Fakes()
    part: Json = {"sections": [{"heading": "Facts", "claims": [CLAIM]}]}
    fakes.answers[answer] = {"title": title} | (part if form == "report" else {"claims": [CLAIM]})
    written = phase("synthesis", id="written", config={"form": form})
    output: Any = (await work(fakes, written)).gave[0]
    assert output["report"]["title"] == shown


async def test_what_is_missing_has_no_figure_without_a_word() -> None:
    fakes = Fakes()
    missing = "Sales of 2026, which fell by 12.9%.\nWhy 300 dollars."
    part: Json = {"heading": "Facts", "claims": [CLAIM], "missing": missing}
    fakes.answers["Report"] = {"title": "Pumps", "sections": [part]}
    written = phase("synthesis", id="written", config={"form": "report"})
    output: Any = (await work(fakes, written)).gave[0]
    assert output["report"]["sections"][0]["missing"].splitlines() == [
        unfounded("Sales of 2026, which fell by 12.9%.", "12.9%"),
        unfounded("Why 300 dollars.", "300 dollars"),
    ]


@pytest.mark.parametrize(
    ("as_of", "known", "new"),
    [(None, "2026-01-01", "2025-06-30"), ("2025-06-30", "2025-06-30", "2025-12-31")],
)
async def test_day_of_the_run_or_of_its_plan_needs_no_source(
    as_of: str | None, known: str, new: str
) -> None:
    lines = [f"Prices: the newest are of {day}." for day in (known, new)]
    marked = [lines[0], unfounded(lines[1], new)]
    fakes = Fakes()
    part: Json = {"heading": "Facts", "claims": [CLAIM], "missing": "\n".join(lines)}
    fakes.answers["Report"] = {"title": "Pumps", "sections": [part]}
    fakes.answers["Recommendation"] = {
        "action": "Enter",
        "confidence": 0.7,
        "horizon": "",
        "rationale": [CLAIM],
        "risks": [CLAIM],
        "what_would_change": [f"Prices below those of {known}."],
    }
    written = phase("synthesis", id="written", config={"form": "report"})
    plan = PLAN.model_copy(update={"as_of": as_of})
    output: Any = (await work(fakes, written, phase("decision"), plan=plan)).gave
    assert output[0]["report"]["sections"][0]["missing"].splitlines() == marked
    assert output[1]["decision"]["what_would_change"] == [f"Prices below those of {known}."]


async def test_a_summary_tells_of_each_thing_that_the_report_compares() -> None:
    places = ["Kenya", "Ethiopia", "Tanzania", "Uganda"]
    cells: list[JsonValue] = [CLAIM] * 4
    compared: Json = {"columns": [*places], "rows": [{"label": "Pumps", "cells": cells}]}
    fakes = Fakes()
    fakes.answers["Report"] = {
        "title": "Pumps",
        "sections": [{"heading": "Facts", "claims": [CLAIM]}],
        "comparison": compared,
    }
    points: list[JsonValue] = [{**CLAIM, "text": f"Pumps sell in {place}."} for place in places]
    fakes.answers["Summary"] = {"text": "", "key_points": points}
    done = await work(fakes, phase("synthesis", id="written"), phase("summary"))
    output: Any = done.gave[1]
    assert [place for place in places if place in output["summary"]["text"]] == places


CONCLUDED: Json = {**CLAIM, "text": "Enter Kenya first.", "rests_on": ["sells"]}
FURTHER: list[JsonValue] = [{**CLAIM, "text": f"Rain is rare in part {n}."} for n in range(5)]
ANSWERED: Json = {
    "title": "Pumps",
    "sections": [
        {"heading": "Answer", "claims": [CONCLUDED, CLAIM, *FURTHER]},
        {"heading": "Facts", "claims": [{**CLAIM, "id": "sells"}]},
    ],
}


@pytest.mark.parametrize("inputs", [[], ["report"]])
async def test_a_report_that_opens_with_its_conclusion_is_its_own_summary(
    inputs: list[JsonValue],
) -> None:
    fakes = Fakes()
    fakes.answers["Report"] = ANSWERED
    summary = phase("summary", config={"inputs": inputs})
    done = await work(fakes, phase("synthesis", id="written"), summary)
    output: Any = done.gave[1]
    points = output["summary"]["key_points"]
    assert len(points) == 7
    assert output["summary"]["text"] == " ".join(point["text"] for point in points)
    assert output["findings"] == points
    assert len(done.of_models()) == 1, "who writes the report, and no summarizer"


@pytest.mark.parametrize("own", ["instructions", "output_schema", "inputs"])
async def test_a_summary_that_is_wanted_otherwise_is_asked_for(own: str) -> None:
    given: Json = {
        "instructions": "For a board.",
        "output_schema": {"title": "Own", "type": "object"},
    }
    fakes = Fakes()
    fakes.answers |= {"Report": ANSWERED, "Own": {}}
    config: Json = {own: given.get(own, ["report", "findings"])}
    done = await work(fakes, phase("synthesis", id="written"), phase("summary", config=config))
    assert len(done.of_models()) == 2


async def test_a_report_whose_conclusion_did_not_hold_is_summed_up_by_a_model() -> None:
    fakes = Fakes()
    fakes.answers["Report"] = ANSWERED
    fakes.unfounded = ["Enter Kenya first."]
    done = await work(fakes, phase("synthesis", id="written"), phase("summary"))
    roles = [request["role"] for request in done.of_models()]
    assert roles == ["synthesizer", "judge", "summarizer"], (
        "the judge: what nothing answers any more"
    )


async def test_of_earlier_claims_only_what_was_found_against_them_is_told() -> None:
    fakes = Fakes()
    fakes.answers["Analysis"] = {"points": [CLAIM, {**CLAIM, "text": "And more."}], "gaps": []}
    fakes.unfounded = ["And more."]
    done = await work(fakes, phase("analysis"), phase("summary"))
    points = json.loads(told(done.of_models()[1])["analysis"])["points"]
    assert {**points[0], "id": ""} == {"id": "", "text": CLAIM["text"]}
    assert points[1]["verdict"] == "not_shown"


async def test_only_named_inputs_are_read() -> None:
    done = await work(Fakes(), phase("analysis", config={"inputs": ["findings", "sources"]}))
    inputs = told(done.of_models()[0])
    assert list(inputs) == ["question", "answers", "findings", "source-1"]
    assert json.loads(inputs["findings"]) == [CLAIM]


async def test_output_schema_shapes_the_output_and_its_claims_are_verified() -> None:
    schema: Json = {"title": "Own", "type": "object", "properties": {"lessons": {}}}
    fakes = Fakes()
    told_twice: list[JsonValue] = [
        {"lesson": "a", "citations": [{"source": 1, "quote": "q"}]},
        {"text": "Pumps sell.", "source": 1, "quote": "Pumps sell."},
    ]
    fakes.answers["Own"] = {"lessons": told_twice, "mood": "good"}
    fakes.unfounded = ["Pumps sell."]
    done = await work(fakes, phase("decision", config={"output_schema": schema}))
    output: Any = done.gave[0]
    assert output["decision"]["mood"] == "good"
    verdicts = [lesson["verdict"] for lesson in output["decision"]["lessons"]]
    assert verdicts == ["supported", "not_shown"]
    [finding] = output["findings"]
    assert (finding["text"], finding["citations"][0]["quote"]) == ("a", "q")


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"output_schema": {"type": "array"}}, "object"),
        ({"output_schema": {"type": "objekt"}}, pattern("schema-invalid")),
        ({"inputs": ["plan", "plan"]}, pattern("value-twice")),
        ({"models": {"poet": "m"}}, "summarizer"),
    ],
)
def test_inconsistent_config_is_refused(config: Json, said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        phase("summary", config=config)


def test_nearest_output_of_any_kind_but_a_checkpoint_is_read() -> None:
    found = bound(
        {"kind": "clarification"},
        {"kind": "planning"},
        {"kind": "hitl_checkpoint"},
        {"kind": "summary"},
        {"kind": "review"},
    )
    assert found["summary"] == {"input": ["planning"], "brief": ["clarification"]}
    assert found["review"]["input"] == ["summary"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("inputs", [[], ["findings"]])
def test_equally_near_outputs_are_all_read(kind: str, inputs: list[JsonValue]) -> None:
    start: list[Json] = [{"kind": "planning"}, {"kind": "hitl_checkpoint"}]
    branches: list[Json] = [
        {"kind": "research", "id": name, "after": ["hitl_checkpoint"]} for name in ("a", "b")
    ]
    both: Json = {"kind": kind, "after": ["a", "b"], "config": {"inputs": inputs}}
    need = str(inputs[0]) if inputs else "input"
    assert bound(*start, *branches, both)[kind][need] == ["a", "b"]
    chosen = bound(*start, *branches, {**both, "bind": {need: "b"}})
    assert chosen[kind][need] == ["b"]


@pytest.mark.parametrize("kind", KINDS)
async def test_model_is_asked_over_what_each_of_two_branches_gave(kind: str) -> None:
    branches = [phase("analysis", id=name, after=["synthesis"]) for name in ("a", "b")]
    both = phase(kind, id="both", after=["a", "b"])
    done = await work(Fakes(), *branches, both)
    asked = [each for each in done.of_models() if each["role"] != "judge"][-1]
    assert {"a.analysis", "b.analysis"} <= set(told(asked))


async def test_pages_of_two_branches_are_shown_as_pages() -> None:
    branches = [phase("analysis", id=name, after=["synthesis"]) for name in ("a", "b")]
    both = phase("summary", after=["a", "b"], config={"inputs": ["sources", "analysis"]})
    done = await work(Fakes(), *branches, both)
    asked: Any = [each for each in done.of_models() if each["role"] != "judge"][-1]
    assert {"a.analysis", "b.analysis"} <= set(told(asked))
    assert any(item["blob"] for item in asked["messages"][0]["content"][0]["inputs"])
    assert not [name for name in told(asked) if name.endswith("sources")]


def test_unprovided_input_names_its_path() -> None:
    named: Json = {"kind": "summary", "config": {"inputs": ["plan", "weather"]}}
    assert problems({"kind": "planning"}, named) == {
        "phases[1].config.inputs[1]": en("provider-missing", phase="summary", need="“weather”")
    }
    alone = problems(
        {"kind": "hitl_checkpoint", "config": {"show_plan": False}}, {"kind": "review"}
    )
    assert alone == {
        "phases[1].bind.input": en("provider-missing", phase="review", need=en("need-anything"))
    }


async def test_inputs_are_truncated_to_the_limit() -> None:
    config = {"inputs": ["plan", "report", "findings", "sources"], "max_input_chars": 160}
    done = await work(Fakes(), phase("summary", config=config))
    inputs = told(done.of_models()[0])
    assert "…" in inputs["plan"]
    messages: Any = done.of_models()[0]["messages"]
    pages = [item["blob"]["chars"] for item in messages[0]["content"][0]["inputs"] if item["blob"]]
    assert pages == [80]


def test_truncated_input_keeps_its_shape_and_its_short_fields() -> None:
    long: Json = {
        "a": "x" * 100,
        "b": [1, 2, {"c": "y" * 100}],
        "d": None,
        "e": [CLAIM] * 9,
        "verdict": "hold",
    }
    short = truncate(long, 75)
    assert isinstance(short, dict)
    assert list(short) == list(long)
    assert (short["d"], short["verdict"]) == (None, "hold")
    assert short["a"] == "x" * 18 + "…"
    assert short["b"] == [1, 2, {"c": "y" * 16 + "…"}]
    assert truncate(long, 10_000) is long


async def test_cut_input_is_told_in_the_run() -> None:
    config = {"inputs": ["plan", "findings"], "max_input_chars": 160}
    done = await work(Fakes(), phase("summary", config=config))
    [lost] = done.lost
    assert (lost.kind, lost.name) == ("cut_values", "plan")
    assert 0 < lost.lost < lost.found
    read = lost.found - lost.lost
    assert explain_loss(lost) == Notice.of("value-cut", name="plan", read=read, of=lost.found)


@pytest.mark.parametrize(
    ("given", "lost"), [({}, ["earlier_version"]), ({"earlier_version": "So."}, [])]
)
async def test_earlier_version_is_cut_only_where_it_is_shown_and_the_answer_is_kept(
    given: dict[str, str], lost: list[str]
) -> None:
    state = opened(phase("summary"))
    interpreter = Interpreter(state)
    interpreter.recorder = Silent(state)  # type: ignore[assignment]
    run = context_of(interpreter, state.resolved.definition.phases[-1])
    run.me.earlier, run.me.cache_key = {"summary": "x" * 20_000}, "key"
    run.build_inputs(**given)
    assert [each.name for each in run.me.lost_inputs] == lost
    assert run.me.cache_key == "key"

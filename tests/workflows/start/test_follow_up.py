"""What a follow-up takes from the report before it."""

from typing import Any

import pytest
from pydantic import JsonValue

from contracts.base import Json
from contracts.definitions import Definition
from contracts.errors import Conflict, InvalidInput
from contracts.evidence.claims import Claim, Verdict
from contracts.preset_definitions import PRESETS
from contracts.report.report import Comparison, ComparisonRow, Report, Section
from contracts.runs.request import RunRequest
from contracts.runs.start import OpenRequest, ParentRun, RunInput
from tests.workflows.support.fake_activities import TERMS, Fakes
from tests.workflows.support.phase_harness import (
    CLAIM,
    DONE,
    NOW,
    PAGE,
    Done,
    Silent,
    context_of,
    parent_of,
)
from workflows.interpreter.initial_state import build_initial_state
from workflows.interpreter.phase_walk import Interpreter
from workflows.phases import PHASES
from workflows.start.follow_up import to_patches
from workflows.start.resolution import open_run

PRESET, EDIT = PRESETS["report_answer"], PRESETS["sentence_edit"]
LONG: Json = {**PAGE, "url": "https://example.org/1", "content_hash": "1", "chars": 90_000}
CONCLUDED: Json = {"text": "So sell them.", "citations": [], "rests_on": ["a"], "id": "b"}


@pytest.mark.parametrize(
    ("verdict", "unjudged", "kept"),
    [
        ("supported", 0, True),
        ("supported", None, True),
        (None, None, True),
        (None, 1, False),
        ("not_shown", None, False),
        ("partly", 0, False),
    ],
)
def test_claims_are_kept_if_they_hold_or_no_judge_was_there(
    verdict: Verdict | None, unjudged: int | None, kept: bool
) -> None:
    claim = Claim(text="Pumps sell.", citations=[], verdict=verdict)
    table = Comparison(columns=["Kenya"], rows=[ComparisonRow(label="Sales", cells=[claim])])
    sections = [Section(heading="Sales", claims=[claim])]
    report = Report(title="T", comparison=table, sections=sections, claims_unjudged=unjudged)
    patches = to_patches(report)
    assert [len(patch.added) for patch in patches if patch.section == "Sales"] == [int(kept)]
    assert sum(len(patch.cells) for patch in patches) == int(kept)


def ended() -> ParentRun:
    """Return a finished run that read a short and a long page, and wrote two sentences."""
    section: Json = {"heading": "Market", "claims": [{**CLAIM, "id": "a"}, CONCLUDED]}
    report: Json = {"title": "Pumps", "sections": [section], "markdown": ""}
    read: Json = {**DONE["research"], "sources": [PAGE, LONG]}
    made: dict[str, Json] = {"research": read, "synthesis": {"report": report}}
    asked = RunRequest(query="Where to sell pumps?")
    parent = parent_of(asked, PRESETS["web_answer"], made, [])
    return parent.model_copy(update={"status": "completed"})


async def ask(
    parent: ParentRun, fakes: Fakes, preset: Definition = PRESET, **inputs: JsonValue
) -> tuple[Done, Json]:
    """Work on a finished report, e.g. answer a question, without questions to humans and without an approval."""
    asked = RunRequest(query="Who sells them?", from_run="p", follow_up=True, inputs=inputs)
    opened = open_run(asked, preset, parent, fakes.terms)
    given = RunInput(**dict(asked))
    state = build_initial_state(OpenRequest(run_id="run-1", input=given, started_at=NOW), opened)
    [phase], done = preset.phases, Done()
    interpreter = Interpreter(state)
    interpreter.recorder = Silent(state)  # type: ignore[assignment]
    run = context_of(interpreter, phase, fakes, done)
    kind = PHASES[phase.kind]
    output = await kind.handler(phase, run.read_inputs(kind.input, kind.needs(phase)), run)
    return done, output.model_dump(mode="json")


async def test_question_on_a_report_is_answered_from_its_sentences_and_pages_alone() -> None:
    done, gave = await ask(ended(), Fakes())
    output: Any = gave
    assert not {"search", "fetch", "probe"} & {name for name, _ in done.asked}
    [opened] = [request for name, request in done.asked if name == "open_parts"]
    assert (opened["text_key"], opened["about"]) == (LONG["text_key"], "Who sells them?")
    messages: Any = done.of_models()[0]["messages"]
    inputs: dict[str, str] = {i["name"]: i["text"] for i in messages[0]["content"][0]["inputs"]}
    assert inputs["report_question"] == "Where to sell pumps?"
    assert inputs["question"] == "Who sells them?"
    assert {"source-1", "source-2"} <= set(inputs)
    assert all(told in inputs["findings"] for told in ("Pumps sell.", "So sell them."))
    assert "rests_on" not in inputs["findings"], "no id of theirs can be named"
    assert output["report"]["sections"][0]["claims"][0]["citations"][0]["source"] == 1
    assert output["patches"] == [], "the report stays as it is"


@pytest.mark.parametrize("form", ["whole", "of a question"])
async def test_question_keeps_the_pages_of_the_report_and_those_of_a_question_on_it(
    form: str,
) -> None:
    parent = ended()
    if form == "of a question":
        opened = open_run(
            RunRequest(query="Who?", from_run="p", follow_up=True), PRESET, parent, TERMS
        )
        base = opened.resolved.base_report
        parent = parent_of(
            RunRequest(query="Who?"), PRESET, {"synthesis": DONE["synthesis"]}, []
        ).model_copy(update={"status": "completed", "base_report": base})
    asked = RunRequest(query="And where?", from_run="p", follow_up=True)
    base = open_run(asked, PRESET, parent, TERMS).resolved.base_report
    assert base
    assert [source.url for source in base.sources] == [PAGE["url"], LONG["url"]]


@pytest.mark.parametrize("has_judge", [True, False])
async def test_edited_sentence_is_checked_with_its_quotes_and_mended_by_nobody(
    has_judge: bool,
) -> None:
    fakes = Fakes()
    fakes.unfounded = ["Pumps boom."]
    fakes.terms = TERMS.model_copy(update={"offline": not has_judge})
    wanted: Json = {"sentence": 1, "former": "Pumps sell.", "text": "Pumps boom."}
    done, gave = await ask(ended(), fakes, EDIT, **wanted)
    sentence: Any = gave["sentence"]
    assert sentence["text"] == "Pumps boom."
    assert [cited["quote"] for cited in sentence["citations"]] == ["Pumps sell."]
    assert sentence["edit"]["former"]["text"] == "Pumps sell."
    assert (sentence["edit"]["by"], sentence["edit"]["at"]) == ("local", NOW)
    assert sentence["verdict"] == "not_shown", "the fakes' code refuses what their judge does"
    checked, *judged, (_, put) = done.asked
    assert [name for name, _ in judged] == ["judge_claims"] * has_judge
    inputs: Any = checked[1]["inputs"]
    assert (inputs["sentence"]["section"], inputs["sentence"]["after"]) == ("Market", 0)
    told: Any = put
    assert (told["run_id"], told["before"]["text"]) == ("p", "Pumps sell.")
    assert told["after"] == sentence


async def test_sentence_is_restored_without_a_check() -> None:
    parent = ended()
    _, gave = await ask(parent, Fakes(), EDIT, sentence=1, former="Pumps sell.", text="Pumps boom.")
    claims: Any = parent.seeds["synthesis"].output["report"]
    before = claims["sections"][0]["claims"][0]
    claims["sections"][0]["claims"][0] = gave["sentence"]
    done, gave = await ask(parent, Fakes(), EDIT, sentence=1, former="Pumps boom.")
    assert [name for name, _ in done.asked] == ["edit"]
    assert Claim.model_validate(gave["sentence"]) == Claim.model_validate(before)


def test_edit_is_refused_before_it_starts() -> None:
    live = ended().model_copy(update={"status": "running"})
    wanted: Json = {"sentence": 1, "former": "Pumps sold.", "text": "Pumps boom."}
    asked = RunRequest(query="?", from_run="p", follow_up=True, inputs=wanted)
    for parent, code in ((ended(), "sentence-changed"), (live, "from-run-live")):
        with pytest.raises((Conflict, InvalidInput)) as refused:
            open_run(asked, EDIT, parent, TERMS)
        assert [problem.code for problem in refused.value.problems] == [code]


def test_question_on_no_report_is_refused_by_the_field() -> None:
    with pytest.raises(InvalidInput) as refused:
        open_run(RunRequest(query="Who sells them?"), PRESET, None, TERMS)
    [problem] = refused.value.problems
    assert (problem.path, problem.code) == ("follow_up", "report-needed")


def test_opening_of_a_report_that_no_section_repeats_is_kept() -> None:
    answer = Section(heading="Answer", claims=[Claim(text="Enter.", citations=[])])
    sections = [Section(heading="Sales", claims=[Claim(text="Pumps sell.", citations=[])])]
    patches = to_patches(Report(title="T", answer=answer, sections=sections))
    assert [p.claim.text for patch in patches for p in patch.added] == ["Enter.", "Pumps sell."]

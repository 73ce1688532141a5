"""The plan, step by step: attempts, context passed on, and humans between steps."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic import ValidationError
from temporalio.client import Client, WorkflowUpdateFailedError
from temporalio.exceptions import ApplicationError

from contracts.base import Json
from contracts.definitions import Definition
from contracts.human.checkpoint_subjects import StepSubject
from contracts.human.checkpoints import TextChange
from contracts.models.call import Block, ModelRequest
from contracts.phases.control import ControlConfig
from contracts.planning.plan import PlanStep
from contracts.problems import Problem
from contracts.runs.state_view import StateView
from contracts.runs.statuses import ENDED
from contracts.words import say
from tests.support.words import en, opening
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.model_answers import ANSWERS, QUOTED, cited
from tests.workflows.support.run_harness import Handle, Harness, harness
from workflows.agents.plan_step import EARLIER_CHARS, READ_CHARS

HITL, FULL, ALONE = "deep_research_hitl", "deep_research_full_hitl", "planning_and_control"


@pytest.fixture
async def runs(temporal: Client) -> AsyncIterator[Harness]:
    async with harness(temporal, Fakes()) as made:
        plan(made, 2)
        yield made


def plan(runs: Harness, count: int, role: str = "researcher") -> None:
    steps: Any = [
        {"name": f"Part {n + 1}", "description": f"Do part {n + 1}.", "agent_role": role}
        for n in range(count)
    ]
    runs.fakes.answers["PlanDraft"] = {"title": "Pumps", "steps": steps, "search_terms": ["pumps"]}


def reviews(*verdicts: Json) -> Any:
    """Return a reviewer that says these in turn, the last one for ever."""
    left = list(verdicts)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


def lacking(reason: str) -> Json:
    return {"accepted": False, "issues": [reason]}


DONE: Json = {"accepted": True, "issues": []}


def output(runs: Harness, phase: str = "control") -> dict[str, Any]:
    """Return what was recorded of a phase last."""
    records = [p for batch in runs.fakes.batches for p in batch.phases if p.id == phase]
    return dict(records[-1].output or {})


async def decide(runs: Harness, handle: Handle, place: str, action: str, **more: Any) -> StateView:
    state = await runs.until(handle, lambda s: s.pending and place in s.pending[0].checkpoint_id)
    shown = state.pending[0]
    await runs.update(handle, "decide", {"action": action, "plan_hash": shown.plan_hash, **more})
    return state


async def test_each_step_is_done_by_its_role_and_reviewed(runs: Harness) -> None:
    handle = await runs.start(definition_id=HITL)
    await runs.decide(handle, "approve")
    assert (await handle.result()).status == "completed"
    done = output(runs)
    assert [(s["number"], s["name"], s["attempts"]) for s in done["steps"]] == [
        (1, "Part 1", 1),
        (2, "Part 2", 1),
    ]
    assert [part["heading"] for part in done["report"]["sections"]] == ["Market"], "as approved"
    assert runs.fakes.told("synthesizer", "earlier")[0].count("Pumps sell well.") == 2
    assert "Pumps sell" in done["report"]["markdown"]
    assert [r.scope.plan_step for r in runs.fakes.of("step_reviewer")] == ["step-1", "step-2"]
    assert runs.fakes.told("researcher", "earlier")[0] == ""
    assert "Pumps sell well." in runs.fakes.told("researcher", "earlier")[1]


async def test_a_text_that_a_step_made_stands_in_the_report(runs: Harness) -> None:
    def answer(request: Any) -> Json:
        found: Json = {"findings": [QUOTED]} if request.scope.plan_step == "step-1" else {}
        return {"summary": "Dear farmer, buy a pump.", **found}

    runs.fakes.answers["researcher"] = answer
    handle = await runs.start(definition_id=HITL)
    await runs.decide(handle, "approve")
    await handle.result()
    report = output(runs)["report"]
    assert [part["heading"] for part in report["sections"]] == ["Market", "Part 2"]
    assert report["sections"][1]["account"] == "Dear farmer, buy a pump."


async def test_a_step_that_searched_in_vain_adds_its_gaps_to_the_report_and_no_account(
    runs: Harness,
) -> None:
    def answer(request: Any) -> Json:
        first: Json = {"findings": [QUOTED]}
        found: Json = first if request.scope.plan_step == "step-1" else {"gaps": ["No prices."]}
        return {"summary": "Nothing was found.", **found}

    runs.fakes.answers["researcher"] = answer
    handle = await runs.start(definition_id=HITL)
    await runs.decide(handle, "approve")
    await handle.result()
    told = [(s["heading"], s["account"], s["missing"]) for s in output(runs)["report"]["sections"]]
    assert told == [("Market", "", ""), (say("en", "not-researched"), "", "No prices.")]


async def test_the_writer_sees_the_tables_that_steps_made(runs: Harness) -> None:
    table: Json = {"title": "Prices", "columns": ["Pump", "Price"], "rows": [["A", "dear"]]}
    runs.fakes.making = [Block(type="tool_use", id="t", name="table", input=table)]
    steps = [{"name": role, "agent_role": role} for role in ("researcher", "engineer")]
    runs.fakes.answers["PlanDraft"] = {"title": "Pumps", "steps": steps, "search_terms": ["pumps"]}
    handle = await runs.start(definition_id=HITL)
    await runs.decide(handle, "approve")
    assert (await handle.result()).status == "completed"
    [told] = runs.fakes.told("synthesizer", "tables")
    assert json.loads(told) == [{"name": "Prices", "rows": [["Pump", "Price"], ["A", "dear"]]}]


async def test_steps_are_reported_where_nobody_writes_the_report(runs: Harness) -> None:
    def refuse(kind: str, request: Any) -> None:
        if kind == "model" and request.role == "synthesizer":
            raise ApplicationError("declined", type="model-refused", non_retryable=True)

    runs.fakes.before = refuse
    handle = await runs.start(definition_id=HITL)
    await runs.decide(handle, "approve")
    await handle.result()
    report = output(runs)["report"]
    assert [part["heading"] for part in report["sections"]] == ["Part 1", "Part 2"]
    assert report["claims_total"] == 2


async def test_objections_are_inputs_of_the_next_attempt(runs: Harness) -> None:
    runs.fakes.answers["step_reviewer"] = reviews(lacking("no year"), lacking("no price"), DONE)
    handle = await runs.start(definition_id=HITL)
    await runs.decide(handle, "approve")
    assert (await handle.result()).status == "completed"
    told = runs.fakes.told("researcher", "failures")
    assert told[0] == ""
    assert "no year" in told[1]
    assert "no price" not in told[1]
    assert "no year" in told[2]
    assert "no price" in told[2]
    assert output(runs)["steps"][0]["failures"] == [["no year"], ["no price"]]
    assert told[3] == "", "the next step begins without them"
    before = runs.fakes.told("researcher", "earlier_version")
    assert [bool(version) for version in before] == [False, True, True, False]
    assert json.loads(before[1]).keys() == {"summary", "findings", "gaps"}
    searched = map(json.loads, runs.fakes.told("step_reviewer", "searches"))
    assert [len(searches) for searches in searched] == [1, 2, 3, 1], "also of earlier attempts"


async def test_a_rejected_attempt_leaves_its_calculations_and_no_table(runs: Harness) -> None:
    plan(runs, 1, "engineer")
    table: Json = {"title": "Prices", "columns": ["Pump", "Price"], "rows": [["A", "dear"]]}
    asked: Json = {"expression": "6 * 7"}
    runs.fakes.making = [
        Block(type="tool_use", id="t", name="table", input=table),
        Block(type="tool_use", id="c", name="calculate", input=asked),
    ]

    def review(request: ModelRequest) -> Json:
        if request.scope.name.startswith("step-1-try-1-"):
            runs.fakes.making = []
            return lacking("the table is in the wrong unit")
        return DONE

    runs.fakes.answers["step_reviewer"] = review
    handle = await runs.start(definition_id=HITL)
    await runs.decide(handle, "approve")
    assert (await handle.result()).status == "completed"
    assert output(runs)["artifacts"] == [], "what was rejected is shown to nobody"
    again = runs.fakes.told("engineer", "earlier_version")[-1]
    assert json.loads(again)["tables"] == [table]
    for role in ("engineer", "step_reviewer"):
        [kept] = json.loads(runs.fakes.told(role, "calculations")[-1])
        assert kept["expression"] == "6 * 7"
        assert "42" in kept["result"]


async def test_a_step_may_conclude_from_the_findings_of_earlier_ones(runs: Harness) -> None:
    found = {"summary": "Pumps sell.", "findings": [{**QUOTED, "id": "sales"}]}
    runs.fakes.answers["StepDraft"] = found
    handle = await runs.start(definition_id=HITL)
    await runs.decide(handle, "approve")
    assert (await handle.result()).status == "completed"
    first, second = (r.judge.known for r in runs.fakes.of("researcher") if r.judge)
    assert [*first] == ["Q"], "the request alone"
    assert second["sales"].text == QUOTED["text"]
    ids = [finding["id"] for step in output(runs)["steps"] for finding in step["findings"]]
    assert ids == ["sales", "sales-2"], "each names one sentence"


async def test_a_reviewer_is_told_of_figures_that_only_a_summary_has(runs: Harness) -> None:
    steps = reviews(
        {"summary": "Pumps sell in 2024, 60% more.", "findings": [QUOTED]}, {"summary": "-"}
    )
    runs.fakes.answers["StepDraft"] = steps
    handle = await runs.start(definition_id=HITL)
    await runs.decide(handle, "approve")
    assert (await handle.result()).status == "completed"
    assert [
        told and json.loads(told) for told in runs.fakes.told("step_reviewer", "unfounded")
    ] == [
        ["60%"],
        "",
    ]


async def test_a_step_with_more_text_than_is_checked_is_reviewed(runs: Harness) -> None:
    long = {**QUOTED, "text": f"Pumps sell. {'word ' * (READ_CHARS // 5)}"}
    runs.fakes.answers["StepDraft"] = reviews(
        {"summary": "-", "findings": [long]}, {"summary": "-"}
    )
    handle = await runs.start(definition_id=HITL)
    await runs.decide(handle, "approve")
    assert (await handle.result()).status == "completed"
    assert len(runs.fakes.of("step_reviewer")) == 2, "also the step without findings"


async def test_a_step_that_only_cites_is_reviewed_by_nobody(runs: Harness) -> None:
    """A figure of an earlier step's finding is known in the next one's summary."""
    grew = {**QUOTED, "text": "Pumps grew 60%."}
    runs.fakes.answers["StepDraft"] = reviews(
        {"summary": "-", "findings": [grew]}, {"summary": "They grew 60%.", "findings": [QUOTED]}
    )
    handle = await runs.start(definition_id=HITL)
    await runs.decide(handle, "approve")
    assert (await handle.result()).status == "completed"
    assert runs.fakes.of("step_reviewer") == []


async def test_a_reviewer_sees_what_was_searched_and_later_steps_what_was_read(
    runs: Harness,
) -> None:
    handle = await runs.start(definition_id=HITL)
    await runs.decide(handle, "approve")
    assert (await handle.result()).status == "completed"
    [searched, *_] = runs.fakes.told("step_reviewer", "searches")
    new = {"new": ["https://example.org/0"], "seen_before": 0}
    assert json.loads(searched) == [{"query": "pumps", **new}]
    work = runs.fakes.told("step_reviewer", "work")[0]
    assert "quote" in work
    assert '"start"' not in work
    first, *later = runs.fakes.told("researcher", "pages_read")
    assert (first, json.loads(later[-1])[0]["source"]) == ("", 1)


async def test_search_result_is_listed_in_full_once_per_conversation(runs: Harness) -> None:
    """A new attempt knows nothing of the one before, but for the pages that it read."""
    runs.fakes.answers["step_reviewer"] = reviews(lacking("no year"), DONE)
    runs.fakes.making = [
        Block(type="tool_use", id="s2", name="web_search", input={"query": "wells"})
    ]
    overrides = {"control": {"config": {"step_number": 1, "execute_all_steps": False}}}
    handle = await runs.start(definition_id=HITL, config_overrides=overrides)
    await runs.decide(handle, "approve")
    assert (await handle.result()).status == "completed"
    told = [
        json.loads(request.messages[turn].content[0].inputs[0].text)
        for request in runs.fakes.requests
        if len(request.messages) == 7
        for turn in (2, 6)
    ]
    whole, again = told[:2]
    assert "url" in whole[0]
    assert again == [{"repeated": 1}]
    named = [{"url": whole[0]["url"], "read_as_source": 1}]
    assert told == [whole, again, named, again]
    [searched, *_] = runs.fakes.told("step_reviewer", "searches")
    assert [(len(s["new"]), s["seen_before"]) for s in json.loads(searched)] == [(1, 0), (0, 1)]


async def test_a_reviewer_sees_why_a_search_failed(runs: Harness) -> None:
    def refuse(kind: str, request: Any) -> None:
        if kind == "search":
            raise ApplicationError("no service", type="search-refused", non_retryable=True)

    runs.fakes.before = refuse
    handle = await runs.start(definition_id=HITL)
    await runs.decide(handle, "approve")
    await handle.result()
    [searched, *_] = runs.fakes.told("step_reviewer", "searches")
    assert json.loads(searched) == [{"query": "pumps", "error": "no service"}]


async def test_failed_step_is_named_and_earlier_results_stay(runs: Harness) -> None:
    runs.fakes.answers["step_reviewer"] = reviews(DONE, lacking("no figures"))
    config: Json = {"max_n_attempts": 2, "on_step_failure": "fail"}
    handle = await runs.start(definition_id=HITL, config_overrides={"control": {"config": config}})
    await runs.decide(handle, "approve")
    assert (await handle.result()).status == "failed"
    [phase] = [p for p in (await runs.state(handle)).phases if p.id == "control"]
    assert phase.error
    assert phase.error.type == "step-failed"
    assert phase.error.message.startswith(
        en("step-failed", step="step-2", name="Part 2", n="2", reasons="1: no figures")
    )
    assert [s["name"] for s in output(runs)["steps"]] == ["Part 1"]
    assert "Pumps sell" in output(runs)["report"]["markdown"]
    summary = (await runs.state(handle)).phases[-1]
    assert summary.status == "skipped", "what a failed phase leaves is for people alone"


async def test_agent_error_uses_an_attempt(runs: Harness) -> None:
    failed: list[Any] = []

    def refuse_once(kind: str, request: Any) -> None:
        if kind == "model" and request.role == "researcher" and not failed:
            failed.append(request)
            raise ApplicationError("I would rather not", type="model-refused", non_retryable=True)

    runs.fakes.before = refuse_once
    handle = await runs.start(definition_id=HITL)
    await runs.decide(handle, "approve")
    assert (await handle.result()).status == "completed"
    assert output(runs)["steps"][0]["failures"] == [["I would rather not"]]


@pytest.mark.parametrize(
    "error", ["budget-exceeded", pytest.param("model-rejected", marks=pytest.mark.full)]
)
async def test_final_error_is_not_attempted_again(runs: Harness, error: str) -> None:
    def fail(kind: str, request: Any) -> None:
        if kind == "model" and request.scope.plan_step == "step-2":
            raise ApplicationError("no more", type=error, non_retryable=True)

    runs.fakes.before = fail
    handle = await runs.start(definition_id=HITL)
    await runs.decide(handle, "approve")
    if error == "budget-exceeded":
        await runs.decide_on_budget(handle, "finish")
    assert (await handle.result()).status == "partial"
    assert [s["name"] for s in output(runs)["steps"]] == ["Part 1"]
    assert {r.scope.plan_step for r in runs.fakes.of("researcher")} == {"step-1"}


async def test_step_that_ends_early_for_money_is_the_last(runs: Harness) -> None:
    def fail(kind: str, request: Any) -> None:
        if kind == "model" and request.scope.plan_step == "step-2" and request.kept_turns:
            raise ApplicationError("no more", type="budget-exceeded", non_retryable=True)

    plan(runs, 3)
    runs.fakes.before = fail
    handle = await runs.start(definition_id=HITL)
    await runs.decide(handle, "approve")
    await runs.decide_on_budget(handle, "finish")
    assert (await handle.result()).status == "partial"
    assert [s["name"] for s in output(runs)["steps"]] == ["Part 1", "Part 2"]
    [phase] = [p for p in (await runs.state(handle)).phases if p.id == "control"]
    assert (phase.undone, phase.early_end and phase.early_end.reason) == (["Part 3"], "budget")
    [lost] = [each for each in phase.lost_inputs if each.name == "control.steps"]
    assert lost.causes[0].reason == "budget-exceeded"


@pytest.mark.full
async def test_prompt_is_bounded_after_thirty_steps(runs: Harness) -> None:
    plan(runs, 30)
    long = "A pump was sold. " * 400
    finding = cited(long[:2_000], 1, long[:900])
    runs.fakes.answers["StepDraft"] = {"summary": long, "findings": [finding]}
    handle = await runs.start(
        definition_id=ALONE, config_overrides={"planning": {"config": {"max_plan_steps": 20}}}
    )
    await handle.result()
    assert len(output(runs)["steps"]) == 20
    told = runs.fakes.told("researcher", "earlier")
    assert max(map(len, told)) < 2 * EARLIER_CHARS
    assert all(f'"step":{n},' in told[-1] for n in range(1, 20))


async def test_step_number_executes_one_step(runs: Harness) -> None:
    config: Json = {"execute_all_steps": False, "step_number": 2}
    handle = await runs.start(definition_id=ALONE, config_overrides={"control": {"config": config}})
    assert (await handle.result()).status == "completed"
    assert [s["name"] for s in output(runs)["steps"]] == ["Part 2"]
    config["step_number"] = 3
    handle = await runs.start(definition_id=ALONE, config_overrides={"control": {"config": config}})
    assert (await handle.result()).status == "failed"
    error = (await runs.state(handle)).phases[-1].error
    assert error
    assert error.problems == [Problem.at("step_number", "step-number-large", one=3, n=2)]


@pytest.mark.parametrize(
    "config", [{"step_number": 2}, {"execute_all_steps": False}, {"step_number": 0}]
)
def test_step_number_requires_execute_all_steps_off(config: Json) -> None:
    with pytest.raises(ValidationError, match="step_number"):
        ControlConfig.model_validate(config)


async def test_without_web_no_step_searches(runs: Harness) -> None:
    handle = await runs.start(definition_id=ALONE)
    assert (await handle.result()).status == "completed"
    assert not runs.fakes.searches
    assert not any(request.tools for request in runs.fakes.requests)
    assert output(runs)["findings"] == [], "there is no source that they could stand in"


async def test_modify_after_a_step_changes_the_next_one(runs: Harness) -> None:
    handle = await runs.start(definition_id=FULL)
    await runs.decide(handle, "approve")
    new: Any = [{"name": "Part 1"}, {"name": "Ask sellers", "description": "Ask them."}]
    shown = await decide(
        runs, handle, "after-1", "modify", modifications={"steps": new}, feedback="be brief"
    )
    assert isinstance(subject := shown.pending[0].subject, StepSubject)
    assert (subject.step and subject.step.name, subject.next) == (
        "Part 1",
        PlanStep(name="Part 2", description="Do part 2."),
    )
    await decide(runs, handle, "after-2", "approve")
    assert (await handle.result()).status == "completed"
    assert [s["name"] for s in output(runs)["steps"]] == ["Part 1", "Ask sellers"]
    assert "Ask them." in runs.fakes.told("researcher", "steps")[1]
    [first, second] = (r.model_dump_json(include={"messages"}) for r in runs.fakes.of("researcher"))
    assert ("be brief" in first, "be brief" in second) == (False, True)


async def test_report_keeps_what_a_human_approved_step_by_step_and_nothing_else(
    runs: Harness,
) -> None:
    handle = await runs.start(definition_id=FULL)
    await runs.decide(handle, "approve")
    await decide(runs, handle, "after-1", "revise", feedback="name the year")
    await decide(runs, handle, "after-1", "approve")
    await decide(runs, handle, "after-2", "approve")
    assert (await handle.result()).status == "completed"
    given = output(runs)
    approved = [(each["number"], each["findings"]) for each in given["report"]["approved"]]
    assert approved == [(step["number"], step["findings"]) for step in given["steps"]]
    assert all(findings for _, findings in approved)
    ids = [finding["id"] for _, findings in approved for finding in findings]
    assert all(ids)
    assert len({*ids}) == len(ids)
    assert json.loads(runs.fakes.told("synthesizer", "approved")[0]) == ids
    unasked = await runs.start(definition_id=HITL)
    await runs.decide(unasked, "approve")
    assert (await unasked.result()).status == "completed"
    assert "approved" not in output(runs)["report"]


async def test_sentence_keeps_the_id_of_the_approved_finding_that_its_writer_named(
    runs: Harness,
) -> None:
    says: Json = {"text": "Pumps do sell.", "citations": [], "rests_on": ["s1"], "repeats": True}
    follows: Json = {"text": "So buy one.", "citations": [], "rests_on": ["s2"]}
    runs.fakes.answers["Report"] = {
        "title": "Pumps",
        "sections": [{"heading": "Market", "claims": [says, follows]}],
    }
    handle = await runs.start(definition_id=FULL)
    await runs.decide(handle, "approve")
    await decide(runs, handle, "after-1", "approve")
    await decide(runs, handle, "after-2", "approve")
    assert (await handle.result()).status == "completed"
    written = output(runs)["report"]["sections"][0]["claims"]
    assert [(c["text"], c["from_findings"]) for c in written] == [
        ("Pumps do sell.", ["s1"]),
        ("So buy one.", ["s2"]),
    ]
    assert written[0]["citations"], "those of the finding"


CHANGED_OR_MOVED: list[list[Json]] = [
    [{"name": "Compute the mean"}, {"name": "Part 2", "description": "Do part 2."}],
    [{"name": "Part 1", "agent_role": "engineer"}, {"name": "Part 2"}],
    [{"name": "Part 1", "description": ""}, {"name": "Part 2"}],
    [{"name": "Part 2"}, {"name": "Part 1"}],
    [{"name": "Part 2"}],
    [{"name": "First this"}, {"name": "Part 1"}, {"name": "Part 2"}],
]


async def test_a_step_that_is_done_can_be_neither_changed_nor_moved(runs: Harness) -> None:
    handle = await runs.start(definition_id=FULL)
    await runs.decide(handle, "approve")
    for steps in CHANGED_OR_MOVED:
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await decide(runs, handle, "after-1", "modify", modifications={"steps": steps})
        told = str(refused.value.cause)
        done = en("step-done-others", number=1, name="Part 1", left="2")
        assert f"modifications.steps.0: {done}" in told, steps
        assert getattr(refused.value.cause, "type", "") == "invalid-input"
    state = await runs.state(handle)
    assert state.plan is not None
    assert [step.name for step in state.plan.steps] == ["Part 1", "Part 2"]
    await decide(runs, handle, "after-1", "reject")
    await handle.result()


async def test_steps_behind_those_done_may_be_changed_and_removed(runs: Harness) -> None:
    plan(runs, 3)
    handle = await runs.start(definition_id=FULL)
    await runs.decide(handle, "approve")
    more: Any = [{"name": "Part 1"}, {"name": "Between"}, {"name": "Part 3"}]
    await decide(runs, handle, "after-1", "modify", modifications={"steps": more})
    with pytest.raises(WorkflowUpdateFailedError) as refused:
        await decide(runs, handle, "after-2", "modify", modifications={"steps": more[:1]})
    assert opening("step-done-others", "name", number=2, name="Between") in str(refused.value.cause)
    await decide(runs, handle, "after-2", "modify", modifications={"steps": more[:2]})
    assert (await handle.result()).status == "completed"
    assert [s["name"] for s in output(runs)["steps"]] == ["Part 1", "Between"]


async def test_a_plan_is_not_rewritten_behind_the_work_that_rests_on_it(temporal: Client) -> None:
    late = Definition.model_validate(
        {
            "id": "late",
            "phases": [
                {"kind": "planning"},
                {"kind": "hitl_checkpoint", "id": "checkpoint"},
                {"kind": "control"},
                {"kind": "hitl_checkpoint", "id": "late", "config": {"checkpoint_type": "custom"}},
            ],
        }
    )
    async with harness(temporal, Fakes(late)) as runs:
        plan(runs, 2)
        handle = await runs.start(definition_id="late")
        await runs.decide(handle, "approve")
        changes: Any = {"steps": [{"name": "Part 1"}, {"name": "Another"}]}
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await decide(runs, handle, "late", "modify", modifications=changes)
        assert opening("step-done-others", "name", number=2, name="Part 2") in str(
            refused.value.cause
        )
        await decide(runs, handle, "late", "approve")
        assert (await handle.result()).status == "completed"


async def test_result_of_a_step_is_what_its_gate_shows(runs: Harness) -> None:
    handle = await runs.start(definition_id=FULL)
    await runs.decide(handle, "approve")
    state = await runs.until(
        handle, lambda s: s.pending and "after-1" in s.pending[0].checkpoint_id
    )
    [gate] = state.pending
    assert isinstance(gate.subject, StepSubject)
    assert gate.plan == state.plan
    for shown in (gate.subject.text, await handle.execute_update("wait")):
        assert "## Part 1" in shown
        assert "Pumps sell. [1]" in shown, "its findings are sentences with notes"
        assert "1. “Pumps sell.” — [" in shown
        assert "citations" not in shown
        assert "verdict" not in shown


async def test_gate_before_the_first_step_shows_the_step_that_begins(runs: Harness) -> None:
    before = {"control": {"config": {"checkpoint_before_step": True}}}
    handle = await runs.start(definition_id=HITL, config_overrides=before)
    await runs.decide(handle, "approve")
    state = await runs.until(
        handle, lambda s: s.pending and "before-1" in s.pending[0].checkpoint_id
    )
    assert isinstance(subject := state.pending[0].subject, StepSubject)
    assert (subject.step, subject.text) == (None, "")
    assert subject.next
    assert subject.next.name == "Part 1"


async def test_revised_step_is_executed_again(runs: Harness) -> None:
    plan(runs, 1)
    handle = await runs.start(definition_id=FULL)
    await runs.decide(handle, "approve")
    await decide(runs, handle, "after-1-1", "revise", feedback="name the sellers")
    await decide(runs, handle, "after-1-2", "approve")
    assert (await handle.result()).status == "completed"
    assert runs.fakes.told("researcher", "feedback") == ["", "name the sellers"]
    [step] = output(runs)["steps"]
    assert step["attempts"] == 2
    assert len(output(runs)["report"]["sections"]) == 1


async def test_checkpoint_of_a_step_done_again_says_why_and_what_changed(runs: Harness) -> None:
    plan(runs, 2)
    accounts = iter(["It was done in June.", "It was done in July.", "Part two."])
    told: Any = ANSWERS["StepDraft"]
    runs.fakes.answers["StepDraft"] = lambda request: told(request) | {"summary": next(accounts)}
    handle = await runs.start(definition_id=FULL)
    await runs.decide(handle, "approve")
    before = await decide(runs, handle, "after-1-1", "revise", feedback="ask in July")
    assert before.pending[0].sent_back is None
    again = await decide(runs, handle, "after-1-2", "approve")
    [gate] = again.pending
    assert gate.sent_back
    assert gate.sent_back.words == ["ask in July"]
    assert gate.sent_back.changes == [
        TextChange(before="It was done in June.", after="It was done in July.")
    ]
    assert [asked.code for asked in gate.asks] == ["ask-step-next", "ask-version"]
    other = await decide(runs, handle, "after-2-1", "approve")
    assert other.pending[0].sent_back is None
    assert (await handle.result()).status == "completed"


async def test_reject_between_steps_ends_the_run_and_keeps_results(runs: Harness) -> None:
    handle = await runs.start(definition_id=FULL)
    await runs.decide(handle, "approve")
    await decide(runs, handle, "after-1", "reject")
    assert (await handle.result()).status == "rejected"
    assert [s["name"] for s in output(runs)["steps"]] == ["Part 1"]
    assert {r.scope.plan_step for r in runs.fakes.of("researcher")} == {"step-1"}


@pytest.mark.full
async def test_checkpoint_before_a_step_precedes_model_calls(runs: Harness) -> None:
    plan(runs, 1)
    before: Json = {"checkpoint_before_step": True, "wait_seconds": 0.2}
    overrides = {"control": {"config": before}}
    handle = await runs.start(definition_id=HITL, config_overrides=overrides)
    await runs.decide(handle, "approve")
    assert (await handle.result()).status == "rejected", "nobody decided in time"
    assert not runs.fakes.of("researcher")
    before["default_on_timeout"] = "approve"
    handle = await runs.start(definition_id=HITL, config_overrides=overrides)
    await runs.decide(handle, "approve")
    assert (await handle.result()).status == "partial"
    assert len(runs.fakes.of("researcher")) == 1


async def test_engineer_has_no_web_tools(runs: Harness) -> None:
    plan(runs, 1, role="Engineer")
    handle = await runs.start(definition_id=HITL)
    await runs.decide(handle, "approve")
    await handle.result()
    assert len(runs.fakes.of("engineer")) == 1
    assert not runs.fakes.searches


async def test_one_shot_is_attempted_until_accepted(runs: Harness) -> None:
    runs.fakes.answers["step_reviewer"] = reviews(lacking("too long"), DONE)
    handle = await runs.start(definition_id="one_shot", query="Sum up how pumps work.")
    assert (await handle.result()).status == "completed"
    asked = [r.role for r in runs.fakes.requests]
    assert asked == ["clarifier", *["engineer", "step_reviewer"] * 2]
    assert "too long" in runs.fakes.told("engineer", "failures")[1]
    found = output(runs, "one_shot")
    assert found["result"]["summary"].startswith("Pumps sell well.")
    assert found["report"]["title"] == "Sum up how pumps work."
    assert runs.fakes.told("engineer", "question")[0] == "Sum up how pumps work."


async def test_a_step_that_nobody_reviewed_says_so_at_its_gate_and_above_the_report(
    runs: Harness,
) -> None:
    def refuse(name: str, request: Any) -> None:
        if name == "model" and request.role == "step_reviewer":
            raise ApplicationError("declined", type="model-refused", non_retryable=True)

    runs.fakes.before = refuse
    handle = await runs.start(definition_id=FULL)
    while (state := await runs.until(handle, lambda s: s.pending or s.status in ENDED, 30)).pending:
        [asked] = state.pending
        if isinstance(asked.subject, StepSubject):
            assert asked.subject.step
            assert asked.subject.step.unreviewed == ["step_reviewer"]
            name = asked.subject.step.name
            assert en("step-unreviewed", step=name, role="step reviewer") in asked.subject.text
        if asked.kind == "questions":
            await runs.answer(handle)
        else:
            named = {"checkpoint_id": asked.checkpoint_id, "plan_hash": asked.plan_hash}
            await runs.update(handle, "decide", {"action": "approve", **named})
    assert state.status == "completed"
    assert {notice.code for notice in state.notices} == {"phase-unchecked"}
    told = f"{en('step-unreviewed', step='Part 1', role='step reviewer')}: {en('cause-model-declined')}"
    assert told in state.warnings[0]
    assert ": declined" not in state.warnings[0], "an error's own words stand in the log"


def grant(most: int) -> Fakes:
    """Return fakes whose researchers may call a server's tool, and do so."""
    phases = [
        {"kind": "planning"},
        {"kind": "hitl_checkpoint", "id": "checkpoint"},
        {"kind": "control", "config": {"servers": ["stock"]}},
    ]
    servers = {"servers": [{"name": "stock", "max_calls": most}]}
    definition = Definition.model_validate({"id": "stocked", "phases": phases, "mcp": servers})
    fakes = Fakes(definition)
    schema: Json = {"type": "object", "properties": {}}
    read: Json = {"readOnlyHint": True}
    fakes.server_tools = [{"name": "count", "inputSchema": schema, "annotations": read}]
    fakes.making = [Block(type="tool_use", id="c", name="mcp__stock__count", input={"of": "pumps"})]
    return fakes


@pytest.mark.parametrize(
    ("error", "code"), [("No pumps.", "tool-server-error"), ("", "tool-empty")]
)
async def test_tool_that_gives_nothing_is_told_to_the_reader(
    temporal: Client, error: str, code: str
) -> None:
    fakes = grant(9)
    fakes.tool_error = error
    async with harness(temporal, fakes) as runs:
        plan(runs, 1)
        handle = await runs.start(definition_id="stocked")
        await runs.decide(handle, "approve")
        await handle.result()
        state = await runs.state(handle)
    [lost] = [lost for phase in state.phases for lost in phase.lost_inputs if lost.told]
    assert lost.told
    assert (lost.kind, lost.told.code) == ("tool_server", "lost-tool-call")
    why: Any = lost.told.params["why"]
    assert [each.code for each in why] == [code]
    assert lost.told in state.notices


async def test_researchers_of_a_plans_steps_call_tools_of_servers(temporal: Client) -> None:
    """Each step's researcher may call what was approved, as often as the plan allows in the run."""
    fakes = grant(1)
    async with harness(temporal, fakes) as runs:
        plan(runs, 2)
        handle = await runs.start(definition_id="stocked")
        await runs.asked(handle, "checkpoint")
        assert fakes.tool_calls == []
        await runs.decide(handle, "approve")
        await handle.result()
        state = await runs.state(handle)
    [call] = fakes.tool_calls
    assert (call.tool.name, call.arguments, bool(call.plan_hash)) == (
        "count",
        {"of": "pumps"},
        True,
    )
    turns = [request for request in fakes.requests if request.role == "researcher"]
    assert {tool.name for tool in turns[0].tools} >= {"web_search", "mcp__stock__count"}
    assert "server_tools" in [given.name for given in turns[0].messages[0].content[0].inputs]
    [lost] = [lost for phase in state.phases for lost in phase.lost_inputs if lost.told]
    assert lost.told
    assert (lost.kind, lost.told.code) == ("tool_server", "lost-tool-cap")
    assert [source["tool"]["tool"] for source in output(runs)["sources"] if source.get("tool")] == [
        "count"
    ]

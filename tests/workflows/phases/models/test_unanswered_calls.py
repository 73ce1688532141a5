"""After any model call without an answer, the run ends with the results that it has."""

import asyncio
from collections import Counter
from contextlib import suppress
from typing import Any, get_args

import pytest
from temporalio.client import Client, WorkflowFailureError
from temporalio.exceptions import ApplicationError

from contracts.base import Json
from contracts.human.messages import Action
from contracts.models.call import Block, ModelRequest
from contracts.phases.typed_answers import SummaryConfig, SummaryPhase
from contracts.preset_definitions import PRESETS
from contracts.runs.state_view import StateView
from contracts.runs.statuses import ENDED
from contracts.words import say
from domain.lost_inputs import CAUSES
from tests.support.words import en
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.listed_company import INPUTS
from tests.workflows.support.run_harness import Handle, Harness, harness, with_crews

WAYS = {
    "model-refused": "the model declined to answer",
    "model-truncated": "the answer was cut off",
    "model-unreachable": "no connection to the model's provider",
}
"""How a call can end for good, the last one after all its attempts."""
BASIS = {"planning/draft", "idea_generation/ideas", "investment/decision"}
"""Calls without which there is nothing yet that a run could go on with."""
ASKED = {"deep_research_hitl", "deep_research_full_hitl", "idea_to_execution"}
"""Presets that put a failed step to a human."""
WORK = {"planning", "idea_generation", "control", "one_shot", "crew", "investment"}
"""Phases without any output if all their calls fail."""


def strike(call: str, way: str) -> ApplicationError:
    return ApplicationError(f"{WAYS.get(way, way)}: {call}", type=way, non_retryable=True)


class Struck(Fakes):
    """Some calls of some runs get no answer."""

    def __init__(self) -> None:
        super().__init__()
        self.lost: dict[str, tuple[str, str]] = {}
        """Run id -> the failing calls, by full name or phase, and the way in which they fail."""
        self.before = self._strike

    def _strike(self, kind: str, request: Any) -> None:
        if kind in ("model", "work") and (lost := self.lost.get(request.scope.run_id)):
            struck, way = lost
            call = f"{request.scope.phase_id}/{request.scope.name}"
            if call == struck or call.startswith(f"{struck}/"):
                raise strike(call, way)

    def calls_of(self, run_id: str) -> list[str]:
        """Phase and name of each answered call of a run."""
        asked = [*(r.scope for r in self.requests), *(t.scope for t in self.tasks)]
        return [f"{s.phase_id}/{s.name}" for s in asked if s.run_id == run_id]


async def ended(runs: Harness, handle: Handle) -> StateView:
    """Have a human let everything pass until the run has ended, and stop it where nothing can."""
    while True:
        state = await runs.until(handle, lambda s: s.pending or s.status in ENDED, 60)
        if state.status in ENDED:
            with suppress(WorkflowFailureError):  # its last batch is recorded by then
                await handle.result()
            return state
        shown = state.pending[0]
        said: Json = {"checkpoint_id": shown.checkpoint_id}
        if shown.kind == "questions":
            answers: Json = {q.id: q.choices[0] for q in shown.questions if q.required}
            await runs.update(
                handle, "answer_questions", {**said, "answers": answers, "rest": None}
            )
        else:
            choices = [option for option in shown.options if option not in get_args(Action)]
            said |= {"choice": choices[0]} if choices else {"plan_hash": shown.plan_hash}
            action = "approve" if "approve" in shown.options or choices else "reject"
            await runs.update(handle, "decide", {**said, "action": action})


async def lose(
    runs: Harness, fakes: Struck, preset: str, struck: str, way: str
) -> tuple[str, StateView]:
    """Return the id and the end of a run of a preset in which these calls get no answer."""
    inputs = INPUTS if preset == "investment_analysis" else {}
    handle = await runs.start(definition_id=preset, inputs=inputs)
    fakes.lost[handle.id] = struck, way
    return handle.id, await ended(runs, handle)


REFUSED, *OTHERS = WAYS
EACH = [
    name if name == "web_answer" else pytest.param(name, marks=pytest.mark.full)
    for name, preset in PRESETS.items()
    if not preset.asks_report
]


@pytest.mark.parametrize(
    "way", [REFUSED, *(pytest.param(w, marks=pytest.mark.full) for w in OTHERS)]
)
@pytest.mark.parametrize("preset", EACH)
async def test_call_without_an_answer_costs_no_other(
    temporal: Client, preset: str, way: str
) -> None:
    """Every call of a preset in turn: the run goes on, says why, and repeats nothing."""
    fakes = Struck()
    async with with_crews(temporal, fakes) as runs:
        whole, state = await lose(runs, fakes, preset, "", "")
        assert state.status == "completed"
        struck = fakes.calls_of(whole)
        made = await asyncio.gather(*(lose(runs, fakes, preset, call, way) for call in struck))
        for call, (run_id, state) in zip(struck, made, strict=True):
            check(call, way, state)
            assert set(Counter(fakes.calls_of(run_id)).values()) <= {1}


def failures_of(state: StateView) -> dict[str, str]:
    """Return the phases that failed by themselves; a checkpoint to which nothing came has its own error."""
    failed = [(phase, phase.error.type) for phase in state.phases if phase.error]
    return {phase.id: error for phase, error in failed if phase.kind != "hitl_checkpoint"}


def check(call: str, way: str, state: StateView) -> None:
    """Check that only calls without alternative fail their phase, and that the reason is reported."""
    errors = failures_of(state)
    if call in BASIS:
        assert (state.status, errors) == ("failed", {call.partition("/")[0]: way})
        return
    assert (call, way, errors) == (call, way, {})
    told = [warning for phase in state.phases for warning in phase.warnings]
    is_helper = any(part in call for part in ("review", "revision"))
    is_attempted_again = any(part in call for part in ("-try-1-turn", "questions"))
    assert state.status == ("completed" if is_helper or is_attempted_again else "partial")
    words = (say("en", f"cause-{CAUSES[way]}"), f"{WAYS[way]}: {call}")
    is_told = any(each in warning for warning in told for each in words)
    assert is_told != is_attempted_again


@pytest.mark.parametrize("preset", EACH)
async def test_phase_without_any_answer_leaves_what_others_made(
    temporal: Client, preset: str
) -> None:
    fakes = Struck()
    async with with_crews(temporal, fakes) as runs:
        whole, _ = await lose(runs, fakes, preset, "", "")
        struck = list(dict.fromkeys(c.partition("/")[0] for c in fakes.calls_of(whole)))
        made = await asyncio.gather(
            *(lose(runs, fakes, preset, phase, "model-refused") for phase in struck)
        )
    for phase, (_, state) in zip(struck, made, strict=True):
        errors = set(failures_of(state))
        if phase == "control" and preset in ASKED:
            assert (state.status, errors) == ("rejected", set())
            continue
        assert (phase, errors) == (phase, {phase} & WORK)
        on_its_way = "completed" if phase == "clarification" else "partial"
        assert state.status == ("failed" if errors else on_its_way)


async def report_of(runs: Harness, handle: Handle) -> str:
    assert (await ended(runs, handle)).status == "partial"
    return str(await handle.query("report"))


async def test_findings_make_the_report_that_nobody_wrote(temporal: Client) -> None:
    fakes = Struck()
    fakes.answers["Findings"] = {**fakes.answers["Findings"], "gaps": ["No price."]}
    async with harness(temporal, fakes) as runs:
        own: Json = {"research": {"config": {"answers": False}}}
        own |= {"synthesis": {"config": {"form": "text"}}}
        handle = await runs.start(definition_id="web_answer", config_overrides=own)
        fakes.lost[handle.id] = "synthesis", "model-refused"
        report = await report_of(runs, handle)
    assert f"{en('report-unfinished')}: {en('cause-model-declined')}" in report
    assert "Pumps sell. [1]" in report
    assert "- No price." in report


async def test_summary_that_nobody_wrote_is_the_reports_own_claims(temporal: Client) -> None:
    fakes = Struck()
    preset = PRESETS["deep_research"]
    asked = SummaryPhase(config=SummaryConfig(inputs=["report"], instructions="In one sentence."))
    phases = [asked if phase.kind == "summary" else phase for phase in preset.phases]
    fakes.definitions["asked"] = preset.model_copy(update={"id": "asked", "phases": phases})
    async with harness(temporal, fakes) as runs:
        handle = await runs.start(definition_id="asked")
        fakes.lost[handle.id] = "summary", "model-truncated"
        state = await ended(runs, handle)
    summary: Any = state.results.model_dump(mode="json")["summary"]
    assert summary["text"].startswith("And more.")
    assert {claim["verdict"] for claim in summary["key_points"]} == {"supported"}


@pytest.mark.parametrize(
    "way",
    [
        REFUSED,
        *(
            pytest.param(w, marks=pytest.mark.full)
            for w in ("output-invalid", *OTHERS, "model-rejected")
        ),
    ],
)
async def test_decision_without_an_answer_fails_whatever_the_error(
    temporal: Client, way: str
) -> None:
    fakes = Struck()
    async with harness(temporal, fakes) as runs:
        handle = await runs.start(definition_id="investment_analysis", inputs=INPUTS)
        fakes.lost[handle.id] = "investment", way
        state = await ended(runs, handle)
        report = str(await handle.query("report"))
    assert (state.status, failures_of(state)) == ("failed", {"investment": way})
    assert state.results.decision is None
    assert "Pumps sell." in report, "the research is kept"


async def test_rule_that_nobody_judged_is_not_said_to_be_broken(temporal: Client) -> None:
    fakes, rules = Struck(), {"validation": {"config": {"rules": ["It names a price."]}}}
    async with harness(temporal, fakes) as runs:
        handle = await runs.start(definition_id="web_answer", config_overrides=rules)
        fakes.lost[handle.id] = "validation", "model-refused"
        report = await report_of(runs, handle)
    assert f"{en('rule-unjudged', rule='It names a price.')}." in report
    assert "does not keep" not in report


class Endless(Fakes):
    """Agents that search again in every turn that lets them."""

    def _tool_calls(self, request: ModelRequest) -> list[Block]:
        if all(tool.name != "web_search" for tool in request.tools):
            return super()._tool_calls(request)
        again = f"pumps {len(request.messages)}"
        return [Block(type="tool_use", id=again, name="web_search", input={"query": again})]


@pytest.mark.parametrize(
    ("preset", "overrides", "turns"),
    [
        pytest.param("deep_research", {}, 12, marks=pytest.mark.full),
        ("web_answer", {}, 6),
        pytest.param(
            "deep_research_hitl",
            {"control": {"config": {"max_rounds": 5}}},
            5,
            marks=pytest.mark.full,
        ),
    ],
)
async def test_agent_without_an_end_ends_by_its_turns(
    temporal: Client, preset: str, overrides: Json, turns: int
) -> None:
    fakes = Endless()
    async with harness(temporal, fakes) as runs:
        handle = await runs.start(definition_id=preset, config_overrides=overrides)
        assert (await ended(runs, handle)).status in ("completed", "partial")
        assert await handle.query("report")
    assert len([r for r in fakes.requests if r.role == "researcher"]) == turns


async def test_agent_writes_down_what_it_has_before_its_time_is_over(
    temporal: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workflows.runtime.phase_timeout_and_pauses.MOST_OF_IT", 0.05)

    async def slow(kind: str, request: Any) -> None:
        if kind == "model" and request.role == "researcher":
            await asyncio.sleep(0.4)

    fakes = Endless()
    fakes.before = slow
    async with harness(temporal, fakes) as runs:
        limit: Json = {"research": {"timeout_seconds": 20, "config": {"max_turns": 200}}}
        handle = await runs.start(definition_id="web_answer", config_overrides=limit)
        state = await ended(runs, handle)
    assert state.status == "partial"
    research = next(phase for phase in state.phases if phase.id == "research")
    assert en("phase-ended-late") in research.warnings
    assert not [r for r in fakes.requests if r.role == "researcher"][-1].may_call


async def test_every_search_of_an_approved_plan_is_made(temporal: Client) -> None:
    fakes = Fakes()
    terms: Any = [f"pumps {n}" for n in range(30)]
    fakes.answers["PlanDraft"] = {**fakes.answers["PlanDraft"], "search_terms": terms}
    async with harness(temporal, fakes) as runs:
        await runs.complete(await runs.start())
    assert set(terms) <= set(fakes.searches)

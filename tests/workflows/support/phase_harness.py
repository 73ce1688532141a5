"""One phase at work without a server: its handler, fake activities, and a human who answers at once."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pydantic import BaseModel

from activities.calculations_and_charts import WorkbenchActivities
from activities.calls.model_gateway import ModelGateway
from activities.claims.claim_activities import ClaimActivities
from activities.company.company_figures import CompanyActivities
from activities.crew.crew_task import CrewActivities
from activities.reuse.recall import RecallActivities
from activities.runs.run_activities import RunActivities
from activities.startup_companies import StartupActivities
from activities.tool_servers import ToolServerActivities
from activities.web.gap_passages import GapActivities
from activities.web.web_activities import WebActivities
from contracts.base import Contract, Json
from contracts.collections import CollectionUse
from contracts.definitions import Definition
from contracts.errors import GreenlightError
from contracts.human.checkpoints import Checkpoint, Decision
from contracts.human.messages import AnswerQuestions
from contracts.phases import Phase
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.phases.planning import PlanningPhase
from contracts.phases.research import ResearchPhase
from contracts.phases.synthesis import SynthesisPhase
from contracts.planning.plan import Plan
from contracts.runs.lost_inputs import LostInput
from contracts.runs.request import RunRequest, Seed
from contracts.runs.start import OpenRequest, ParentRun, RunInput
from contracts.runs.state import RunState
from contracts.search import ServiceName
from contracts.tool_servers import ToolServer, ToolServers
from tests.workflows.support.fake_activities import TERMS, Fakes
from tests.workflows.support.listed_company import required_of
from workflows.checkpoints.approval_gate import approve
from workflows.checkpoints.decision_checks import take_answers
from workflows.checkpoints.wait_for_human import compute_deadline
from workflows.interpreter.initial_state import build_initial_state
from workflows.interpreter.phase_walk import Interpreter, find_plan_roles
from workflows.phase_context.attempt import Attempt
from workflows.phase_context.context import PhaseContext
from workflows.phase_context.humans import Humans
from workflows.phase_context.losses import Losses
from workflows.phase_context.memoized_calls import Calls
from workflows.phase_context.phase_log import PhaseLog
from workflows.phases import PHASES
from workflows.runtime.phase_timeout_and_pauses import PhaseTimer
from workflows.runtime.stops_and_revisions import Rejected, RevisionRequested
from workflows.runtime.workflow_clock import Clock
from workflows.start.phase_costs import estimate_costs
from workflows.start.resolution import open_run

NOW = "2026-01-01T00:00:00+00:00"
STEPS: list[Json] = [{"name": "Look"}, {"name": "Reckon", "agent_role": "engineer"}]
PLAN = Plan.model_validate(
    {
        "title": "Pumps",
        "steps": STEPS,
        "search_terms": ["pumps"],
        "outline": ["Prices"],
        "estimated_cost": {"top_usd": 4},
    }
)
PAGE: Json = {
    "url": "https://example.org/0",
    "title": "Page",
    "retrieved_at": NOW,
    "content_hash": "0",
    "text_key": "default/x/0",
    "raw_key": "default/x/1",
    "chars": 100,
}
CLAIM: Json = {"text": "Pumps sell.", "citations": [{"source": 1, "quote": "Pumps sell."}]}
VERIFIED: Json = {
    **CLAIM,
    "citations": [
        {"source": 1, "quote": "Pumps sell.", "start": -1, "end": -1, "page": None, "above": []}
    ],
    "verdict": "supported",
    "reason": "",
    "doubts": [],
    "figures": [],
    "expression": "",
    "id": "",
    "rests_on": [],
    "repeats": False,
    "assumed": False,
    "not_found": False,
    "working": "",
    "superseded_by": "",
}
"""The same claim as the fakes verify it."""
SECTION: Json = {"heading": "Market", "claims": [CLAIM]}
DONE: dict[str, Json] = {
    "planning": {"plan": PLAN.model_dump(mode="json"), "plan_hash": PLAN.hash},
    "checkpoint": {"approval": {"action": "approve"}},
    "research": {"sources": [PAGE], "findings": [CLAIM], "searches": []},
    "synthesis": {"report": {"title": "Pumps", "sections": [SECTION], "markdown": "# Pumps"}},
}
"""Outputs of earlier phases: an approved plan, a page that was read, a report."""
BEFORE: list[Phase] = [
    *(PlanningPhase(), HitlCheckpointPhase(id="checkpoint"), ResearchPhase(), SynthesisPhase())
]
BY_METHOD: dict[Callable[..., Any], str] = {
    ModelGateway.call: "model",
    ClaimActivities.verify: "check_claims",
    ClaimActivities.read_draft: "read_draft",
    ClaimActivities.judge: "judge_claims",
    ClaimActivities.mend: "mend_claims",
    WebActivities.search: "search",
    WebActivities.fetch: "fetch",
    WebActivities.open_parts: "open_parts",
    WebActivities.probe: "probe",
    CompanyActivities.facts: "facts",
    CompanyActivities.past_prices: "past_prices",
    CompanyActivities.repeats: "repeats",
    WorkbenchActivities.calculate: "calculate",
    WorkbenchActivities.table: "table",
    WorkbenchActivities.chart: "chart",
    WorkbenchActivities.chart_table: "chart_table",
    GapActivities.find_passages: "passages",
    CrewActivities.work: "work",
    ToolServerActivities.list_tools: "list_tools",
    ToolServerActivities.call: "call_tool",
    StartupActivities.recall: "recall",
    StartupActivities.save: "save",
    RecallActivities.similar: "similar",
    RunActivities.edit: "edit",
    RecallActivities.load_report: "report",
}


@dataclass
class Done:
    """What phases asked for, what they showed to a human, what they gave, and what they went on without."""

    asked: list[tuple[str, Json]] = field(default_factory=list)
    shown: list[Checkpoint] = field(default_factory=list)
    gave: list[Json | str] = field(default_factory=list)
    lost: list[LostInput] = field(default_factory=list)

    def of_models(self) -> list[Json]:
        """Return the requests to models."""
        return [request for name, request in self.asked if name == "model"]


class Silent:
    """A log that nobody reads."""

    def __init__(self, state: RunState) -> None:
        self.state = state

    def emit(self, *_: object, **__: object) -> None: ...
    def mark_changed(self, phase_id: str) -> None: ...
    def publish_status(self) -> None: ...


@dataclass(frozen=True)
class FixedClock(Clock):
    """A clock that shows one moment."""

    moment: str = NOW

    def now(self) -> str:
        return self.moment


class FakeCalls(Calls):
    """Calls to the fakes, behind a gate that is always open."""

    done: Done
    fakes: Fakes

    async def wait_until_open(self) -> None:
        """Hold nothing up."""

    async def execute_activity(
        self, name: str, method: Any, request: Any, *, summary: str = ""
    ) -> Any:
        """Record the request, without fields that differ between runs, and answer it."""
        request = approve(request, self._state, self._humans.find_plan(), self._me.id)
        own = request.model_dump(mode="json", exclude={"scope", "cap_usd", "kept_usd"})
        self.done.asked.append((BY_METHOD[method], own))
        work: Callable[[BaseModel], Awaitable[Any]] = getattr(self.fakes, BY_METHOD[method])
        return await work(request)


class PromptHumans(Humans):
    """Humans who answer at once; too late for less than a second."""

    done: Done
    choice: str | None = None

    async def ask(self, checkpoint: Checkpoint) -> bool:
        self.done.shown.append(checkpoint)
        if checkpoint.deadline < compute_deadline(NOW, 1):
            return False
        self._state.pending.append(checkpoint)
        if checkpoint.kind == "questions":
            told: dict[str, str | None] = {question.id: "here" for question in checkpoint.questions}
            take_answers(self._state, checkpoint, AnswerQuestions(answers=told))
        else:
            approval = Decision(
                checkpoint_id=checkpoint.checkpoint_id,
                phase_id=checkpoint.phase_id,
                action="approve",
                plan_hash=checkpoint.plan_hash,
                choice=self.choice,
                at=NOW,
            )
            self._state.decisions.append(approval)
            self._state.pending.remove(checkpoint)
        return True


def context_of(
    run: Interpreter,
    phase: Phase,
    fakes: Fakes | None = None,
    done: Done | None = None,
    choice: str | None = None,
    now: str = NOW,
) -> PhaseContext:
    """Return the context of one of a run's phases, with calls and humans that answer at once."""
    me = run.state.phase(phase.id)
    timer = PhaseTimer(me, phase.timeout_seconds)
    roles = partial(find_plan_roles, run.state, phase.id)
    attempt = Attempt(run.state, phase, me, timer, FixedClock(now), roles)
    log = PhaseLog(run.recorder, me)
    losses = Losses(attempt, log)
    humans = PromptHumans(attempt, run.recorder, log)
    calls = FakeCalls(attempt, run.gate, humans, losses, log)
    calls.fakes, humans.choice = fakes or Fakes(), choice
    calls.done = humans.done = done or Done()
    return PhaseContext(**vars(attempt), log=log, losses=losses, humans=humans, calls=calls)


def parent_of(
    asked: RunRequest, definition: Definition, outputs: dict[str, Json], decisions: list[Decision]
) -> ParentRun:
    """Return a run on the same question at the same prices, as one that starts from it reads it."""
    run_id = asked.from_run or "p"
    return ParentRun(
        run_id=run_id,
        definition=definition,
        seeds={n: Seed(output=o, origin="parent", run_id=run_id) for n, o in outputs.items()},
        decisions=decisions,
        query=asked.query,
        inputs=asked.inputs,
        costs=estimate_costs(definition, TERMS),
        cap_usd=TERMS.cap_usd,
    )


def opened(*phases: Phase, plan: Plan = PLAN) -> RunState:
    """Return a run whose earlier phases have an approved plan, a page and a report."""
    named = dict.fromkeys(name for phase in phases for name in phase.servers)
    servers = [ToolServer(name=name) for name in named]
    tools = ToolServers(servers=servers) if servers else None
    definition = Definition(id="alone", phases=[*BEFORE, *phases], mcp=tools)
    decision = Decision(
        checkpoint_id="c", phase_id="checkpoint", action="approve", plan_hash=plan.hash, at=NOW
    )
    inputs = required_of(definition)
    asked = RunRequest(query="Where to sell pumps?", from_run="p", inputs=inputs)
    planned: Json = {"plan": plan.model_dump(mode="json"), "plan_hash": plan.hash}
    parent = parent_of(asked, definition, {**DONE, "planning": planned}, [decision])
    made = open_run(asked, definition, parent, TERMS)
    given = RunInput(**dict(asked))
    return build_initial_state(OpenRequest(run_id="run-1", input=given, started_at=NOW), made)


async def work(
    fakes: Fakes,
    *phases: Phase,
    choice: str | None = None,
    approved: bool = True,
    library: Sequence[str] = (),
    collections: Sequence[CollectionUse] = (),
    refusing: Sequence[ServiceName] = (),
    plan: Plan = PLAN,
    failed: Sequence[str] = (),
    now: str = NOW,
) -> Done:
    """Run these phases one after another, following the earlier phases, of which some `failed`.

    All began at `NOW`; they go on at `now`.
    """
    state, done = opened(*phases, plan=plan), Done()
    for name in failed:
        state.phase(name).output, state.phase(name).status = None, "failed"
    state.library, state.refusing = [*library], [*refusing]
    state.collections = [*collections]
    if not approved:
        state.decisions = []
    interpreter = Interpreter(state)
    interpreter.recorder = Silent(state)  # type: ignore[assignment]
    for phase in state.resolved.definition.phases[len(BEFORE) :]:
        run = context_of(interpreter, phase, fakes, done, choice, now)
        run.me.started_at = NOW
        if missing := interpreter.readiness.find_missing_need(phase):
            done.gave.append(missing.text)
            continue
        try:
            kind = PHASES[phase.kind]
            given = run.read_inputs(kind.input, kind.needs(phase))
            output: Contract = await kind.handler(phase, given, run)
        except (Rejected, RevisionRequested, GreenlightError) as ending:
            done.gave.append(type(ending).__name__)
            break
        done.lost += run.me.lost_inputs
        run.me.output, run.me.status = output.model_dump(mode="json"), "completed"
        done.gave.append(run.me.output)
    return done

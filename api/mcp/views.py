"""The results of tools (runs, plans, reports, sources), brief enough for a model."""

from typing import Any, Literal

from pydantic import Field

from api.mcp.caller import ToolCaller
from api.runs.service import RunService
from contracts.base import Contract
from contracts.definitions import Definition
from contracts.evidence.sources import Source
from contracts.human.checkpoint_subjects import PlanSubject
from contracts.human.checkpoints import Checkpoint, OpenQuestion
from contracts.notices import Notice, join_notices, say_told, tell_unread
from contracts.planning.cost_estimate import CostEstimate
from contracts.runs.state_view import StateView
from contracts.runs.statuses import ENDED, RunStatus, Stage
from contracts.words import Language
from contracts.words.question_language import detect_language
from domain.agents.search_scope import describe_scope
from domain.lost_inputs import list_partly_read
from domain.report.subject_text import render_subject
from store.run_records.runs import RunSummary
from workflows.start.inputs import build_inputs_model

Waits = Literal["answers", "approval", "decision"]


class ToolQuestion(Contract):
    """A question of the run to the user."""

    id: str
    question: str
    why: str = ""
    choices: list[str] = []
    only_choices: bool = Field(default=False, description="only a choice is taken, no free text")
    required: bool = Field(default=False, description="must not be left to the run")


class ToolRun(Contract):
    """A run as it is now, and what to do next."""

    run_id: str
    url: str = Field(description="its page, for the user")
    definition: str
    question: str
    status: RunStatus
    stage: Stage
    waits_for: Waits | None = Field(
        default=None,
        description="`answers`: to its questions; `approval`: of its plan; `decision`: another one, which is taken on its page",
    )
    questions: list[ToolQuestion] = []
    plan_hash: str | None = Field(default=None, description="of the plan that waits for approval")
    approve_url: str | None = Field(
        default=None, description="where the user decides about the plan, once; for the user alone"
    )
    asks: str = Field(default="", description="what is asked of the user")
    at_work_on: list[str] = Field(default=[], description="the phases under way")
    spent_usd: float
    price: CostEstimate = Field(description="expected and most, in US dollars")
    notices: list[str] = Field(default=[], description="how it ended and what is missing")
    next: str = Field(description="what to do now")


class ToolPlan(Contract):
    """The plan of a run, with its price, as the user is to see it."""

    run_id: str
    url: str = Field(description="the run's page, for the user")
    plan_hash: str = Field(description="names this plan; `approve` repeats it")
    price: CostEstimate = Field(description="`top_usd` is the most that it may cost")
    waits: bool = Field(description="it waits for the user's approval")
    deadline: str | None = Field(default=None, description="until when; ISO 8601, UTC")
    text: str = Field(description="the whole plan as Markdown")


class ToolReport(Contract):
    """The report of a run, or a part of it."""

    run_id: str
    url: str = Field(description="its page, for the user")
    status: RunStatus
    text: str = Field(description="Markdown; `[n]` leads to the nth piece of evidence below it")
    next_start: int | None = Field(
        default=None, description="`start` of the next part; null: this is the end"
    )


class ToolSource(Contract):
    """A page that was read."""

    n: int = Field(description="its number in the report's evidence")
    title: str
    url: str
    publisher: str = ""
    published: str | None = None
    retrieved_at: str
    doubts: list[str] = Field(default=[], description="reasons to distrust it")
    unread: list[str] = Field(default=[], description="parts of it that could not be read")


class ToolSources(Contract):
    """Pages that a run read."""

    run_id: str
    total: int
    sources: list[ToolSource]
    next_start: int | None = Field(default=None, description="null: these are the last ones")


class ToolRunSummary(Contract):
    """A run in a list."""

    run_id: str
    url: str
    definition: str
    question: str
    status: str
    waits_for: Literal["answers", "decision"] | None = None
    started_at: str
    ended_at: str | None


class ToolRuns(Contract):
    """Runs, those still at work first."""

    runs: list[ToolRunSummary]
    next_cursor: str | None = None


class ToolDefinition(Contract):
    """A definition that `start` can start."""

    id: str
    title: str
    description: str
    searches_at_once: bool = Field(
        description="its start is the approval to search: it needs a key of the scope `approve`"
    )
    inputs_schema: dict[str, Any] = Field(description="JSON Schema of `inputs`")


class ToolDefinitions(Contract):
    """The definitions of this installation."""

    definitions: list[ToolDefinition]


def build_run_url(run: RunService) -> str:
    """Return the address of a run's page."""
    return run.deps.alerting.links.build_run_url(run.id)


def find_plan_checkpoint(state: StateView) -> Checkpoint | None:
    """Return the open checkpoint at which a plan is approved."""
    shown = (c for c in state.pending if c.subject and c.subject.type == "plan" and c.plan_hash)
    return next(shown, None)


def find_questions(state: StateView) -> Checkpoint | None:
    """Return the checkpoint of open questions."""
    return next((c for c in state.pending if c.kind == "questions"), None)


def show_run(run: RunService, state: StateView) -> ToolRun:
    """Return a run in a given state."""
    language = detect_language(run.row.query)
    asked, shown = find_questions(state), find_plan_checkpoint(state)
    pending = asked or shown or next(iter(state.pending), None)
    waits: Waits | None = (
        "answers" if asked else "approval" if shown else "decision" if pending else None
    )
    return ToolRun(
        run_id=run.id,
        url=build_run_url(run),
        definition=state.definition_id,
        question=state.query,
        status=state.status,
        stage=state.stage,
        waits_for=waits,
        questions=[show_question(each, language) for each in asked.questions] if asked else [],
        plan_hash=shown.plan_hash if shown else None,
        asks=join_notices(pending.asks, language) if pending else "",
        at_work_on=[
            say_told(phase.called, language) for phase in state.phases if phase.status == "running"
        ],
        spent_usd=state.usage.usd,
        price=state.price,
        notices=[notice.say(language) for notice in state.notices],
        next=_name_next(waits, state.status, build_run_url(run)).say(language),
    )


def _name_next(waits: Waits | None, status: RunStatus, url: str) -> Notice:
    match waits:
        case "answers":
            return Notice.of("mcp-next-answers", "info")
        case "approval":
            return Notice.of("mcp-next-approval", "info")
        case "decision":
            return Notice.of("mcp-next-decision", "info", url=url)
        case None:
            code = "mcp-next-ended" if status in ENDED else "mcp-next-wait"
            return Notice.of(code, "info")


def show_question(question: OpenQuestion, language: Language) -> ToolQuestion:
    """Return a question in words."""
    return ToolQuestion(
        id=question.id,
        question=question.asks.say(language) if question.asks else question.question,
        why=question.reason.say(language) if question.reason else question.context,
        choices=question.choices,
        only_choices=question.strict,
        required=question.required,
    )


def show_plan(run: RunService, state: StateView, shown: Checkpoint | None) -> ToolPlan | None:
    """Return the plan waiting for approval, or the run's current plan; None before the run has a plan."""
    plan = shown.plan if shown else state.plan
    if plan is None:
        return None
    scope = describe_scope(len(state.files), state.collections, state.place)
    language = detect_language(run.row.query)
    return ToolPlan(
        run_id=run.id,
        url=build_run_url(run),
        plan_hash=plan.hash,
        price=plan.estimated_cost,
        waits=shown is not None,
        deadline=shown.deadline if shown else None,
        text=render_subject(PlanSubject(plan=plan), language, scope=scope, offline=state.offline),
    )


def show_source(n: int, source: Source, language: Language) -> ToolSource:
    """Return a source with its number."""
    return ToolSource(
        n=n,
        title=source.title,
        url=source.url,
        publisher=source.publisher,
        published=source.published,
        retrieved_at=source.retrieved_at,
        doubts=[notice.say(language) for notice in source.notes],
        unread=[
            tell_unread(each.name, part).say(language)
            for each in list_partly_read([source])
            for part in each.unread
        ],
    )


def show_summary(caller: ToolCaller, row: RunSummary) -> ToolRunSummary:
    """Return a run of a list."""
    waits = "answers" if row.asks == "questions" else row.asks
    return ToolRunSummary(
        run_id=row.run_id,
        url=caller.deps.alerting.links.build_run_url(row.run_id),
        definition=row.definition_id,
        question=row.query,
        status=row.status,
        waits_for=waits,
        started_at=row.started_at,
        ended_at=row.ended_at,
    )


def show_definition(definition: Definition) -> ToolDefinition:
    """Return a definition with the inputs that it takes."""
    return ToolDefinition(
        id=definition.id,
        title=definition.title,
        description=definition.description,
        searches_at_once=bool(definition.consent),
        inputs_schema=build_inputs_model(definition).model_json_schema(),
    )

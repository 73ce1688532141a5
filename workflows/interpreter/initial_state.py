"""The state that a run begins with, and what the output of another run adds to it."""

from pydantic import TypeAdapter

from contracts.agents.calculations_and_charts import Artifact
from contracts.evidence.sources import GivenFile, Source
from contracts.human.checkpoints import Decision
from contracts.notices import Notice
from contracts.phases import Phase
from contracts.phases.control import ControlOutput
from contracts.phases.planning import PlanningOutput
from contracts.planning.plan import Plan
from contracts.report.patches import Patch
from contracts.runs.request import Resolved, RunOpening, RunRequest, Seed
from contracts.runs.start import Opened, OpenRequest
from contracts.runs.state import PhaseState, RunState
from contracts.runs.statuses import Stage
from contracts.words import CATALOGUES, say
from domain.graph import PhaseGraph
from domain.planning.depth import change_depth
from domain.run_outputs import find_output_as
from workflows.checkpoints.approval_gate import is_approval
from workflows.checkpoints.prices.plan_price import price_plan
from workflows.phases import PHASES

_PATCHES = TypeAdapter(list[Patch])
SOURCES = TypeAdapter(list[Source])
ARTIFACTS = TypeAdapter(list[Artifact])


def build_initial_state(request: OpenRequest, opened: Opened) -> RunState:
    """Return the first state of a run."""
    resolved = opened.resolved
    graph = PhaseGraph(resolved.definition.phases)
    state = RunState(
        **{name: getattr(opened, name) for name in RunOpening.model_fields},
        run_id=request.run_id,
        tenant_id=request.input.tenant_id,
        files=[
            GivenFile(
                name=file.file_name,
                chars=file.chars,
                content_hash=file.content_hash,
                unread=file.unread,
            )
            for file in opened.files
        ],
        request=RunRequest(**{n: getattr(request.input, n) for n in RunRequest.model_fields}),
        started_at=request.started_at,
        phases=[
            PhaseState(
                id=phase.id,
                kind=phase.kind,
                title=_find_title(phase),
                title_code=_find_title_code(phase),
                stage=_find_stage(phase, graph),
            )
            for phase in resolved.definition.phases
        ],
        patches=find_opening_patches(resolved),
        sources=list(resolved.base_report.sources) if resolved.base_report else [],
        decisions=list(opened.decisions),
    )
    if scope := resolved.definition.consent:
        # Starting such a run is the decision, as its definition has no checkpoint.
        definition, by = resolved.definition, state.request.user_id
        code = f"preset-{definition.id}-consent"
        consent = Notice.of(code) if code in CATALOGUES["en"] else None
        given = Decision(
            checkpoint_id="start",
            phase_id="",
            action="approve",
            by=by,
            at=state.started_at,
            scope=scope,
            consent=consent,
        )
        state.decisions.append(given)
    for phase, me in zip(resolved.definition.phases, state.phases, strict=True):
        if seed := resolved.seeds.get(phase.id):
            me.status, me.output = "completed", seed.output
            apply_seed(state, me, seed)
            state.shown_plan = seed.shown_plan or state.shown_plan
        elif phase.id not in resolved.selected:
            me.status, me.notices = "skipped", [Notice.of("not-chosen")]
        elif not phase.enabled:
            me.status, me.notices = "skipped", [Notice.of("disabled")]
        if resumed := opened.resumed.get(phase.id):
            _resume_steps(state, me, resumed)
    for me in state.phases:
        if me.origin and "plan" in (me.output or {}):
            _price_seed(state, me)
    if plan := find_output_as(state, "plan", Plan):
        state.resolved = change_depth(state.resolved, plan.depth)
    return state


def _find_title(phase: Phase) -> str:
    """Return a phase's own title, else the catalogue's, else its kind's, in English."""
    return phase.title or (
        say("en", phase.title_code) if phase.title_code else PHASES[phase.kind].title
    )


def _find_title_code(phase: Phase) -> str:
    """Return the code of a phase's title; empty where a user wrote it, or the author of a kind."""
    code = phase.title_code or f"kind-{phase.kind}"
    return code if not phase.title and code in CATALOGUES["en"] else ""


def _find_stage(phase: Phase, graph: PhaseGraph) -> Stage:
    """Return the run's stage during a phase; a checkpoint has that of the phase before it."""
    while phase.kind == "hitl_checkpoint" and (before := graph.before[phase.id]):
        phase = graph.phases[before[-1]]
    return PHASES[phase.kind].category


def _price_seed(state: RunState, me: PhaseState) -> None:
    """Price a given plan that has no price, or whose price has changed."""
    seeded = PlanningOutput.model_validate(me.output)
    if not seeded.plan.estimated_cost.top_usd:
        own = seeded.plan.depth
        depth = state.resolved.depth if own == "standard" else own
        draft = seeded.plan.model_copy(update={"depth": depth})
        plan = price_plan(state, draft, me.id, servers=seeded.plan.servers)
        me.output = PlanningOutput(plan=plan, plan_hash=plan.hash).model_dump(mode="json")


def _resume_steps(state: RunState, me: PhaseState, seed: Seed) -> None:
    """Place a phase after the plan steps that another run completed, and the checkpoints passed there."""
    given = ControlOutput.model_validate(seed.output)
    me.output = seed.output
    cursor, progress = me.progress.steps, me.progress
    cursor.done, progress.searches = list(given.steps), list(given.searches)
    cursor.passed = [
        decision.checkpoint_id.removeprefix(f"{me.id}-").partition("-")[2]
        for decision in state.decisions
        if decision.phase_id == me.id and is_approval(decision)
    ]
    _take_over_pages(state, seed)


def find_opening_patches(resolved: Resolved) -> list[Patch]:
    """Return the living report that a run begins with: its longest seed, or the base that it changes."""
    given = [seed.output.get("patches") or [] for seed in resolved.seeds.values()]
    grown = _PATCHES.validate_python(max(given, key=len, default=[]))  # type: ignore[arg-type]
    is_changed = resolved.base_report and resolved.definition.is_living
    base = list(resolved.base_report.patches) if resolved.base_report and is_changed else []
    return max(base, grown, key=len)


def apply_seed(state: RunState, phase: PhaseState, seed: Seed) -> None:
    """Record the origin of a phase's output, and add its pages and artifacts to the run."""
    phase.origin, phase.notices = seed.origin, list(seed.notices)
    phase.lost_inputs = list(seed.lost_inputs)
    phase.reused_from = seed.run_id
    _take_over_pages(state, seed)


def _take_over_pages(state: RunState, seed: Seed) -> None:
    """Add the pages and artifacts of another run's output to the run."""
    found = SOURCES.validate_python(seed.output.get("sources") or [])
    if len(found) > len(state.sources):  # each list is a prefix of the next
        state.sources[:] = found
    made = ARTIFACTS.validate_python(seed.output.get("artifacts") or [])
    state.artifacts[:] = {a.id: a for a in [*state.artifacts, *made]}.values()

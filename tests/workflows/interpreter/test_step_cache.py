"""What a phase's key is made of, and when a phase looks for what another run gave."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from pydantic import JsonValue, TypeAdapter

from contracts.base import Json
from contracts.evidence.sources import Source
from contracts.human.messages import Steer
from contracts.models.answer_json_schema import get_answer_schema
from contracts.notices import Notice
from contracts.phases import Phase
from contracts.phases.synthesis import SynthesisConfig, SynthesisPhase
from contracts.phases.typed_answers import AnalysisConfig, AnalysisPhase
from contracts.planning.plan import Plan
from contracts.runs.request import Seed
from contracts.runs.state import RunState
from tests.workflows.support.fake_activities import Fakes, artifact
from tests.workflows.support.phase_harness import PAGE, PLAN, context_of, opened, work
from workflows.interpreter.initial_state import apply_seed
from workflows.interpreter.message_handlers import MESSAGES
from workflows.interpreter.phase_walk import Interpreter
from workflows.interpreter.step_cache import compute_cache_key, may_use_cache
from workflows.phases import PHASES
from workflows.runtime.event_outbox import build_phase_record

ANALYSIS = AnalysisPhase(config=AnalysisConfig(inputs=["report", "findings"]))
PHASE: TypeAdapter[Phase] = TypeAdapter(Phase)


def key(state: RunState) -> str:
    return compute_cache_key(state.resolved.definition.phases[-1], state)


def settled(state: RunState, name: str, value: Any) -> None:
    """Set a frozen part of a state to something else."""
    at, _, field = name.rpartition(".")
    if not at:
        setattr(state, field, value)
        return
    settled(state, at, _part(state, at).model_copy(update={field: value}))


def _part(state: RunState, path: str) -> Any:
    part: Any = state
    for name in path.split("."):
        part = getattr(part, name)
    return part


def gave(phase: str, name: str, value: Any) -> Callable[[RunState], None]:
    def change(state: RunState) -> None:
        output = state.phase(phase).output
        assert output
        state.phase(phase).output = {**output, name: value}

    return change


def sets(path: str, value: Any) -> Callable[[RunState], None]:
    return lambda state: settled(state, path, value)


CHANGES: dict[str, Callable[[RunState], None]] = {
    "tenant": sets("tenant_id", "other"),
    "user": sets("request.user_id", "bob"),
    "definition": sets("resolved.definition.id", "other"),
    "version": sets("resolved.definition.version", 2),
    "question": sets("request.query", "Where to sell boats?"),
    "input": sets("request.inputs", {"as_of": "2026-01-01"}),
    "model": sets("terms.model", "another"),
    "model of its role in the house": sets("terms.roles", {"analyst": "another"}),
    "model of its role": sets("terms.models", {"analyst": "another"}),
    "stand-ins": sets("terms.offline", True),
    "need": gave("synthesis", "report", {"title": "Boats"}),
    "second need": gave("research", "findings", []),
    "warning": lambda state: state.phase("synthesis").notices.append(Notice.of("no-page-read")),
    "what was said of it": lambda state: state.phase("analysis").feedback.append("Shorter."),
    "steering": lambda state: state.steering.append(Steer(text="Mind the price.")),
    "page": lambda state: state.sources.append(Source.model_validate({**PAGE, "url": "http://b"})),
    "content": lambda state: sets(
        "sources", [Source.model_validate({**PAGE, "content_hash": "1"})]
    )(state),
    "artifact": lambda state: state.artifacts.append(artifact("Prices", "table")),
}


@pytest.mark.parametrize("what", CHANGES)
def test_whatever_a_phase_reads_is_in_its_key(what: str) -> None:
    state = opened(ANALYSIS)
    before = key(state)
    CHANGES[what](state)
    assert key(state) != before


UNREAD: dict[str, Callable[[RunState], None]] = {
    "run": sets("run_id", "run-2"),
    "cap": sets("terms.cap_usd", 1.0),
    "role of another": sets("terms.models", {"planner": "another"}),
    "another's output": gave("planning", "plan_hash", "other"),
    "day of a page": lambda state: sets(
        "sources", [Source.model_validate({**PAGE, "retrieved_at": "later", "text_key": "k"})]
    )(state),
    "fresh": sets("request.fresh", True),
}


@pytest.mark.parametrize("what", UNREAD)
def test_what_it_does_not_read_is_not(what: str) -> None:
    state = opened(ANALYSIS)
    before = key(state)
    UNREAD[what](state)
    assert key(state) == before


def test_config_and_place_are_in_it() -> None:
    config = ANALYSIS.config.model_copy(update={"instructions": "For a board."})
    own = ANALYSIS.config.model_copy(update={"models": {"analyst": "own"}})
    phases = [ANALYSIS, *(ANALYSIS.model_copy(update={"config": c}) for c in (config, own))]
    phases.append(ANALYSIS.model_copy(update={"id": "second"}))
    assert len({key(opened(phase)) for phase in phases}) == len(phases)


@pytest.mark.parametrize(
    "change", [{"version": 2}, {"prompts": ("Other words.",)}, {"drafts": (Plan,)}], ids=str
)
def test_a_kind_that_means_something_else_has_other_keys(
    monkeypatch: pytest.MonkeyPatch, change: dict[str, Any]
) -> None:
    before = key(opened(ANALYSIS))
    monkeypatch.setitem(PHASES, "analysis", replace(PHASES["analysis"], **change))
    assert key(opened(ANALYSIS)) != before


def test_a_whole_output_is_read_where_nothing_is_named() -> None:
    state = opened(AnalysisPhase())
    before = key(state)
    gave("synthesis", "patches", [{}])(state)
    assert key(state) != before


ASKING = ("analysis", "decision", "review", "summary", "synthesis")
"""Kinds that may be cached and that ask models."""


def test_these_kinds_are_cached_and_no_other() -> None:
    made = {kind: PHASE.validate_python({"kind": kind}) for kind in PHASES}
    assert {kind for kind, phase in made.items() if PHASES[kind].cacheable(phase)} == {
        *ASKING,
        "retrieval",
    }
    living = SynthesisPhase(config=SynthesisConfig(living=True))
    assert not PHASES["synthesis"].cacheable(living)


@pytest.mark.parametrize(
    ("kind", "config"),
    [
        *((kind, {}) for kind in ASKING),
        ("synthesis", {"form": "text"}),
        ("analysis", {"lens": "fundamentals"}),
        ("analysis", {"lens": "news"}),
    ],
)
async def test_a_cached_kind_names_all_that_it_tells_models(kind: str, config: Json) -> None:
    """Else an edited prompt would find what the old one made."""
    phase = PHASE.validate_python({"kind": kind, "id": "it", "config": config})
    fakes = Fakes()
    await work(fakes, phase)
    assert fakes.requests
    forms = [get_answer_schema(draft) for draft in PHASES[kind].drafts]
    for request in fakes.requests:
        assert request.system.rpartition("\nToday is ")[0] in PHASES[kind].prompts
        assert request.output_schema in forms
        assert request.role in PHASES[kind].agents(phase)


def looks(state: RunState, kind: str = "analysis") -> bool:
    phase = next(p for p in state.resolved.definition.phases if p.kind == kind)
    return may_use_cache(phase, context_of(Interpreter(state), phase))


async def test_who_is_bound_to_what_was_there_looks() -> None:
    state = opened(ANALYSIS)
    assert looks(state)
    state.phase("synthesis").origin = None
    assert not looks(state), "a model has just written it"
    state.phase("synthesis").origin = "cache"
    assert looks(state)
    state.phase("synthesis").status, state.phase("synthesis").origin = "failed", None
    assert looks(state), "nothing was given"


@pytest.mark.parametrize("asked", [{"fresh": True}, {"redo": ["analysis"]}], ids=str)
async def test_who_is_to_do_it_anew_does_not_look(asked: dict[str, Any]) -> None:
    state = opened(ANALYSIS)
    for name, value in asked.items():
        settled(state, f"request.{name}", value)
    assert not looks(state)


async def test_a_second_attempt_does_not_look() -> None:
    state = opened(ANALYSIS)
    state.phase("analysis").retries = 1
    assert not looks(state)


async def test_a_phase_that_reaches_the_web_looks_for_an_approved_plan_alone() -> None:
    state = opened(ANALYSIS)
    assert looks(state, "research")
    other = PLAN.model_copy(update={"goal": "Another."})
    gave("planning", "plan", other.model_dump(mode="json"))(state)
    assert not looks(state, "research")


def completed(**more: Any) -> RunState:
    state = opened(ANALYSIS)
    settled(state, "terms.step_cache_hours", 24)
    state.phase("synthesis").output = None
    me = state.phase("analysis")
    me.status, me.output, me.cache_key = "completed", {"analysis": {}}, "a key"
    me.ended_at = "2026-01-01T10:00:00+00:00"
    for name, value in more.items():
        setattr(me, name, value)
    return state


def kept(state: RunState) -> tuple[str | None, str | None]:
    record = build_phase_record(state, state.phase("analysis"))
    return record.cache_key, record.expires_at


def test_what_has_completed_is_kept_for_as_long_as_the_terms_say() -> None:
    assert kept(completed()) == ("a key", "2026-01-02T10:00:00+00:00")


@pytest.mark.parametrize(
    "left",
    [{"status": "partial"}, {"status": "failed", "output": None}, {"cache_key": ""}],
    ids=str,
)
def test_what_has_not_is_kept_for_nobody(left: dict[str, Any]) -> None:
    assert kept(completed(**left)) == (None, None)


def test_a_temporary_run_leaves_nothing_for_others() -> None:
    state = completed()
    settled(state, "request.temp_workflow", True)
    assert kept(state) == (None, None)


async def test_what_is_steered_on_its_way_is_for_this_run_alone() -> None:
    state = completed(status="running")
    interpreter = Interpreter(state)
    interpreter.recorder.emit = lambda *_, **__: None  # type: ignore[method-assign]
    await MESSAGES["steer"].apply(interpreter, Steer(text="Mind the price."))
    assert state.phase("analysis").cache_key == ""


def test_pages_and_artifacts_come_along() -> None:
    state = opened(ANALYSIS)
    more = {**PAGE, "url": "https://example.org/1"}
    table = artifact("Prices", "table").model_dump(mode="json")
    both: list[JsonValue] = [PAGE, more]
    for pages in (both, both[:1]):
        output: Json = {"sources": pages, "artifacts": [table]}
        apply_seed(state, state.phase("analysis"), Seed(output=output, origin="cache"))
    assert [source.url[-1] for source in state.sources] == ["0", "1"]
    assert [made.name for made in state.artifacts] == ["Prices"]

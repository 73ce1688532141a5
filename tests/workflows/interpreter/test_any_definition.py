"""Any combination of kinds is refused with the places of its errors, or runs to an end."""

import asyncio
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from temporalio.client import (
    Client,
    WorkflowFailureError,
    WorkflowUpdateFailedError,
    WorkflowUpdateRPCTimeoutOrCancelledError,
)
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError

from contracts.base import Json
from contracts.definitions import Definition
from contracts.errors import InvalidInput
from contracts.human.checkpoints import Checkpoint
from contracts.runs.records import Batch
from contracts.runs.start import RunInput
from contracts.runs.statuses import ENDED, SETTLED
from tests.workflows.support.definition_strategies import bodies
from tests.workflows.support.listed_company import required_of
from tests.workflows.support.run_harness import Harness, with_crews
from workflows.checkpoints.decision_checks import list_allowed_actions, list_offered_choices
from workflows.phases import PHASES
from workflows.research import Research
from workflows.start.resolution import validate_definition

Wishes = list[str]
AT_ONCE = 10
PATIENCE = 300
REFUSED = ApplicationError("no", type="model-rejected", non_retryable=True)


def check(body: Json) -> Definition | None:
    """Return a definition that holds together; one that does not is refused as it should be."""
    try:
        made = Definition.model_validate(body)
    except ValidationError as error:
        _refused(str(e["loc"][0]) for e in error.errors())
        return None
    assert Definition.model_validate_json(made.model_dump_json()) == made
    try:
        bound = validate_definition(made)
    except InvalidInput as refused:
        _refused(p.path.partition("[")[0] for p in refused.problems if p.message)
        return None
    phases = {phase.id: phase for phase in made.phases}
    assert list(bound) == list(phases)
    for phase in made.phases:
        needs = {need.name: need for need in PHASES[phase.kind].needs(phase)}
        for name, providers in bound[phase.id].items():
            assert all(PHASES[phases[p].kind].meets(needs[name]) for p in providers)
    return made


def _refused(places: Iterable[str]) -> None:
    assert set(places) == {"phases"}


def drawn(strategy: st.SearchStrategy[Any], count: int, take: Callable[[Any], Any]) -> list[Any]:
    """Return the results of `take` for `count` examples, without empty ones."""
    made: list[Any] = []

    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        derandomize=count < 1_000,
    )
    @given(strategy)
    def draw(example: Any) -> None:
        made.append(take(example))

    draw()
    return [each for each in made if each is not None]


class Humans:
    """Answers every question of a run according to its wishes, as soon as it is recorded."""

    def __init__(self, runs: Harness, wishes: dict[str, Wishes], failing: dict[str, str]) -> None:
        self._runs = runs
        self._wishes = wishes
        self._failing = failing
        self._asked: set[tuple[str, str]] = set()
        self._answering: set[asyncio.Task[None]] = set()
        self.ended: dict[str, str] = {}
        self.phases: dict[str, dict[str, str]] = defaultdict(dict)

    def before(self, name: str, request: Any) -> None:
        if name == "record":
            self._hear(request)
        if name == "model" and self._fails(request):
            raise REFUSED

    def _fails(self, request: Any) -> bool:
        title = (request.output_schema or {}).get("title")
        unknown = title is not None and title not in self._runs.fakes.answers
        return unknown or self._failing.get(request.scope.run_id) == request.scope.phase_id

    def _hear(self, batch: Batch) -> None:
        self.ended[batch.run_id] = batch.status
        self.phases[batch.run_id] |= {phase.id: phase.status for phase in batch.phases}
        self._runs.fakes.batches.clear()  # for thousands of runs they would fill the memory
        self._runs.fakes.requests.clear()
        for event in batch.events:
            place = batch.run_id, event.key
            if event.type == "InputRequiredEvent" and place not in self._asked:
                self._asked.add(place)
                told = {k: v for k, v in event.payload.items() if k != "again"}
                asked = Checkpoint.model_validate(told)
                task = asyncio.create_task(self._answer(batch.run_id, asked))
                self._answering.add(task)
                task.add_done_callback(self._answering.discard)

    async def _answer(self, run_id: str, asked: Checkpoint) -> None:
        handle = self._runs.client.get_workflow_handle(run_id)
        name, body = self._said(run_id, asked)
        with suppress(RPCError):  # its time had run out, and the run ended with it
            try:
                await handle.execute_update(name, body)
            except WorkflowUpdateFailedError:
                await handle.signal("cancel", {"mode": "now"})
            except WorkflowUpdateRPCTimeoutOrCancelledError:
                await handle.signal(name, body)

    def _said(self, run_id: str, asked: Checkpoint) -> tuple[str, Json]:
        if asked.kind == "questions":
            return "answer_questions", {"rest": None}
        wish = self._wishes[run_id].pop(0) if self._wishes[run_id] else "approve"
        allowed = list_allowed_actions(asked)
        action = wish if wish in allowed else allowed[0]
        own = list_offered_choices(asked)
        return "decide", {
            "action": action,
            "plan_hash": asked.plan_hash,
            "feedback": "Shorter.",
            "modifications": {"goal": "Another."} if wish == "modify" else None,
            "choice": own[0] if own and action == "approve" else None,
            "checkpoint_id": asked.checkpoint_id,
        }


WISHES = st.lists(st.sampled_from(["approve", "modify", "revise", "reject"]), max_size=3)
CASES = st.tuples(bodies(), WISHES, st.integers(0, 20))


def case(example: tuple[Json, Wishes, int]) -> tuple[Definition, Wishes, str] | None:
    """Return a definition to run, the humans' wishes, and the phase whose model fails."""
    body, wishes, n = example
    made = check(body)
    if made is None:
        return None
    return made, wishes, made.phases[n].id if n < len(made.phases) else ""


@pytest.mark.parametrize("examples", [20, pytest.param(3_000, marks=pytest.mark.full)])
@pytest.mark.timeout(1_800)
async def test_any_definition_is_refused_or_ends(local_temporal: Client, examples: int) -> None:
    cases = drawn(CASES, examples, case)
    assert len(cases) > examples / 10
    gate = asyncio.Semaphore(AT_ONCE)
    async with with_crews(local_temporal) as runs:
        wishes: dict[str, Wishes] = {}
        failing: dict[str, str] = {}
        humans = Humans(runs, wishes, failing)
        runs.fakes.before = humans.before

        async def ends(made: Definition, said: Wishes, fails: str) -> None:
            name = f"any-{uuid.uuid4()}"
            runs.fakes.definitions[name] = made
            wishes[name], failing[name] = said, fails
            given = RunInput(query="?", definition_id=name, inputs=required_of(made))
            told = made.model_dump_json(exclude_defaults=True)
            async with gate:
                ended = runs.client.execute_workflow(
                    Research.run, given, id=name, task_queue=runs.queue
                )
                try:
                    [result] = await asyncio.wait_for(
                        asyncio.gather(ended, return_exceptions=True), PATIENCE
                    )
                except TimeoutError:
                    pytest.fail(f"goes on and on: {told}")
            if made.asks_report:  # it is started without a report
                assert isinstance(result, WorkflowFailureError), told
                assert getattr(result.cause, "type", "") == InvalidInput.type(), told
                return
            assert not isinstance(result, BaseException), told
            assert result.status == humans.ended[name] in ENDED, told
            assert list(humans.phases[name]) == [phase.id for phase in made.phases]
            assert set(humans.phases[name].values()) <= SETTLED, told

        await asyncio.gather(*(ends(*each) for each in cases))

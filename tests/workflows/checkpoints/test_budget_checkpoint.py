"""A cap that is met waits for a human: raised, finished within, or stopped."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from temporalio.client import Client, WorkflowUpdateFailedError
from temporalio.exceptions import ApplicationError

from contracts.access.budgets import MetBudget
from contracts.base import Json
from contracts.errors import BudgetExceeded, InvalidInput
from contracts.human.approvers import Poll, Vote
from contracts.human.checkpoint_subjects import CONTINUE, FINISH, RAISE, BudgetSubject
from contracts.human.checkpoints import Checkpoint
from contracts.human.messages import Choice
from contracts.phases.research import ResearchConfig, ResearchPhase
from contracts.runs.records import EarlyEnd
from contracts.runs.run_terms import PriceTolerance
from tests.workflows.support.fake_activities import TERMS
from tests.workflows.support.phase_harness import opened
from tests.workflows.support.run_harness import Handle, Harness, find_budget, harness
from workflows.checkpoints.budget_checkpoint import is_dearer_by_documents
from workflows.checkpoints.decision_checks import find_cap
from workflows.checkpoints.votes import _find_least_cap

ASKED = Checkpoint(
    checkpoint_id="research-1-budget-1",
    phase_id="research",
    kind="decision",
    options=[FINISH, RAISE, "reject"],
    choices=[Choice(label=label, action="approve") for label in (FINISH, RAISE)],
    subject=BudgetSubject(spent_usd=0.4, cap_usd=0.5, offered_usd=0.8, most_usd=2),
    deadline="2026-11-26T20:00:00+00:00",
)

STRICT = PriceTolerance(percent=0, usd=0)


@pytest.fixture
async def runs(temporal: Client) -> AsyncIterator[Harness]:
    async with harness(temporal) as made:
        yield made


@pytest.mark.parametrize(
    ("choice", "named", "cap"),
    [(RAISE, None, 0.8), (RAISE, 2, 2), (FINISH, None, 0.5), (None, None, None)],
)
def test_a_choice_about_the_budget_sets_the_cap(
    choice: str | None, named: float | None, cap: float | None
) -> None:
    assert find_cap(ASKED, choice, named) == cap


@pytest.mark.parametrize(("choice", "named"), [(RAISE, 0.5), (RAISE, 2.01), (FINISH, 1), (None, 1)])
def test_an_amount_is_for_a_raise_within_the_installations_cap(
    choice: str | None, named: float
) -> None:
    with pytest.raises(InvalidInput) as refused:
        find_cap(ASKED, choice, named)
    assert [problem.path for problem in refused.value.problems] == ["cap_usd"]


def test_approvers_agree_to_the_least_amount_that_one_of_them_names() -> None:
    votes = [
        Vote(by=by, action="approve", choice=choice, cap_usd=cap, at="now")
        for by, choice, cap in (("ana", RAISE, 1.2), ("ben", RAISE, 0.8), ("cy", FINISH, 0.5))
    ]
    poll = Poll(asked=[], roles=[], needed=2, rejects_needed=1, missing=0, votes=votes)
    assert _find_least_cap(poll, RAISE) == 0.8


def refuse_turn(runs: Harness, turn: str, above: float | None = None) -> list[Any]:
    """Refuse the researcher's calls of a turn while the cap is not above an amount; return those refused."""
    refused: list[Any] = []

    def before(kind: str, request: Any) -> None:
        is_turn = kind == "model" and request.role == "researcher" and turn in request.scope.name
        if is_turn and request.kept_turns and not (above and request.cap_usd > above):
            refused.append(request)
            raise ApplicationError("cap", type="budget-exceeded", non_retryable=True)

    runs.fakes.before = before
    return refused


async def approve(runs: Harness, **options: Any) -> Handle:
    handle = await runs.start(**options)
    await runs.answer(handle)
    await runs.decide(handle, "approve")
    return handle


async def test_a_raised_cap_lets_the_refused_call_be_made(runs: Harness) -> None:
    refused = refuse_turn(runs, "turn-3", above=1)
    handle = await approve(runs)
    asked = await runs.decide_on_budget(handle, RAISE, cap_usd=1.5, by="ana")
    assert isinstance(asked.subject, BudgetSubject)
    assert asked.subject.cap_usd < asked.subject.offered_usd <= asked.subject.most_usd
    with pytest.raises(WorkflowUpdateFailedError):  # a copy of it comes late
        await runs.update(handle, "decide", {"choice": RAISE, "checkpoint_id": asked.checkpoint_id})
    assert (await handle.result()).status == "completed"
    state = await runs.state(handle)
    assert (state.cap_usd, state.decisions[-1].cap_usd, len(refused)) == (1.5, 1.5, 1)
    assert not state.phases[4].early_end
    made = [r for r in runs.fakes.requests if r.role == "researcher" and r.scope.name == "turn-3"]
    assert [(r.cap_usd, r.kept_turns) for r in made] == [(1.5, 1)]
    [plan_decision, _] = state.decisions
    assert plan_decision.plan_hash == state.plan_hash  # the approval is unchanged


async def test_a_stop_at_the_cap_ends_the_run(runs: Harness) -> None:
    refuse_turn(runs, "turn-3")
    handle = await approve(runs)
    asked = await runs.until(handle, lambda s: s.status == "waiting" and s.pending)
    body: Json = {"action": "reject", "checkpoint_id": asked.pending[0].checkpoint_id}
    await runs.update(handle, "decide", body)
    assert (await handle.result()).status == "rejected"


async def test_the_deadline_finishes_within_the_cap_and_asks_once(runs: Harness) -> None:
    refused = refuse_turn(runs, "turn-")
    gate = {"checkpoint": {"config": {"wait_seconds": 3}}}
    handle = await approve(runs, config_overrides=gate)
    assert (await handle.result()).status == "partial"
    state = await runs.state(handle)
    taken = state.decisions[-1]
    assert (taken.choice, taken.default, taken.cap_usd) == (FINISH, True, state.cap_usd)
    assert [d.choice for d in state.decisions].count(FINISH) == 1
    assert len(refused) == 1


async def test_finishing_before_anything_was_read_ends_with_a_report_that_says_so(
    runs: Harness,
) -> None:
    def before(kind: str, request: Any) -> None:
        if kind == "model" and request.role == "researcher":
            raise ApplicationError("cap", type="budget-exceeded", non_retryable=True)

    runs.fakes.before = before
    handle = await approve(runs)
    await runs.decide_on_budget(handle, FINISH)
    assert (await handle.result()).status == "partial"
    state = await runs.state(handle)
    ended = {phase.id: phase for phase in state.phases}
    assert {ended[name].status for name in ("research", "synthesis")} == {"skipped"}
    assert ended["research"].early_end == EarlyEnd(reason="budget", pages_read=0)
    assert not any(phase.error for phase in state.phases)


async def test_agents_at_once_wait_at_one_checkpoint(runs: Harness) -> None:
    steps = [{"name": name, "independent": True} for name in ("Kenya", "Ghana")]
    plan: Any = runs.fakes.answers["PlanDraft"]
    runs.fakes.answers = {**runs.fakes.answers, "PlanDraft": {**plan, "steps": steps}}
    refused = refuse_turn(runs, "turn-2", above=1)
    handle = await approve(runs)
    await runs.until(handle, lambda _: len(refused) == 2)
    await runs.decide_on_budget(handle, RAISE, cap_usd=2)
    assert (await handle.result()).status == "completed"
    state = await runs.state(handle)
    assert len([d for d in state.decisions if d.cap_usd]) == 1


def read(chars: int, offline: bool = False, asked: float = 0) -> bool:
    """Return whether an approved run asks a human once it has read a document that long."""
    state = opened(ResearchPhase(id="reading", config=ResearchConfig(living=True)))
    state.terms = state.terms.model_copy(update={"offline": offline, "price_tolerance": STRICT})
    state.decisions += [one.model_copy(update={"reused_from": None}) for one in state.decisions]
    progress = state.phase("reading").progress
    progress.long_documents, progress.documents_asked = {"https://example.org/0": chars}, asked
    return is_dearer_by_documents(state)


def test_long_documents_that_the_price_does_not_know_are_asked_about() -> None:
    assert read(400_000)
    assert not read(20_000), "it is shown whole"
    assert not read(400_000, offline=True), "a stand-in costs nothing"
    assert not read(400_000, asked=1), "a human has decided about it"


async def test_a_long_document_is_opened_once_a_human_has_decided_about_the_cap(
    runs: Harness,
) -> None:
    runs.fakes.terms = TERMS.model_copy(update={"price_tolerance": STRICT})
    runs.fakes.page_chars = 500_000
    handle = await approve(runs)
    cap = (await runs.until(handle, find_budget)).cap_usd
    assert not runs.fakes.opened
    asked = await runs.decide_on_budget(handle, RAISE)
    assert [ask.code for ask in asked.asks] == ["ask-documents"]
    assert isinstance(asked.subject, BudgetSubject)
    assert asked.subject.documents == runs.fakes.fetches[:1]
    assert (await handle.result()).status == "completed"
    state = await runs.state(handle)
    assert runs.fakes.opened
    assert [d.cap_usd for d in state.decisions if d.cap_usd] == [asked.subject.offered_usd]
    assert asked.subject.offered_usd > cap


def meet_budget(runs: Harness, opens_in: timedelta | None, most: int = 1) -> list[Any]:
    """Refuse the researcher's first calls of turn 3 by an operator's budget; return those refused."""
    refused: list[Any] = []
    today = datetime.now(UTC).date()
    budget = MetBudget(
        kind="user",
        holder="ana",
        period="day",
        limit_usd=1,
        spent_usd=0.9,
        price_usd=0.2,
        opens_on=today + opens_in if opens_in is not None else None,
    )

    def before(kind: str, request: Any) -> None:
        is_turn = (
            kind == "model" and request.role == "researcher" and "turn-3" in request.scope.name
        )
        if is_turn and len(refused) < most:
            refused.append(request)
            error = BudgetExceeded(budget.notice, budget=budget)
            raise ApplicationError(
                str(error), *error.details, type=error.type(), non_retryable=True
            )

    runs.fakes.before = before
    return refused


async def test_a_met_budget_waits_until_somebody_has_it_tried_again(runs: Harness) -> None:
    refused = meet_budget(runs, timedelta(days=1), most=2)
    handle = await approve(runs)
    asked = find_budget(await runs.until(handle, find_budget))
    assert asked
    assert isinstance(asked.subject, BudgetSubject)
    assert asked.subject.budget
    assert [ask.code for ask in asked.asks] == ["ask-budget-opens"]
    assert asked.options == [FINISH, CONTINUE, "reject"]
    raised: Json = {"choice": CONTINUE, "cap_usd": 2, "checkpoint_id": asked.checkpoint_id}
    with pytest.raises(WorkflowUpdateFailedError):  # it is not the run's to raise
        await runs.update(handle, "decide", raised)
    await runs.decide_on_budget(handle, CONTINUE, by="ana")
    await runs.until(handle, lambda _: len(refused) == 2)
    await runs.decide_on_budget(handle, CONTINUE, by="ana")
    assert (await handle.result()).status == "completed"
    state = await runs.state(handle)
    assert [d.choice for d in state.decisions[-2:]] == [CONTINUE, CONTINUE]
    assert len({d.checkpoint_id for d in state.decisions}) == len(state.decisions)
    assert len(refused) == 2
    assert not state.phases[4].early_end


async def test_a_run_goes_on_by_itself_once_its_budget_opens(runs: Harness) -> None:
    """It had opened by the time the run asked: that is its deadline."""
    refused = meet_budget(runs, timedelta(0))
    handle = await approve(runs)
    assert (await handle.result()).status == "completed"
    state = await runs.state(handle)
    taken = state.decisions[-1]
    assert (taken.choice, taken.default, len(refused)) == (CONTINUE, True, 1)
    assert not any(phase.warnings for phase in state.phases)


async def test_a_budget_that_opens_too_late_has_the_run_finish_at_the_deadline(
    runs: Harness,
) -> None:
    meet_budget(runs, None, most=99)
    gate = {"checkpoint": {"config": {"wait_seconds": 3}}}
    handle = await approve(runs, config_overrides=gate)
    assert (await handle.result()).status == "partial"
    state = await runs.state(handle)
    taken = state.decisions[-1]
    assert (taken.choice, taken.default) == (FINISH, True)
    assert state.phases[4].early_end


async def test_finishing_within_a_met_budget_writes_what_there_is(runs: Harness) -> None:
    meet_budget(runs, timedelta(days=1), most=99)
    handle = await approve(runs)
    await runs.decide_on_budget(handle, FINISH)
    assert (await handle.result()).status == "partial"
    state = await runs.state(handle)
    assert [d.choice for d in state.decisions].count(FINISH) == 1
    assert state.phases[4].early_end

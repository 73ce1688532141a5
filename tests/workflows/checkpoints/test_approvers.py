"""Several humans at one checkpoint: votes, reminders, escalation, and whom nobody believes."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from temporalio.api.sdk.v1 import WorkflowMetadata
from temporalio.client import Client, WorkflowUpdateFailedError
from temporalio.testing import WorkflowEnvironment

from contracts.base import Json
from contracts.definitions import Definition
from contracts.errors import InvalidInput
from contracts.human.approvers import Approvers, Audience, Delegate, SealedDecide, SealedDelegate
from contracts.human.checkpoints import Checkpoint
from contracts.human.messages import Decide
from contracts.phases.hitl_checkpoint import HitlCheckpointConfig, HitlCheckpointPhase
from contracts.phases.planning import PlanningPhase
from contracts.phases.research import ResearchPhase
from contracts.runs.request import RunRequest
from tests.support.words import en, opening, pattern, phrase
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.run_harness import Handle, Harness, harness
from workflows.start.resolution import resolve

DAY = 86_400
TWO_OF_THREE = Approvers(
    of=["ana", "ben", "cy"],
    needed=2,
    forbid_requester=True,
    remind_every_seconds=DAY,
    escalate_after_seconds=2.5 * DAY,
    escalate_to=Audience(role="board"),
)


def definition(
    name: str, policy: Approvers, *more: HitlCheckpointPhase, **config: Any
) -> Definition:
    checkpoint = HitlCheckpointConfig(approvers=policy, **config)
    asked = HitlCheckpointPhase(id="checkpoint", config=checkpoint)
    return Definition(id=name, phases=[PlanningPhase(), asked, *more, ResearchPhase()])


DEFINITIONS = (
    definition("two_of_three", TWO_OF_THREE),
    definition("finance", Approvers(role="finance", needed=2, rejects_needed=2)),
    definition("hasty", Approvers(of=["ana"]), wait_seconds=5),
    definition("once_more", Approvers(of=["ben"]), HitlCheckpointPhase(id="again")),
)


def fakes() -> Fakes:
    made = Fakes(*DEFINITIONS)
    made.keys.live = {"ana": "finance", "ben": "finance", "cy": "", "dora": "board", "eve": ""}
    return made


@pytest.fixture
async def runs(temporal: Client) -> AsyncIterator[Harness]:
    async with harness(temporal, fakes()) as made:
        yield made


async def asked(runs: Harness, handle: Handle) -> Checkpoint:
    return (await runs.asked(handle, "checkpoint")).pending[0]


class Gateway:
    """Signs as the real one does, at a time of the test's."""

    def __init__(self, runs: Harness, handle: Handle, now: datetime) -> None:
        self.runs, self.handle, self.now = runs, handle, now

    async def say(self, by: str, action: str, signal: bool = False, **more: Any) -> None:
        shown = await asked(self.runs, self.handle)
        place = {"checkpoint_id": shown.checkpoint_id, "plan_hash": shown.plan_hash}
        said = Decide.model_validate({"action": action, "by": by, **place, **more})
        await self.send("decide", SealedDecide(**dict(said), seal=self.seal(said)), signal)

    async def hand_over(self, by: str, to: str) -> None:
        shown = await asked(self.runs, self.handle)
        place = {"checkpoint_id": shown.checkpoint_id, "plan_hash": shown.plan_hash}
        said = Delegate.model_validate({"to": to, "by": by, **place})
        await self.send("delegate", SealedDelegate(**dict(said), seal=self.seal(said)))

    def seal(self, said: Decide | Delegate) -> Any:
        self.now += timedelta(seconds=1)
        run = self.handle.id
        return self.runs.fakes.seals.seal("default", run, said, f"key-{said.by}", self.now)

    async def send(self, name: str, body: Any, signal: bool = False) -> None:
        if signal:
            await self.handle.signal(name, body)
        else:
            await self.handle.execute_update(name, body)


async def gateway(runs: Harness, name: str, user: str = "ana") -> Gateway:
    handle = await runs.start(definition_id=name, user_id=user)
    opened = (await runs.asked(handle, "checkpoint")).started_at
    return Gateway(runs, handle, datetime.fromisoformat(opened))


def told(runs: Harness, *words: str) -> bool:
    return any(all(w in str(e.payload) for w in words) for e in runs.fakes.events)


async def refused(saying: Any) -> str:
    with pytest.raises(WorkflowUpdateFailedError) as failed:
        await saying
    return str(failed.value.cause)


async def test_two_of_three_with_reminders_and_escalation_over_days(
    time_skipping: WorkflowEnvironment,
) -> None:
    async with harness(time_skipping.client, fakes()) as runs:
        said = await gateway(runs, "two_of_three")
        assert (poll := (await asked(runs, said.handle)).poll)
        assert (poll.asked, poll.missing, poll.requester) == (["ben", "cy"], 2, "ana")
        assert phrase("requester-decides-not") in await refused(said.say("ana", "approve"))
        assert phrase("not-asked") in await refused(said.say("dora", "approve"))
        await said.say("ben", "approve")
        await said.say("ben", "approve")  # one person counts once
        await time_skipping.sleep(timedelta(days=2))
        said.now = await time_skipping.get_current_time()
        assert phrase("not-asked") in await refused(said.say("dora", "approve"))
        await time_skipping.sleep(timedelta(days=1))
        said.now = await time_skipping.get_current_time()
        assert (poll := (await asked(runs, said.handle)).poll)
        assert (poll.roles, poll.missing, len(poll.votes)) == (["board"], 1, 1)
        assert not runs.fakes.searches
        again = [e.payload["again"] for e in runs.fakes.events if e.type[:5] == "Input"]
        assert again[:4] == ["", "reminder", "reminder", "escalation"]
        assert phrase("not-asked") in await refused(said.say("eve", "approve"))
        await said.say("dora", "approve")
        assert (await said.handle.result()).status == "completed"
        decision = (await runs.state(said.handle)).decisions[0]
        assert (decision.by, [v.by for v in decision.votes]) == ("ben, dora", ["ben", "dora"])
        assert runs.fakes.searches

        forgotten = await gateway(runs, "two_of_three")
        await forgotten.say("ben", "approve")
        await time_skipping.sleep(timedelta(days=7, minutes=1))
        assert (await forgotten.handle.result()).status == "rejected"


async def test_what_the_gateway_did_not_sign_is_refused_and_told(runs: Harness) -> None:
    said = await gateway(runs, "two_of_three")
    shown = await asked(runs, said.handle)
    typed: Json = {"action": "approve", "plan_hash": shown.plan_hash, "by": "ben"}
    assert phrase("not-sealed") in await refused(said.handle.execute_update("decide", typed))
    await said.handle.signal("decide", typed)
    await said.handle.signal("approve_plan")
    await runs.until(said.handle, lambda _: told(runs, "'approve_plan'", phrase("not-sealed")))
    assert told(runs, "'decide'", phrase("not-sealed"))

    metadata = await said.handle.query("__temporal_workflow_metadata", result_type=WorkflowMetadata)
    assert "Only the gateway takes this decision" in metadata.current_details
    place: Json = {"checkpoint_id": shown.checkpoint_id}
    true = Decide.model_validate({**typed, **place})
    forged = SealedDecide(**{**dict(true), "by": "cy"}, seal=said.seal(true))
    assert phrase("seal-wrong") in await refused(said.send("decide", forged))
    await runs.until(said.handle, lambda _: told(runs, "'decide'", phrase("seal-wrong")))
    elsewhere = Gateway(runs, (await gateway(runs, "two_of_three")).handle, said.now).seal(true)
    stolen = SealedDecide(**dict(true), seal=elsewhere)
    assert phrase("seal-wrong") in await refused(said.send("decide", stolen))

    for action in ("approve", "reject"):
        stale = said.say("cy", action, plan_hash="0" * 64)
        assert phrase("plan-stale") in await refused(stale)

    del runs.fakes.keys.live["ben"]  # revoked while he is asked
    assert en("seal-key-revoked", user="ben") in await refused(said.say("ben", "approve"))
    assert (poll := (await asked(runs, said.handle)).poll)
    assert poll.votes == []
    await said.say("cy", "reject", feedback="too dear")
    assert (await said.handle.result()).status == "rejected"


@pytest.mark.full
async def test_votes_change_lapse_and_are_handed_over(runs: Harness) -> None:
    said = await gateway(runs, "finance", user="eve")
    await said.say("ana", "reject")  # one of two
    old = said.seal(Decide(action="approve"))
    await said.say("ana", "approve")  # a changed mind
    assert (poll := (await asked(runs, said.handle)).poll)
    assert ([v.action for v in poll.votes], poll.missing) == (["approve"], 1)
    shown = await asked(runs, said.handle)
    place = {"checkpoint_id": shown.checkpoint_id, "plan_hash": shown.plan_hash}
    replayed = SealedDecide.model_validate({"action": "approve", "by": "ana", **place, "seal": old})
    assert "already" in await refused(said.send("decide", replayed))

    await said.say("ben", "modify", modifications={"title": "Dearer"})
    changed = await asked(runs, said.handle)
    assert changed.poll
    assert changed.plan_hash != shown.plan_hash
    assert [v.by for v in changed.poll.votes] == ["ben"]
    for action in ("approve", "reject"):
        stale = said.say("ana", action, plan_hash=shown.plan_hash)
        assert phrase("plan-stale") in await refused(stale)

    assert "asked already" in await refused(said.hand_over("ana", "ben"))
    assert "no key" in await refused(said.hand_over("ana", "zoe"))
    await said.hand_over("ana", "eve")
    assert "handed this over" in await refused(said.say("ana", "approve"))
    await said.say("eve", "approve", signal=True)
    assert (await said.handle.result()).status == "completed"
    state = await runs.state(said.handle)
    assert (state.decisions[0].action, state.decisions[0].by) == ("modify", "ben, eve")
    assert state.plan
    assert (state.plan.title, state.plan_hash) == ("Dearer", changed.plan_hash)


async def test_one_of_those_asked_sends_the_plan_back(runs: Harness) -> None:
    said = await gateway(runs, "two_of_three")
    await said.say("ben", "approve")
    await said.say("cy", "revise", feedback="cheaper")
    await runs.until(said.handle, lambda s: s.pending and s.pending[0].checkpoint_id[-1] == "2")
    assert (poll := (await asked(runs, said.handle)).poll)
    assert poll.votes == []
    await said.handle.signal("cancel")


async def test_nobody_else_changes_what_they_approved(runs: Harness) -> None:
    said = await gateway(runs, "once_more")
    await said.say("ben", "approve")
    shown = (await runs.asked(said.handle, "again")).pending[0]
    other = {"action": "modify", "plan_hash": shown.plan_hash, "modifications": {"title": "Mine"}}
    assert phrase("approvers-change-plan") in await refused(
        said.handle.execute_update("decide", other)
    )
    await said.handle.execute_update("decide", {"action": "reject"})


async def test_a_change_that_makes_the_plan_dearer_is_no_vote_for_it(runs: Harness) -> None:
    said = await gateway(runs, "once_more")
    shown = await asked(runs, said.handle)
    terms = [f"pumps {n}" for n in range(9)]
    await said.say("ben", "modify", modifications={"search_terms": terms})
    dearer = await asked(runs, said.handle)
    assert dearer.poll
    assert (dearer.poll.votes, dearer.poll.missing) == ([], 1)
    assert dearer.plan_hash != shown.plan_hash
    await said.say("ben", "approve")
    state = await runs.asked(said.handle, "again")
    assert (state.decisions[0].by, state.decisions[0].plan_hash) == ("ben", dearer.plan_hash)
    assert state.plan_hash == dearer.plan_hash
    await said.handle.execute_update("decide", {"action": "reject"})


async def test_a_dearer_plan_is_no_longer_said_to_be_approved_by_nobody_once_one_has(
    runs: Harness,
) -> None:
    said = await gateway(runs, "two_of_three")
    [question] = (await asked(runs, said.handle)).asks
    terms = [f"pumps {n}" for n in range(9)]
    await said.say("ben", "modify", modifications={"search_terms": terms})
    price, again = (await asked(runs, said.handle)).asks
    assert (price.code, again) == ("ask-price", question)
    await said.say("ben", "approve")
    assert (await asked(runs, said.handle)).asks == [question]
    await said.say("cy", "reject")


async def test_a_vote_in_time_counts_although_no_worker_was_up(
    environment: WorkflowEnvironment,
) -> None:
    """One signed after the deadline does not."""
    async with harness(environment.client, fakes()) as runs:
        in_time, late = [await gateway(runs, "hasty", user="eve") for _ in range(2)]
        shown = {said.handle.id: await asked(runs, said.handle) for said in (in_time, late)}
    late.now += timedelta(hours=1)
    for said in (in_time, late):
        open_ = shown[said.handle.id]
        place = {"checkpoint_id": open_.checkpoint_id, "plan_hash": open_.plan_hash}
        yes = Decide.model_validate({"action": "approve", "by": "ana", **place})
        await said.send("decide", SealedDecide(**dict(yes), seal=said.seal(yes)), signal=True)
    await _past(shown[late.handle.id].deadline)
    async with harness(environment.client, runs.fakes, queue=runs.queue):
        assert (await in_time.handle.result()).status == "completed"
        assert (await late.handle.result()).status == "rejected"


async def _past(deadline: str) -> None:
    left = datetime.fromisoformat(deadline) - datetime.now(UTC)
    await asyncio.sleep(max(0.0, left.total_seconds()) + 0.2)


@pytest.mark.parametrize(
    ("start", "problem"),
    [
        (
            {"config_overrides": {"checkpoint": {"config": {"approvers": None}}}},
            ("config_overrides.checkpoint", "approvers-fixed"),
        ),
        (
            {"config_overrides": {"checkpoint": {"enabled": False}}},
            ("config_overrides.checkpoint", "approvers-fixed"),
        ),
        ({"only": ["planning", "research"]}, ("only", "approvers-skipped")),
        (
            {"given": {"checkpoint": {"approval": {"action": "approve"}}}},
            ("given.checkpoint", "approvers-give"),
        ),
        (
            {"user_id": "ben", "definition_id": "pair"},
            ("phases[1].config.approvers.needed", "approvers-too-few"),
        ),
    ],
)
def test_a_start_does_not_get_around_the_approvers(start: Json, problem: tuple[str, str]) -> None:
    pair = definition("pair", Approvers(of=["ana", "ben"], needed=2, forbid_requester=True))
    chosen = pair if start.pop("definition_id", None) else DEFINITIONS[0]
    with pytest.raises(InvalidInput) as found:
        resolve(RunRequest.model_validate({"query": "?", **start}), chosen, None)
    assert problem in [(each.path, each.code) for each in found.value.problems]


@pytest.mark.parametrize(
    ("policy", "config", "reason"),
    [
        ({}, {}, pattern("approvers-missing")),
        ({"of": ["ana", "ana"]}, {}, pattern("approvers-twice")),
        ({"of": ["ana"], "needed": 2}, {}, "needed: " + opening("approvers-few", "n", n=1)),
        (
            {"of": ["ana"], "rejects_needed": 2},
            {},
            "rejects_needed: " + opening("approvers-few", "n", n=1),
        ),
        ({"of": ["ana"], "escalate_after_seconds": 9}, {}, pattern("escalation-incomplete")),
        ({"of": ["ana"]}, {"require_approval": False}, pattern("approval-not-required-here")),
        ({"of": ["ana"], "remind_every_seconds": 60}, {}, en("reminders-many", n=100)),
        (
            {"of": ["ana"], "escalate_after_seconds": 9, "escalate_to": {"role": "x"}},
            {"wait_seconds": 9},
            pattern("escalation-late"),
        ),
    ],
)
def test_a_policy_that_cannot_be_met_is_refused(policy: Json, config: Json, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        HitlCheckpointConfig.model_validate({"approvers": policy, **config})

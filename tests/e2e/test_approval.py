"""Without a human's approval of exactly this plan, the search service is never called."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.support.stack import Undisturbed, Whole


@pytest.fixture(autouse=True)
async def _nothing_is_searched(whole: Whole) -> AsyncIterator[None]:
    yield
    assert await whole.providers.asked("search") == []
    assert await whole.providers.asked("pages") == []


async def test_withheld_and_then_rejected(whole: Whole) -> None:
    run = await whole.start()
    await run.answer()
    await run.asks("decision")
    await run.post("/decision", {"action": "reject"})
    state = await run.ended()
    assert (state.status, state.stage) == ("rejected", "cancelled")
    assert [p.status for p in state.phases][-2:] == ["skipped", "skipped"]
    parts: list[dict[str, Any]] = [{"only": ["research", "synthesis"]}, {"redo": ["research"]}]
    for part in parts:
        await _ends_without_research(whole, await whole.ask(from_run=run.id, **part))


async def _ends_without_research(whole: Whole, answer: httpx.Response) -> None:
    """Check that a fork without approval is refused, or asks for it."""
    assert answer.status_code in {202, 409, 422}, answer.text
    if answer.status_code == 202:
        await whole.run(answer.json()["run_id"]).asks("decision")


async def test_answered_with_an_option_that_says_no(whole: Whole) -> None:
    options = [{"label": "yes", "action": "approve"}, {"label": "no", "action": "reject"}]
    gate = {"kind": "hitl_checkpoint", "config": {"options": options}}
    phases = [{"kind": "planning"}, gate, {"kind": "control"}]
    body = {"id": "yes_or_no", "phases": phases}
    assert (await whole.http.post("/v1/workflows", json=body)).status_code == 201
    run = await whole.start(definition="yes_or_no")
    shown = await run.asks("decision")
    assert shown.options == ["yes", "no", "revise"]
    hash = shown.plan_hash
    refused = await run.post("/decision", {"action": "approve", "choice": "no", "plan_hash": hash})
    assert refused.status_code == 422
    assert (await run.post("/decision", {"choice": "no"})).status_code == 202
    assert (await run.ended()).status == "rejected"
    assert (await whole.http.delete("/v1/workflows/yes_or_no")).status_code == 204


async def test_forked_with_another_plan(whole: Whole, undisturbed: Undisturbed) -> None:
    """The parent's approval covers its own plan, so a fork with another plan has no approval."""
    planning = {**undisturbed.outputs["planning"]}
    planning["plan"] = {**planning["plan"], "goal": "Read something else."}
    forked = await whole.ask(
        from_run=undisturbed.run.id, given={"planning": planning}, redo=["research"]
    )
    if forked.status_code == 202:
        state = await whole.run(forked.json()["run_id"]).ended()
        research = next(phase for phase in state.phases if phase.id == "research")
        assert research.error
        assert research.error.type == "approval-required"
    else:
        assert forked.status_code in {409, 422}, forked.text


@pytest.mark.parametrize(
    "part",
    [
        {"config_overrides": {"checkpoint": {"enabled": False}}},
        {"config_overrides": {"checkpoint": {"config": {"require_approval": False}}}},
        {"config_overrides": {"checkpoint": {"config": {"options": ["go"], "show_plan": False}}}},
        {"config_overrides": {"checkpoint": {"config": {"default_on_timeout": "approve"}}}},
        {"only": ["recall", "clarification", "planning", "research", "synthesis"]},
    ],
    ids=["disabled", "not required", "without plan", "left to a deadline", "left out"],
)
async def test_taken_away_at_the_start(whole: Whole, part: dict[str, Any]) -> None:
    refused = await whole.ask(**part)
    assert refused.status_code == 422
    codes = {problem["code"] for problem in refused.json()["problems"]}
    assert codes & {"web-needs-approval", "timeout-unlocks-nothing"}

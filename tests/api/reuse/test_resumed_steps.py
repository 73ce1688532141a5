"""A run from one that ended between plan steps continues after the completed steps."""

from typing import Any

import pytest

from contracts.base import Json
from contracts.models.call import ModelRequest
from tests.api.conftest import Site
from tests.api.reuse.test_carried_phases import approve, ended
from tests.api.reuse.test_forks import name

FULL = "deep_research_full_hitl"
STEPS: list[Json] = [{"name": f"Part {n}", "description": f"Do part {n}."} for n in (1, 2, 3)]
FAILING: Json = {"control": {"config": {"max_n_attempts": 1, "on_step_failure": "fail"}}}
ACCEPTED: Json = {"accepted": True, "issues": []}


@pytest.fixture
def failing(site: Site) -> None:
    """Have the reviewer reject the second step of three."""

    def review(request: ModelRequest) -> Json:
        is_second = request.scope.plan_step == "step-2"
        return {"accepted": False, "issues": ["no figures"]} if is_second else ACCEPTED

    site.fakes.answers["PlanDraft"] = {"title": "Pumps", "steps": STEPS, "search_terms": ["pumps"]}
    site.fakes.answers["step_reviewer"] = review


def list_done(site: Site, run: str) -> list[str]:
    """Return the steps at which a run's researchers worked, one for each attempt."""
    requests = [r for r in site.fakes.requests if r.scope.run_id == name(run)]
    found = [r for r in requests if r.role == "researcher" and len(r.messages) == 1]
    return [r.scope.plan_step for r in found]


async def pass_gate(site: Site, run: str, step: int) -> None:
    """Approve what a step gave."""
    while True:
        shown = await site.until(run, "control")
        [gate] = [p for p in shown["pending"] if p["phase_id"] == "control"]
        if f"after-{step}-" in gate["checkpoint_id"]:
            break
    body = {"action": "approve", "plan_hash": gate["plan_hash"]}
    body["checkpoint_id"] = gate["checkpoint_id"]
    assert (await site.post(f"{run}/decision", body)).status_code == 202


async def fail_at_second(site: Site, definition: str = "deep_research_hitl") -> str:
    run = await site.start(definition, config_overrides=FAILING)
    await approve(site, run)
    if definition == FULL:
        await pass_gate(site, run, 1)
    assert (await ended(site, run))["status"] == "failed"
    assert list_done(site, run) == ["step-1", "step-2"]
    return run


async def output(site: Site, run: str) -> dict[str, Any]:
    phase = (await site.get(f"{run}/phases/control")).json()
    return dict(phase["output"])


@pytest.mark.usefixtures("failing")
async def test_a_run_from_a_failed_one_begins_at_the_failed_step(site: Site) -> None:
    first = await fail_at_second(site)
    again = await site.start("deep_research_hitl", from_run=name(first), config_overrides=FAILING)
    assert (await ended(site, again))["status"] == "failed"
    assert list_done(site, again) == ["step-2"]
    site.fakes.answers["step_reviewer"] = ACCEPTED
    third = await site.start("deep_research_hitl", from_run=name(again), config_overrides=FAILING)
    state = await ended(site, third)
    assert state["status"] == "completed", state["phases"]
    assert list_done(site, third) == ["step-2", "step-3"], "of the run before the last, too"
    done = await output(site, third)
    assert [step["name"] for step in done["steps"]] == ["Part 1", "Part 2", "Part 3"]
    assert [step["findings"][0]["text"] for step in done["steps"]] == ["Pumps sell."] * 3
    earlier = await output(site, first)
    assert done["sources"][: len(earlier["sources"])] == earlier["sources"]
    told: list[Any] = [e.payload for e in await site.follow(third, 0) if e.type == "Status"]
    kept = [t["notice"]["params"]["n"] for t in told if t["notice"]["code"] == "steps-kept"]
    assert kept == [1]


@pytest.mark.usefixtures("failing")
@pytest.mark.parametrize(
    "definition", [pytest.param("deep_research_hitl", marks=pytest.mark.full), FULL]
)
async def test_a_run_from_one_that_a_human_stopped_goes_on_at_the_step_that_was_not_done(
    site: Site, definition: str
) -> None:
    asking: Json = {"control": {"config": {"max_n_attempts": 1}}}
    first = await site.start(definition, config_overrides=asking)
    await approve(site, first)
    if definition == FULL:
        await pass_gate(site, first, 1)
    while "failed-2" not in (await site.until(first, "control"))["pending"][0]["checkpoint_id"]:
        pass
    assert (await site.post(f"{first}/decision", {"action": "reject"})).status_code == 202
    assert (await ended(site, first))["status"] == "rejected"
    site.fakes.answers["step_reviewer"] = ACCEPTED
    again = await site.start(definition, from_run=name(first), config_overrides=asking)
    if definition == FULL:
        await pass_gate(site, again, 2)
        await pass_gate(site, again, 3)
    assert (await ended(site, again))["status"] == "completed"
    assert list_done(site, again) == ["step-2", "step-3"]
    done = await output(site, again)
    assert [step["name"] for step in done["steps"]] == ["Part 1", "Part 2", "Part 3"]


@pytest.mark.full
@pytest.mark.usefixtures("failing")
async def test_a_gate_that_was_passed_is_not_asked_again(site: Site) -> None:
    first = await fail_at_second(site, FULL)
    site.fakes.answers["step_reviewer"] = ACCEPTED
    again = await site.start(FULL, from_run=name(first), config_overrides=FAILING)
    await pass_gate(site, again, 2)
    await pass_gate(site, again, 3)
    assert (await ended(site, again))["status"] == "completed"
    assert list_done(site, again) == ["step-2", "step-3"]


@pytest.mark.full
@pytest.mark.usefixtures("failing")
@pytest.mark.parametrize(
    "definition", ["deep_research_hitl", pytest.param(FULL, marks=pytest.mark.full)]
)
async def test_steps_of_a_plan_that_the_caller_wrote_are_not_done_again(
    site: Site, definition: str
) -> None:
    plan: Any = {"title": "Pumps", "steps": STEPS, "search_terms": ["pumps"]}
    only: Any = {"only": ["checkpoint", "control"], "config_overrides": FAILING}
    first = await site.start(definition, given={"planning": {"plan": plan}}, **only)
    await approve(site, first)
    if definition == FULL:
        await pass_gate(site, first, 1)
    assert (await ended(site, first))["status"] == "failed"
    site.fakes.answers["step_reviewer"] = ACCEPTED
    again = await site.start(definition, from_run=name(first), **only)
    if definition == FULL:
        await pass_gate(site, again, 2)
        await pass_gate(site, again, 3)
    await ended(site, again)
    assert list_done(site, again) == ["step-2", "step-3"]
    done = await output(site, again)
    assert [step["name"] for step in done["steps"]] == ["Part 1", "Part 2", "Part 3"]


@pytest.mark.usefixtures("failing")
@pytest.mark.parametrize(
    "redo",
    ["control", *(pytest.param(r, marks=pytest.mark.full) for r in ("checkpoint", "planning"))],
)
async def test_steps_are_done_anew_where_they_or_their_plan_are_to_be(
    site: Site, redo: str
) -> None:
    first = await fail_at_second(site)
    site.fakes.answers["step_reviewer"] = ACCEPTED
    again = await site.start(
        "deep_research_hitl", from_run=name(first), redo=[redo], config_overrides=FAILING
    )
    if redo != "control":
        await approve(site, again)
    assert (await ended(site, again))["status"] == "completed"
    assert list_done(site, again) == ["step-1", "step-2", "step-3"]


@pytest.mark.usefixtures("failing")
async def test_a_plan_that_is_sent_back_forgets_the_steps_of_the_run_before(site: Site) -> None:
    first = await fail_at_second(site)
    site.fakes.answers["step_reviewer"] = ACCEPTED
    dearer: Json = {"control": {"config": {"max_sources": 60}}}
    again = await site.start("deep_research_hitl", from_run=name(first), config_overrides=dearer)
    shown = await site.until(again, "checkpoint")
    done = {"plan_hash": shown["plan_hash"], "modifications": {"steps": STEPS[1:]}}
    refused = await site.post(f"{again}/decision", {"action": "modify", **done})
    assert refused.status_code == 422, "the first step is done"
    said = {"action": "revise", "feedback": "only Kenya"}
    assert (await site.post(f"{again}/decision", said)).status_code == 202
    while shown["pending"][0]["checkpoint_id"] == "checkpoint-1":
        shown = await site.until(again, "checkpoint")
    await approve(site, again)
    assert (await ended(site, again))["status"] == "completed"
    assert list_done(site, again) == ["step-1", "step-2", "step-3"]

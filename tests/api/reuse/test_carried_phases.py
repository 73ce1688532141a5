"""A run from a run is about the same thing: what it takes over, what it refuses, what it asks again."""

import asyncio
from typing import Any

import pytest
from temporalio.exceptions import ApplicationError

from contracts.base import Json
from contracts.phases.synthesis import SynthesisConfig
from tests.api.conftest import Site
from tests.api.reuse.test_forks import name
from tests.api.test_validation_errors import told
from tests.workflows.support.phase_harness import PLAN

COMPANY: Json = {"query": "Is it worth buying?", "inputs": {"ticker": "AAPL"}}
DRAFT = PLAN.model_dump(
    mode="json", exclude={"estimated_cost", "estimated_duration", "assumptions"}
)


@pytest.fixture(scope="module")
async def parent(site: Site) -> str:
    """A completed run on a startup of two."""
    for who in ("kept", "other"):
        body = {"name": who, "user_id": "founder"}
        assert (await site.post("/v1/startups", body)).status_code == 201
    return await site.complete(user_id="founder", startup_id=await startup(site, "kept"))


async def startup(site: Site, called: str) -> str:
    items = (await site.get("/v1/startups", user_id="founder")).json()["items"]
    return str(next(item["id"] for item in items if item["name"] == called))


async def refusal(site: Site, definition: str, **body: Any) -> dict[str, Any]:
    """Return the problem of a start that clashes with its parent."""
    start = {"query": "Where to sell pumps?", **body}
    answer = await site.post(f"/v1/workflows/{definition}/run", start)
    [problem] = told(answer, 409, "conflict")["problems"]
    return dict(problem)


def differ(problem: dict[str, Any]) -> tuple[str, Any, Any]:
    """Return the field of a problem, with its value then and now."""
    then, now = (problem["params"]["differs"]["params"][name] for name in ("then", "now"))
    return problem["path"], then, now


async def ended(site: Site, run: str) -> dict[str, Any]:
    await site.follow(run, 0)
    return dict((await site.get(f"{run}/state")).json())


async def approve(site: Site, run: str) -> dict[str, Any]:
    """Approve the plan once it is shown; return the state in which it was."""
    shown = await site.until(run, "checkpoint")
    decision = {"action": "approve", "plan_hash": shown["plan_hash"]}
    assert (await site.post(f"{run}/decision", decision)).status_code == 202
    return shown


def reads(state: dict[str, Any], *fields: str) -> dict[str, tuple[Any, ...]]:
    return {phase["id"]: tuple(phase[field] for field in fields) for phase in state["phases"]}


async def test_another_question_than_the_parents_is_refused_unless_all_is_redone(
    site: Site, parent: str
) -> None:
    start = {"from_run": name(parent), "user_id": "founder", "query": "Where to sell boats?"}
    for redo in ([], ["research"]):
        said = await refusal(site, "deep_research", **start, redo=redo)
        assert differ(said) == ("query", "'Where to sell pumps?'", "'Where to sell boats?'")
        assert said["params"]["again"] == ["recall"]
    again = await site.start(**start, redo=["recall"])
    assert (await site.until(again, "clarification"))["parent"] == name(parent)
    await site.post(f"{again}/cancel", {"mode": "now"}, wait=10)


async def test_another_startup_than_the_parents_is_refused(site: Site, parent: str) -> None:
    start = {"from_run": name(parent), "user_id": "founder"}
    kept, other = await startup(site, "kept"), await startup(site, "other")
    said = await refusal(site, "deep_research", **start, startup_id=other)
    assert differ(said) == ("startup_id", repr(kept), repr(other))
    for same in ({}, {"startup_id": kept}):
        state = await ended(site, await site.start(**start, **same))
        assert (state["status"], state["startup"]["id"]) == ("completed", kept)


async def test_run_about_no_startup_goes_on_as_one(site: Site, parent: str) -> None:
    start = {"user_id": "founder", "startup_id": "none"}
    first = await site.start(**start, until="recall")
    await ended(site, first)
    again = await site.start(**start, from_run=name(first))
    shown = await site.until(again, "clarification")
    assert reads(shown, "reused_from")["recall"] == (name(first),)
    await site.post(f"{again}/cancel", {"mode": "now"}, wait=10)
    kept = await startup(site, "kept")
    said = await refusal(
        site, "deep_research", **{**start, "startup_id": kept}, from_run=name(first)
    )
    assert differ(said) == ("startup_id", "'none'", repr(kept))
    said = await refusal(site, "deep_research", **start, from_run=name(parent))
    assert differ(said) == ("startup_id", repr(kept), "'none'")


async def test_input_that_a_carried_phase_read_must_be_the_same(site: Site) -> None:
    run = await site.start("investment_analysis", **COMPANY, until="news")
    assert (await ended(site, run))["status"] == "partial"
    other = {**COMPANY, "inputs": {"ticker": "SNOW"}, "from_run": name(run)}
    said = await refusal(site, "investment_analysis", **other)
    assert differ(said) == ("inputs.ticker", "'AAPL'", "'SNOW'")
    assert said["params"]["names"] == ["retrieval", "fundamental", "news"]
    assert said["params"]["again"] == ["retrieval"]
    limited = {"ticker": "AAPL", "news_limit": 3}
    said = await refusal(site, "investment_analysis", **{**other, "inputs": limited})
    field, then, now = differ(said)
    assert (field, then["code"], now) == ("inputs.news_limit", "left-out", "3")

    for given in ({"inputs": {"ticker": " aapl"}}, {"redo": ["retrieval"]}):
        again = await site.start("investment_analysis", **{**other, **given})
        assert (await ended(site, again))["status"] == "completed"


@pytest.mark.full
async def test_ticker_that_is_written_otherwise_reuses_what_was_read(site: Site) -> None:
    start = {**COMPANY, "query": "Is it worth keeping?"}
    first = await site.start("investment_analysis", **start)
    await ended(site, first)
    for inputs in ({"ticker": "aapl"}, {"tickers": " AAPL"}):
        again = await site.start("investment_analysis", **{**start, "inputs": inputs})
        assert set(reads(await ended(site, again), "reused_from").values()) == {(name(first),)}


async def test_another_plan_never_stands_beside_an_old_report(site: Site, parent: str) -> None:
    start = {"from_run": name(parent), "user_id": "founder"}
    planned = (await site.get(f"{parent}/phases/planning")).json()["output"]
    other = {"plan": {**planned["plan"], "title": "Boats"}}
    said = await refusal(site, "deep_research", **start, given={"planning": other})
    assert said["path"] == "given.planning"
    assert said["params"]["again"] == ["checkpoint"]
    invented = {"given": {"planning": {**other, "plan_hash": planned["plan_hash"]}}}
    answer = await site.post(
        "/v1/workflows/deep_research/run", {"query": "Where to sell pumps?", **start, **invented}
    )
    [problem] = told(answer, 422, "invalid-input")["problems"]
    assert problem["path"] == "given.planning.plan_hash"

    same = await site.start(**start, given={"planning": planned})
    assert reads(await ended(site, same), "reused_from")["planning"] == (name(parent),)
    again = await site.start(**start, given={"planning": other}, redo=["checkpoint"])
    shown = await site.until(again, "checkpoint")
    assert (shown["plan"]["title"], shown["decisions"]) == ("Boats", [])
    assert problem["message"].count(shown["plan_hash"]) == 0, "the price is the run's own"
    await site.post(f"{again}/cancel", {"mode": "now"}, wait=10)


async def test_own_plan_is_priced_and_waits_for_its_approval(site: Site) -> None:
    searched = len(site.fakes.searches)
    run = await site.start(
        "deep_research_hitl", given={"planning": {"plan": DRAFT}}, only=["checkpoint", "control"]
    )
    shown = await approve(site, run)
    assert shown["plan"]["title"] == DRAFT["title"]
    assert shown["plan"]["estimated_cost"]["top_usd"] > 0
    state = await ended(site, run)
    assert reads(state, "status")["control"] == ("completed",)
    assert state["cap_usd"] == shown["plan"]["estimated_cost"]["top_usd"]
    assert len(site.fakes.searches) > searched


PARTS: list[Any] = [
    pytest.param({"until": "planning"}, id="until the plan"),
    pytest.param({"until": "checkpoint"}, id="until its approval", marks=pytest.mark.full),
    pytest.param(
        {"only": ["recall", "clarification", "planning", "checkpoint"]},
        id="only",
        marks=pytest.mark.full,
    ),
]


@pytest.mark.parametrize("part", PARTS)
async def test_plan_is_priced_for_all_it_leads_to_and_the_run_goes_on(
    site: Site, parent: str, part: dict[str, Any]
) -> None:
    whole = (await site.get(f"{parent}/state")).json()["plan"]["estimated_cost"]
    first = await site.start(**part)
    await site.until(first, "clarification")
    await site.post(f"{first}/answers", {"rest": None})
    is_asked = part.get("until") != "planning"
    if is_asked:
        await approve(site, first)
    planned = await ended(site, first)
    assert planned["plan"]["estimated_cost"] == whole

    again = await site.start(from_run=name(first))
    if not is_asked:
        assert (await approve(site, again))["plan"] == planned["plan"]
    state = await ended(site, again)
    assert (state["status"], state["cap_usd"]) == ("completed", whole["top_usd"])


@pytest.mark.parametrize(
    "changed",
    [
        {"config_overrides": {"synthesis": {"config": {"max_report_tokens": 9_000}}}},
        pytest.param(
            {"model_overrides": {"researcher": "claude-haiku-5-5"}}, marks=pytest.mark.full
        ),
    ],
    ids=["a dearer setting", "a cheaper model"],
)
async def test_continued_run_of_another_price_asks_again(site: Site, changed: Json) -> None:
    first = await site.start(until="checkpoint")
    await site.until(first, "clarification")
    await site.post(f"{first}/answers", {"rest": None})
    before = await approve(site, first)
    await ended(site, first)
    start: dict[str, Any] = {"from_run": name(first), **changed}
    said = await refusal(site, "deep_research", **start, only=["research"])
    assert (said["code"], said["params"]) == ("plan-price-changed", {"names": ["checkpoint"]})
    again = await site.start(**start)
    shown = await approve(site, again)
    assert reads(shown, "status")["research"] == ("pending",)
    assert shown["decisions"] == []
    assert shown["plan_hash"] != before["plan_hash"]
    told = {change["path"]: change for change in shown["pending"][0]["differences"]}
    assert told["estimated_cost"]["before"] == before["plan"]["estimated_cost"]
    assert told.keys() <= {"estimated_cost", "estimated_duration"}
    price, old = (s["plan"]["estimated_cost"]["top_usd"] for s in (shown, before))
    assert price != old
    state = await ended(site, again)
    assert (state["status"], state["cap_usd"]) == ("completed", price)
    assert [d["reused_from"] for d in state["decisions"]] == [None]


@pytest.mark.full
async def test_raised_budget_is_approved_again(site: Site) -> None:
    first = await site.start(until="checkpoint", budget=0.01)
    await site.until(first, "clarification")
    await site.post(f"{first}/answers", {"rest": None})
    before = await approve(site, first)
    assert before["plan"]["estimated_cost"]["top_usd"] == 0.01
    await ended(site, first)
    again = await site.start(from_run=name(first))
    shown = await site.until(again, "checkpoint")
    assert shown["plan"]["estimated_cost"]["top_usd"] > 0.01
    await site.post(f"{again}/cancel", {"mode": "now"}, wait=10)


@pytest.fixture
async def warned(site: Site, monkeypatch: pytest.MonkeyPatch) -> str:
    """A run with a warning that its plan was not reviewed, which ended after the approval."""

    def fail(kind: str, request: Any) -> None:
        if kind == "model" and request.role == "plan_reviewer":
            raise ApplicationError("no", type="model-rejected", non_retryable=True)

    with monkeypatch.context() as failing:
        failing.setattr(site.fakes, "before", fail)
        run = await site.start(until="checkpoint")
        await site.until(run, "clarification")
        await site.post(f"{run}/answers", {"rest": None})
        await approve(site, run)
        await ended(site, run)
    return run


async def test_child_shows_what_it_took_over_and_from_where(site: Site, warned: str) -> None:
    child = await site.start(from_run=name(warned))
    state = await ended(site, child)
    fork = await site.start(from_run=name(child), redo=["summary"])
    then = (await site.get(f"{warned}/state")).json()
    carried = ["recall", "clarification", "planning", "checkpoint"]
    for run, now in ((child, state), (fork, await ended(site, fork))):
        rows = {"phases": (await site.get(f"{run}/phases")).json()["items"]}
        log = await site.follow(run, 0)
        done = {e.phase_id: e.payload for e in log if e.type == "step_complete"}
        started = {e.phase_id for e in log if e.type == "step_start"}
        assert started == set(done) == set(reads(now, "id"))
        shown = reads(now, "warnings", "reused_from")
        assert shown == reads(rows, "warnings", "reused_from")
        assert shown == {n: (p["warnings"], p["reused_from"]) for n, p in done.items()}
        assert [shown[n][1] for n in carried] == [name(warned)] * 4
        assert shown["planning"][0] == reads(then, "warnings")["planning"][0] != []
        [approval] = now["decisions"]
        assert approval == {**then["decisions"][0], "reused_from": name(warned)}
        [said] = [e for e in log if e.type == "HumanResponseEvent"]
        assert (said.phase_id, said.payload) == ("checkpoint", {**approval, "key_id": None})


async def test_plan_revised_in_the_child_is_asked_at_a_checkpoint_its_parent_passed(
    site: Site,
) -> None:
    gates = [{"kind": "hitl_checkpoint", "id": gate} for gate in ("first", "second")]
    body = {"id": "two_gates", "phases": [{"kind": "planning"}, *gates]}
    assert (await site.post("/v1/workflows", body)).status_code == 201
    revise = {"action": "revise", "feedback": "Cheaper."}
    parent = await site.start("two_gates", until="first")
    await site.until(parent, "first")
    await site.post(f"{parent}/decision", revise)
    shown = await asked_at(site, parent, "first-2")
    approval = {"action": "approve", "plan_hash": shown["plan_hash"]}
    await site.post(f"{parent}/decision", approval)
    await ended(site, parent)

    child = await site.start("two_gates", from_run=name(parent))
    await asked_at(site, child, "second-1")
    await site.post(f"{child}/decision", revise)
    again = await asked_at(site, child, "first-2")
    assert [d["checkpoint_id"] for d in again["decisions"]] == ["first-1", "first-2", "second-1"]
    await site.post(f"{child}/cancel", {"mode": "now"}, wait=10)


async def asked_at(site: Site, run: str, checkpoint_id: str) -> dict[str, Any]:
    """Return the state once that checkpoint is open."""
    while True:
        state = await site.until(run, checkpoint_id.rpartition("-")[0])
        if state["pending"][0]["checkpoint_id"] == checkpoint_id:
            return state
        await asyncio.sleep(0.1)


async def test_a_dearer_setting_takes_the_phase_anew_and_its_plan_back_to_who_approves(
    site: Site, parent: str
) -> None:
    dearer = {"synthesis": {"config": {"max_report_tokens": 9_000}}}
    start: dict[str, Any] = {"user_id": "founder", "from_run": name(parent)}
    said = await refusal(site, "deep_research", **start, config_overrides=dearer)
    path = "config_overrides.synthesis.config.max_report_tokens"
    assert differ(said) == (path, str(SynthesisConfig().max_report_tokens), "9000")
    again = await site.start(**start, config_overrides=dearer, redo=["synthesis"])
    assert (await site.until(again, "checkpoint"))["decisions"] == []
    await site.post(f"{again}/cancel", {"mode": "now"}, wait=10)

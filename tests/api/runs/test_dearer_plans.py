"""A change that raises the price of a plan, over HTTP, where any rise must be approved again."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from temporalio.client import Client

from tests.api.conftest import Site, site_over
from tests.api.runs.test_decisions import Decisions, checkpoint
from tests.api.test_validation_errors import told
from tests.conftest import Postgres

STRICT: dict[str, Any] = {
    "greenlight_offline": False,
    "greenlight_price_tolerance_percent": 0,
    "greenlight_price_tolerance_usd": 0,
}


@pytest.fixture(scope="module")
async def strict(
    postgres: Postgres, template: str, temporal: Client, tmp_path_factory: Any
) -> AsyncIterator[Site]:
    """A gateway with billed models and no tolerance for higher prices."""
    database, folder = await postgres.database(template), tmp_path_factory.mktemp("blobs")
    async with site_over(database, temporal, folder, **STRICT) as made:
        yield made


@pytest.fixture
def decisions(strict: Site, request: pytest.FixtureRequest) -> Decisions:
    return Decisions(strict, f"d{abs(hash(request.node.name))}")


async def test_a_change_that_undoes_finished_work_is_shown_at_the_price_of_doing_it_again(
    decisions: Decisions,
) -> None:
    run = await decisions.start(
        {"kind": "planning"},
        {"kind": "one_shot", "id": "beside", "after": ["planning"]},
        {**checkpoint("gate"), "after": ["planning"]},
        {"kind": "summary", "after": ["beside", "gate"]},
    )
    shown = await decisions.pending(run, "gate")
    await decisions.until(run, lambda state: state["phases"][1]["status"] == "completed")
    change = {"plan_hash": shown["plan_hash"], "modifications": {"title": "Boats"}}
    assert (await decisions.say(run, "modify", **change)).status_code == 202
    state = await decisions.state(run)
    assert state["decisions"] == []
    before = shown["subject"]["plan"]["estimated_cost"]["expected_usd"]
    assert state["price"]["expected_usd"] > before
    price, again = state["pending"][0]["asks"]
    now = state["price"]["expected_usd"]
    assert price["code"] == "ask-price"
    assert (price["params"]["before"], price["params"]["after"]) == (before, now)
    assert [again] == shown["asks"]
    assert state["phases"][1]["attempt"] == 2
    again = {"plan_hash": state["plan_hash"]}
    assert (await decisions.say(run, "approve", **again)).status_code == 202
    assert (await decisions.ended(run))["status"] == "completed"


async def test_a_double_click_changes_the_plan_once(decisions: Decisions) -> None:
    run = await decisions.start({"kind": "planning"}, checkpoint("gate"), {"kind": "research"})
    shown = await decisions.pending(run, "gate")
    terms = [f"pumps {n}" for n in range(9)]
    click = {"plan_hash": shown["plan_hash"], "modifications": {"search_terms": terms}}
    answers = await asyncio.gather(*(decisions.say(run, "modify", **click) for _ in range(2)))
    assert sorted(answer.status_code for answer in answers) == [202, 409]
    dearer = await decisions.pending(run, "gate")
    before, after = (p["subject"]["plan"]["estimated_cost"] for p in (shown, dearer))
    assert after["top_usd"] > before["top_usd"]
    state = await decisions.state(run)
    assert (state["decisions"], state["plan_hash"]) == ([], dearer["plan_hash"])
    assert [p["status"] for p in state["phases"]] == ["completed", "waiting", "pending"]
    old = await decisions.say(run, "approve", plan_hash=shown["plan_hash"])
    told(old, 409, "stale-plan")
    assert (await decisions.say(run, "approve", plan_hash=dearer["plan_hash"])).status_code == 202
    state = await decisions.ended(run)
    assert (state["status"], state["cap_usd"]) == ("completed", after["top_usd"])


@pytest.mark.full
async def test_what_is_said_with_a_dearer_change_reaches_those_who_go_on(
    decisions: Decisions,
) -> None:
    run = await decisions.start({"kind": "planning"}, checkpoint("gate"), {"kind": "research"})
    shown = await decisions.pending(run, "gate")
    change = {"search_terms": [f"term {n}" for n in range(9)]}
    said = {"plan_hash": shown["plan_hash"], "modifications": change, "feedback": "Only new boats."}
    assert (await decisions.say(run, "modify", **said)).status_code == 202
    state = await decisions.state(run)
    assert state["decisions"] == []
    await decisions.say(run, "approve", plan_hash=state["plan_hash"])
    assert (await decisions.ended(run))["status"] == "completed"
    calls = decisions.asked(run, "researcher")
    heard = ["Only new boats." in r.model_dump_json(include={"messages"}) for r in calls]
    assert set(heard) == {True}

"""A budget of a user: set by an operator, met by a run, which waits, and goes on once it is raised."""

from typing import Any

import pytest

from contracts.access.budgets import Budget
from contracts.human.checkpoint_subjects import CONTINUE, BudgetSubject
from tests.e2e.conftest import TypeIn
from tests.support.stack import Whole


async def find_budget(whole: Whole) -> Budget:
    items = (await whole.http.get("/v1/budgets")).json()["items"]
    return next(Budget.model_validate(item) for item in items if item["holder"] == "dagny")


@pytest.mark.full
async def test_a_run_waits_for_its_user_s_budget_and_goes_on(whole: Whole, type_in: TypeIn) -> None:
    set_budget = ("budgets", "set", "--user", "dagny", "--day")
    assert (await type_in(*set_budget, "100")).code == 0
    run = await whole.start(user_id="dagny")
    await run.answer()
    shown = await run.asks("decision")
    spent = (await find_budget(whole)).day_spent_usd
    assert spent > 0, "what was asked for the plan counts"
    await type_in(*set_budget, str(spent + 0.001))
    await run.post("/decision", {"action": "approve", "plan_hash": shown.plan_hash})
    asked = await run.asks("decision")
    assert isinstance(asked.subject, BudgetSubject)
    met = asked.subject.budget
    assert met
    assert (met.kind, met.holder, met.period) == ("user", "dagny", "day")

    await type_in(*set_budget, str(spent))
    late = await whole.ask(user_id="dagny")
    assert (late.status_code, late.json()["code"]) == (429, "budget-used-up-day")
    assert 0 < int(late.headers["Retry-After"]) <= 86_400
    assert (await whole.ask(user_id="ragnar")).status_code == 202
    told = await type_in("spend")
    assert "user dagny" in told.out

    await type_in(*set_budget, "100")
    body: dict[str, Any] = {"choice": CONTINUE, "checkpoint_id": asked.checkpoint_id}
    assert (await run.post("/decision", body)).status_code == 202
    assert (await run.ended()).status == "completed"
    state = await run.state()
    budget = await find_budget(whole)
    assert abs(budget.day_spent_usd - state.usage.usd) < 1e-6, "to the cent, and nothing reserved"


async def test_budgets_are_listed_and_removed(whole: Whole, type_in: TypeIn) -> None:
    whose = ("--user", "sigrun")
    made = await type_in("budgets", "set", *whose, "--month", "12")
    assert "user sigrun" in made.out
    refused = await type_in("budgets", "set", *whose)
    assert refused.code != 0, "it limits nothing"
    assert "sigrun" not in (await type_in("budgets", "remove", *whose)).out
    assert (await type_in("budgets", "remove", *whose)).code != 0

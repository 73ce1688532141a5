"""The composer's forms with rows: agents, tasks and options, and a model for each role."""

import json
from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from tests.page.compose.composer import card, kind, read_json, standing
from tests.page.conftest import Visitor, find_barriers, measure_overflow, press, reach
from tests.page.words import like, t


def group(page: Page, title: str) -> Locator:
    """Return the fields of a value that has parts."""
    return page.get_by_role("group", name=title, exact=True)


async def composed(visitor: Visitor, *titles: str) -> Page:
    """Return a tab with a new definition of these kinds, the last one chosen."""
    page = await visitor.open("/compose?from=")
    for title in titles:
        await kind(page, title).click()
    await expect(card(page, titles[-1])).to_be_visible()
    return page


async def crew_of(page: Page) -> dict[str, Any]:
    config: dict[str, Any] = (await read_json(page))["phases"][-1].get("config", {})
    return config


async def write(page: Page, row: Locator, **fields: str) -> None:
    """Write in the fields of a row, by their names, by keyboard."""
    for name, text in fields.items():
        await reach(page, row.get_by_label(t(f"field-{name}"), exact=True))
        await page.keyboard.type(text)


@pytest.mark.full
async def test_a_crew_gets_an_agent_and_a_task_by_keyboard_alone(visitor: Visitor) -> None:
    page = await composed(visitor, t("kind-planning"), t("kind-hitl_checkpoint"), t("kind-crew"))
    await expect(standing(page)).to_have_text(t("compose.standing.valid"))
    agents, tasks = group(page, t("field-agents")), group(page, t("field-tasks"))
    await expect(agents.locator("summary")).to_have_count(4)
    await press(page, agents.get_by_role("button", name=t("rows.add", title=t("field-agents"))))
    agent = agents.locator("li").last
    await expect(agent.get_by_label(t("field-id"), exact=True)).to_be_focused()
    await write(page, agent, id="prices", role="Price analyst", goal="Say what it costs")
    await expect(page.locator(".inspector")).to_contain_text(like("crew-agents-idle"))
    await press(page, tasks.get_by_role("button", name=t("rows.add", title=t("field-tasks"))))
    task = tasks.locator("li").last
    await expect(task.get_by_label(t("field-id"), exact=True)).to_be_focused()
    await write(page, task, id="prices", agent="prices", description="Find prices.")
    await write(page, task, expected_output="Prices with their year.")
    await expect(standing(page)).to_have_text(t("compose.standing.valid"))
    crew = await crew_of(page)
    assert crew["agents"][-1]["role"] == "Price analyst"
    assert crew["tasks"][-1]["agent"] == "prices"


@pytest.mark.full
async def test_rows_are_moved_and_taken_out_and_the_focus_stays_with_them(
    visitor: Visitor,
) -> None:
    page = await composed(visitor, t("kind-planning"), t("kind-hitl_checkpoint"), t("kind-crew"))
    agents, tasks = group(page, t("field-agents")), group(page, t("field-tasks"))
    await press(page, tasks.get_by_role("button", name=t("rows.up", row=f"{t('field-tasks')} 3")))
    await expect(
        tasks.get_by_role("button", name=t("rows.up", row=f"{t('field-tasks')} 2"))
    ).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(
        tasks.get_by_role("button", name=t("rows.down", row=f"{t('field-tasks')} 1"))
    ).to_be_focused()
    await press(
        page, tasks.get_by_role("button", name=t("rows.remove", row=f"{t('field-tasks')} 2"))
    )
    await expect(
        tasks.get_by_role("button", name=t("rows.remove", row=f"{t('field-tasks')} 2"))
    ).to_be_focused()
    await expect(
        standing(page).get_by_role("button")
    ).to_be_visible()  # an agent is left without a task
    await press(
        page, agents.get_by_role("button", name=t("rows.remove", row=f"{t('field-agents')} 1"))
    )
    await expect(standing(page)).to_have_text(t("compose.standing.valid"))
    crew = await crew_of(page)
    assert [task["id"] for task in crew["tasks"]] == ["customers", "competition", "strategy"]
    await page.get_by_role("button", name=t("field.default")).first.click()
    assert "agents" not in await crew_of(page)


@pytest.mark.full
async def test_what_is_wrong_in_a_row_is_said_at_its_field(visitor: Visitor) -> None:
    page = await composed(visitor, t("kind-planning"), t("kind-hitl_checkpoint"), t("kind-crew"))
    agent = group(page, t("field-agents")).locator("li").first
    await agent.locator("summary").click()
    await agent.get_by_label(t("field-role"), exact=True).fill("r" * 201)
    await expect(agent.get_by_label(t("field-role"), exact=True)).to_have_attribute(
        "aria-invalid", "true"
    )
    await expect(agent.get_by_label(t("field-goal"), exact=True)).not_to_have_attribute(
        "aria-invalid", "true"
    )
    await agent.get_by_label(t("field-role"), exact=True).fill("Reader")
    await expect(standing(page)).to_have_text(t("compose.standing.valid"))
    await expect(agent.locator("summary")).to_have_text("Reader")


@pytest.mark.full
async def test_each_role_has_a_field_for_its_model(visitor: Visitor) -> None:
    page = await composed(visitor, t("kind-planning"))
    models = group(page, t("field-models"))
    planner = models.get_by_label("Planner", exact=True)
    offered = models.locator("datalist").first.locator("option")
    await expect(offered).not_to_have_count(0)
    model = await offered.first.get_attribute("value")
    assert model
    await planner.fill(model)
    assert (await crew_of(page))["models"] == {"planner": model}
    await planner.fill("")
    assert "models" not in await crew_of(page)


@pytest.mark.full
async def test_a_checkpoint_gets_options_and_approvers_of_its_own(visitor: Visitor) -> None:
    page = await composed(visitor, t("kind-planning"), t("kind-hitl_checkpoint"))
    options = group(page, t("field-options"))
    await options.get_by_role("button", name=t("rows.add", title=t("field-options"))).click()
    row = options.locator("li").last
    await row.get_by_label(t("field-label")).fill("Go, with care")
    await row.get_by_label(t("field-action")).select_option("approve")
    approvers = group(page, t("field-approvers"))
    await approvers.get_by_label(t("field-of"), exact=True).first.fill("ann, ben")
    await approvers.get_by_label(t("field-needed"), exact=True).fill("2")
    await expect(standing(page)).to_have_text(t("compose.standing.valid"))
    config = await crew_of(page)
    assert config["options"] == [
        *("approve", "reject", "modify"),
        {"label": "Go, with care", "action": "approve"},
    ]
    assert config["approvers"] == {"of": ["ann", "ben"], "needed": 2}
    assert await find_barriers(page) == []
    assert await measure_overflow(page) <= 0


@pytest.mark.full
async def test_a_value_that_no_form_can_hold_is_written_as_json(visitor: Visitor) -> None:
    page = await composed(visitor, t("kind-planning"), t("kind-hitl_checkpoint"), t("kind-crew"))
    body = await read_json(page)
    body["phases"][2]["config"] = {"tasks": "none yet", "agents": [5]}
    await page.get_by_role("button", name=t("compose.view.json")).click()
    await page.get_by_label(t("compose.json.label")).fill(json.dumps(body))
    await page.get_by_role("button", name=t("compose.view.graph")).click()
    await expect(page.get_by_label(t("field-tasks"))).to_have_value("none yet")
    await expect(page.get_by_label(t("field-agents"))).to_have_value("[\n  5\n]")
    await page.get_by_label(t("field-tasks")).fill("")
    await page.get_by_label(t("field-agents")).fill("")
    await expect(group(page, t("field-agents")).locator("summary")).to_have_count(4)
    await expect(standing(page)).to_have_text(t("compose.standing.valid"))

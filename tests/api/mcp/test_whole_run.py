"""A run from its question to its report through MCP, in both eras of the protocol, by the SDK's client over real HTTP."""

import asyncio
import uuid
from typing import Any

import pytest
from mcp import Client
from mcp.client import ClientRequestContext
from mcp_types import (
    ElicitRequestParams,
    ElicitRequestURLParams,
    ElicitResult,
    TextResourceContents,
)

from tests.api.conftest import Site
from tests.api.mcp.conversation import (
    CLIENT,
    ERAS,
    IN_EACH_ERA,
    Era,
    User,
    call,
    connect,
    connect_by_stdio,
    plan,
    press,
    refuse,
)
from tests.support.words import en, phrase


async def answer_by_form(client: Client, user: User) -> dict[str, Any]:
    """Start a run, and have the user answer its first question in the form that the client shows."""
    question = f"Where to sell pumps? {uuid.uuid4()}"
    run = await call(client, "start", question=question)
    assert (run["waits_for"], run["question"]) == ("answers", question)
    assert run["url"].endswith(run["run_id"])
    asked = run["questions"]
    user.says = {asked[0]["id"]: "Kenya"}
    run = await call(client, "answer", run_id=run["run_id"])
    [form] = user.forms
    fields = form.requested_schema["properties"]
    assert {name: each["title"] for name, each in fields.items()} == {
        each["id"]: each["question"] for each in asked
    }
    return run


async def read(client: Client, run_id: str) -> None:
    """Read the report and the sources of a run, by tools and as resources."""
    report = await call(client, "report", run_id=run_id)
    found = await call(client, "sources", run_id=run_id)
    assert report["text"].startswith("# ")
    assert report["next_start"] is None
    assert found["total"] == len(found["sources"]) > 0
    [whole] = (await client.read_resource(f"greenlight://runs/{run_id}/report")).contents
    assert isinstance(whole, TextResourceContents)
    assert (whole.mime_type, whole.text[:2]) == ("text/markdown", "# ")
    [listed] = (await client.read_resource(f"greenlight://runs/{run_id}/sources")).contents
    assert isinstance(listed, TextResourceContents)
    assert found["sources"][0]["url"] in listed.text


@pytest.mark.parametrize("era", ERAS)
async def test_user_answers_approves_by_link_and_reads_the_report(
    quick_site: Site, era: Era
) -> None:
    user = User(quick_site)
    async with connect(quick_site, era, user) as client:
        run = await answer_by_form(client, user)
        assert run["waits_for"] == "approval"
        shown = await call(client, "plan", run_id=run["run_id"])
        assert (shown["waits"], shown["plan_hash"]) == (True, run["plan_hash"])
        assert (await state(quick_site, run))["decisions"] == []
        named = {"run_id": run["run_id"], "plan_hash": shown["plan_hash"]}
        run = await call(client, "approve", **named)
        assert (len(user.links), run["approve_url"]) == (1, None)
        await call(client, "status", run_id=run["run_id"], wait_seconds=30)
        await read(client, run["run_id"])
        assert phrase("run-has-ended") in await refuse(client, "approve", **named)
    ended = await state(quick_site, run)
    [decision] = ended["decisions"]
    assert (decision["action"], decision["by_link"], decision["client"]) == (
        *("approve", True),
        CLIENT,
    )
    assert "Kenya" in [text for given in ended["answers"].values() for text in given.values()]


async def state(site: Site, run: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = (await site.get(f"/v1/runs/{run['run_id']}/state")).json()
    return found


@IN_EACH_ERA
async def test_greenlight_mcp_serves_the_same_on_standard_streams(
    quick_site: Site, era: Era
) -> None:
    user = User(quick_site)
    async with connect_by_stdio(quick_site, era, user, "") as client:
        run = await answer_by_form(client, user)
        run = await call(client, "approve", run_id=run["run_id"], plan_hash=run["plan_hash"])
        assert run["waits_for"] is None
        unknown = await refuse(client, "status", run_id="run-unknown")
        assert phrase("run-unknown") in unknown


@IN_EACH_ERA
async def test_wait_ends_in_time_and_tells_each_step(quick_site: Site, era: Era) -> None:
    user, held = User(quick_site), quick_site.fakes.hold("turn-3")
    async with connect(quick_site, era, user) as client:
        shown = await plan(client)
        named = {"run_id": shown["run_id"], "plan_hash": shown["plan_hash"]}
        await call(client, "approve", **named)
        busy = await call(client, "status", run_id=shown["run_id"], wait_seconds=0.5)
        assert (busy["status"], busy["next"]) == ("running", en("mcp-next-wait"))
        assert busy["at_work_on"]
        wait = {"run_id": shown["run_id"], "wait_seconds": 50}
        waiting = asyncio.create_task(
            client.call_tool("status", wait, progress_callback=user.follow)
        )
        await asyncio.sleep(0.5)  # it follows by then
        held.set()
        ended = await waiting
    assert (ended.structured_content or {})["status"] == "completed"
    assert [done for done, _ in user.progress] == [*range(1, len(user.progress) + 1)]
    assert user.progress
    assert all(line for _, line in user.progress)


@IN_EACH_ERA
async def test_client_that_shows_nothing_gets_questions_and_link_as_results(
    quick_site: Site, era: Era
) -> None:
    async with connect(quick_site, era) as client:
        run = await call(client, "start", question=f"Where to sell pumps? {uuid.uuid4()}")
        again = await call(client, "answer", run_id=run["run_id"])
        assert again["questions"] == run["questions"]
        left = dict.fromkeys(each["id"] for each in run["questions"])
        run = await call(client, "answer", run_id=run["run_id"], answers=left)
        named = {"run_id": run["run_id"], "plan_hash": run["plan_hash"]}
        shown = await call(client, "approve", **named)
        assert "/decide/" in shown["approve_url"]
        assert shown["next"] == en("mcp-next-link")
        assert (await state(quick_site, run))["decisions"] == []
        stale = await refuse(client, "approve", run_id=run["run_id"], plan_hash="0" * 12)
        assert phrase("plan-stale") in stale
        pressed = await press(quick_site, shown["approve_url"], "approve")
        assert phrase("decide-approved") in pressed.text
        assert (await press_again(quick_site, shown["approve_url"])) == 409
        ended = await call(client, "status", run_id=run["run_id"], wait_seconds=30)
        assert ended["status"] == "completed"


async def press_again(site: Site, url: str) -> int:
    return (
        await site.http.post(f"{url.partition('/decide')[1]}{url.partition('/decide')[2]}/approve")
    ).status_code


@IN_EACH_ERA
async def test_user_who_declines_or_rejects_approves_nothing(quick_site: Site, era: Era) -> None:
    user = User(quick_site, says=None, presses=None)
    async with connect(quick_site, era, user) as client:
        run = await call(client, "start", question=f"Where to sell pumps? {uuid.uuid4()}")
        assert en("mcp-not-answered") in await refuse(client, "answer", run_id=run["run_id"])
        shown = await plan(client)
        named = {"run_id": shown["run_id"], "plan_hash": shown["plan_hash"]}
        assert en("mcp-not-opened") in await refuse(client, "approve", **named)
        assert (await call(client, "plan", run_id=shown["run_id"]))["waits"]
        user.presses = "reject"
        assert (await call(client, "approve", **named))["status"] == "rejected"


class Slow(User):
    """Opens a link at once, and decides while the tool waits."""

    async def elicit(
        self, context: ClientRequestContext, params: ElicitRequestParams
    ) -> ElicitResult:
        assert isinstance(params, ElicitRequestURLParams)
        self.deciding = asyncio.create_task(self._decide(params.url))
        return ElicitResult(action="accept")

    async def _decide(self, url: str) -> None:
        await asyncio.sleep(0.5)
        await press(self.site, url, "approve")


@pytest.mark.full
@IN_EACH_ERA
async def test_approve_waits_until_the_user_has_decided(quick_site: Site, era: Era) -> None:
    user = Slow(quick_site)
    async with connect(quick_site, era, user) as client:
        shown = await plan(client)
        named = {"run_id": shown["run_id"], "plan_hash": shown["plan_hash"]}
        run = await call(client, "approve", **named)
        assert run["waits_for"] is None
        await user.deciding
    assert len((await state(quick_site, run))["decisions"]) == 1


@pytest.mark.full
async def test_cancelled_run_takes_neither_answers_nor_approval(quick_site: Site) -> None:
    async with connect(quick_site) as client:
        asked = await call(client, "start", question=f"Where to sell pumps? {uuid.uuid4()}")
        shown = await plan(client)
        for run in (asked, shown):
            (await quick_site.post(f"/v1/runs/{run['run_id']}/cancel")).raise_for_status()
        named = {"run_id": shown["run_id"], "plan_hash": shown["plan_hash"]}
        assert phrase("run-has-ended") in await refuse(client, "approve", **named)
        late = await refuse(client, "answer", run_id=asked["run_id"], answers={})
        assert phrase("run-takes-no-messages") in late
        ended = await call(client, "status", run_id=asked["run_id"], wait_seconds=5)
        assert (ended["status"], ended["next"]) == ("cancelled", en("mcp-next-ended"))


async def test_follow_up_and_question_on_a_report_are_runs_of_their_own(quick_site: Site) -> None:
    user = User(quick_site)
    async with connect(quick_site, "auto", user) as client:
        shown = await plan(client)
        named = {"run_id": shown["run_id"], "plan_hash": shown["plan_hash"]}
        await call(client, "approve", **named)
        await call(client, "status", run_id=shown["run_id"], wait_seconds=30)
        asked = await call(
            client, "ask", run_id=shown["run_id"], question="What do they cost?", wait_seconds=30
        )
        assert asked["definition"] == "report_answer"
        again = {"run_id": shown["run_id"], "question": "And in Ethiopia?", "request_id": "a1"}
        first = await call(client, "follow_up", **again)
        second = await call(client, "follow_up", **again)
        assert first["run_id"] == second["run_id"] != shown["run_id"]
        listed = await call(client, "list_runs", text="And in Ethiopia")
        assert first["run_id"] in {each["run_id"] for each in listed["runs"]}
        found = (await call(client, "list_definitions"))["definitions"]
        at_once = {each["id"] for each in found if each["searches_at_once"]}
        assert at_once == {"web_answer", "investment_analysis"}


@IN_EACH_ERA
async def test_plan_is_sent_back_and_agents_are_guided(quick_site: Site, era: Era) -> None:
    user = User(quick_site)
    async with connect(quick_site, era, user) as client:
        shown = await plan(client)
        named = {"run_id": shown["run_id"], "plan_hash": shown["plan_hash"]}
        words = "Compare the costs of spare parts."
        for wrong in ({"plan_hash": "0" * 64}, {}):
            refused = await refuse(
                client, "revise", run_id=shown["run_id"], feedback=words, **wrong
            )
            assert "stale-plan" in refused
        assert (await state(quick_site, shown))["decisions"] == []
        planned = len(quick_site.fakes.of("planner"))
        again = await call(client, "revise", **named, feedback=words)
        assert again["waits_for"] == "approval", "what is made again waits as before"
        assert len(quick_site.fakes.of("planner")) == planned + 1
        assert words in str(quick_site.fakes.of("planner")[-1])
        [sent_back] = (await state(quick_site, again))["decisions"]
        assert (sent_back["action"], sent_back["feedback"], sent_back["client"]) == (
            *("revise", words),
            CLIENT,
        )
        guided = await call(client, "steer", run_id=shown["run_id"], text="Mind the tariffs.")
        assert guided["waits_for"] == "approval"
        await call(client, "approve", run_id=again["run_id"], plan_hash=again["plan_hash"])
        ended = await call(client, "status", run_id=again["run_id"], wait_seconds=30)
        assert ended["status"] == "completed"
        assert "Mind the tariffs." in str(quick_site.fakes.requests[-1])
        late = {"run_id": again["run_id"], "feedback": words}
        assert phrase("run-has-ended") in await refuse(client, "revise", **late)


@pytest.mark.full
async def test_nothing_that_waits_for_answers_is_sent_back(quick_site: Site) -> None:
    async with connect(quick_site) as client:
        run = await call(client, "start", question=f"Where to sell pumps? {uuid.uuid4()}")
        refused = await refuse(client, "revise", run_id=run["run_id"], feedback="Another one.")
        assert phrase("no-decision-open") in refused

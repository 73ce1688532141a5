"""MCP with keys: access, reachable runs, and requirements for approvals."""

import asyncio
import json
import re
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, Literal

import httpx
import pytest
from mcp import MCPError
from mcp.client import ClientRequestContext
from mcp_types import (
    CallToolResult,
    ElicitRequestParams,
    ElicitRequestURLParams,
    ElicitResult,
    InputRequiredResult,
)
from temporalio.client import Client

from api.body_limits import MAX_BODY_BYTES
from api.mcp import host, progress
from contracts.access.principal import KeyScope, Principal
from store.access.access_keys import KeyRepository
from tests.api.access.budgets.test_limits import talk
from tests.api.conftest import Site, site_over
from tests.api.mcp.conversation import (
    CLIENT,
    IN_EACH_ERA,
    Era,
    User,
    call,
    connect,
    plan,
    press,
    refuse,
)
from tests.support.words import en, pattern, phrase

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
OPENING = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    },
}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
async def site(
    database: str, quick_temporal: Client, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Site]:
    async with site_over(database, quick_temporal, tmp_path_factory.mktemp("blobs")) as made:
        yield made


@dataclass
class Holders:
    """Users with keys of several scopes."""

    site: Site
    keys: KeyRepository
    ids: dict[str, str] = field(default_factory=dict)

    async def add(self, user: str, scope: KeyScope = "decide", tenant: str = "acme") -> str:
        holder = Principal(tenant_id=tenant, user_id=user, scope=scope)
        key, token = await self.keys.create(holder)
        self.ids[token] = key.id
        return token

    async def http(self, token: str, path: str, body: object = None) -> httpx.Response:
        headers = {"Authorization": f"Bearer {token}"}
        method = "GET" if body is None else "POST"
        return await self.site.http.request(method, path, json=body, headers=headers)

    async def state(self, token: str, run_id: str) -> dict[str, Any]:
        found: dict[str, Any] = (await self.http(token, f"/v1/runs/{run_id}/state")).json()
        return found


@pytest.fixture(scope="module")
async def holders(site: Site, keys: KeyRepository) -> Holders:
    return Holders(site, keys)


async def test_requests_are_refused_as_at_every_route(site: Site, holders: Holders) -> None:
    token = await holders.add("ana")
    key = {"Authorization": f"Bearer {token}"}
    port = site.http.base_url.port
    for headers, body, status, code in (
        ({}, PING, 401, "key-needed"),
        ({"Authorization": "Bearer gl_wrong"}, PING, 401, "key-unknown"),
        (key | {"Host": f"evil.example:{port}"}, PING, 400, "host-not-allowed"),
        (key | {"Origin": "https://evil.example"}, PING, 403, "origin-not-allowed"),
        (key, {"x": "x" * MAX_BODY_BYTES}, 413, "body-large"),
    ):
        found = await site.http.post("/mcp", json=body, headers=ACCEPT | headers)
        error = found.json()["error"]
        assert (found.status_code, error["data"]["code"]) == (status, code)
        assert phrase(code) in error["message"]
    lost = ACCEPT | key | {"Mcp-Session-Id": "another"}
    assert (await site.http.post("/mcp", json=PING, headers=lost)).status_code == 404
    nobody = await site.http.post("/mcp", json=PING, headers=ACCEPT)
    assert nobody.headers["www-authenticate"] == "Bearer"
    foreign = await site.http.get("/mcp", headers=ACCEPT | key | {"Origin": "https://evil.example"})
    assert foreign.status_code == 403
    for fault in ("[" * 1_000 + "]" * 1_000, '{"a": NaN}', '{"a": "\\ud800"}', "{"):
        json_like = ACCEPT | key | {"Content-Type": "application/json"}
        found = await site.http.post("/mcp", content=fault, headers=json_like)
        assert (found.status_code, found.json()["error"]["code"]) == (400, -32700)
    text = await site.http.post("/mcp", content="{}", headers=key | {"Content-Type": "text/plain"})
    assert text.status_code == 415


async def test_blanks_around_a_header_are_no_part_of_it(site: Site, holders: Holders) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": "list_runs", "arguments": {}, "_meta": meta}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    head = [
        *("POST /mcp HTTP/1.1", "Host: 127.0.0.1", "Connection: close"),
        *("Content-Type: application/json", f"Content-Length: {len(body)}"),
        *(f"{name}: {value}" for name, value in ACCEPT.items()),
        f"Authorization: Bearer {await holders.add('ana')}",
        *("MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name:   list_runs \t"),
    ]
    answer = await talk(site, "\r\n".join([*head, "", body]).encode())
    assert answer.startswith(b"HTTP/1.1 200"), answer


async def test_share_link_opens_no_tools(site: Site, holders: Holders) -> None:
    ana = await holders.add("ana")
    async with connect(site, token=ana) as client:
        run = (await plan(client))["run_id"]
    made = (await holders.http(ana, f"/v1/runs/{run}/share-links", {})).json()
    link = made["path"].partition("#")[2]
    headers = ACCEPT | {"Authorization": f"Bearer {link}"}
    assert (await site.http.post("/mcp", json=PING, headers=headers)).status_code == 403


@IN_EACH_ERA
async def test_run_of_another_tenant_is_unknown_and_a_colleagues_is_read_alone(
    site: Site, holders: Holders, era: Era
) -> None:
    ana = await holders.add("ana")
    async with connect(site, era, token=ana) as client:
        shown = await plan(client)
    named = {"run_id": shown["run_id"], "plan_hash": shown["plan_hash"]}
    async with connect(site, era, token=await holders.add("eve", "approve", "evil")) as client:
        for tool in ("status", "plan", "report", "sources"):
            assert phrase("run-unknown") in await refuse(client, tool, run_id=shown["run_id"])
        assert phrase("run-unknown") in await refuse(client, "answer", run_id=shown["run_id"])
        assert phrase("run-unknown") in await refuse(client, "approve", **named, price_usd=1)
        for tool in ("ask", "follow_up"):
            refused = await refuse(client, tool, run_id=shown["run_id"], question="Why?")
            assert phrase("run-unknown") in refused
        assert phrase("run-unknown") in await refuse(client, "revise", **named, feedback="Why?")
        assert phrase("run-unknown") in await refuse(
            client, "steer", run_id=shown["run_id"], text="Why?"
        )
        with pytest.raises(MCPError, match=pattern("run-unknown")):
            await client.read_resource(f"greenlight://runs/{shown['run_id']}/report")
        assert (await call(client, "list_runs"))["runs"] == []
    async with connect(site, era, token=await holders.add("ben", "approve")) as client:
        assert (await call(client, "status", run_id=shown["run_id"]))["waits_for"] == "approval"
        price = shown["price"]["top_usd"]
        refused = await refuse(client, "approve", **named, price_usd=price)
        assert phrase("run-not-yours-to-send") in refused
        refused = await refuse(client, "revise", **named, feedback="Another one.")
        assert phrase("run-not-yours-to-send") in refused
    async with connect(site, era, token=await holders.add("ben")) as client:
        shown_page = await call(client, "approve", **named)
        assert shown_page["approve_url"] == shown_page["url"]
        assert shown_page["next"] == en("mcp-next-page")
    assert (await holders.state(ana, shown["run_id"]))["decisions"] == []


async def test_key_of_the_scope_approve_repeats_hash_and_price(
    site: Site, holders: Holders
) -> None:
    ana = await holders.add("ana", "approve")
    user = User(site)
    async with connect(site, user=user, token=ana) as client:
        shown = await plan(client)
        named = {"run_id": shown["run_id"], "plan_hash": shown["plan_hash"]}
        price = shown["price"]["top_usd"]
        for wrong in ({}, {"price_usd": price + 0.01}, {"price_usd": 0}):
            refused = await refuse(client, "approve", **named, **wrong)
            assert phrase("mcp-price") in refused
        for unreal in ("nan", "inf", "-inf"):
            assert "price_usd" in await refuse(client, "approve", **named, price_usd=unreal)
        other = named | {"plan_hash": "0" * 64, "price_usd": price}
        assert phrase("plan-stale") in await refuse(client, "approve", **other)
        assert (await holders.state(ana, shown["run_id"]))["decisions"] == []
        await call(client, "approve", **named, price_usd=price)
        [decision] = (await holders.state(ana, shown["run_id"]))["decisions"]
        assert (decision["by"], decision["client"], decision["by_link"]) == ("ana", CLIENT, False)
        assert user.links == []
        await refuse(client, "approve", **named, price_usd=price)
    assert len((await holders.state(ana, shown["run_id"]))["decisions"]) == 1


async def test_key_of_the_scope_ask_decides_nothing_anywhere(site: Site, holders: Holders) -> None:
    ana, agent = await holders.add("ana"), await holders.add("ana", "ask")
    user = User(site)
    async with connect(site, user=user, token=agent) as client:
        shown = await plan(client)
        named = {"run_id": shown["run_id"], "plan_hash": shown["plan_hash"]}
        user.presses = None
        await refuse(client, "approve", **named)
        assert user.links == [shown["url"]], "its link leads to the page, where a human signs in"
    run = f"/v1/runs/{shown['run_id']}"
    decision = {"action": "approve", "plan_hash": shown["plan_hash"]}
    refused = await holders.http(agent, f"{run}/decision", decision)
    assert (refused.status_code, refused.json()["code"]) == (403, "key-decides-nothing")
    assert (await holders.http(agent, f"{run}/cancel", {})).json()["code"] == "key-decides-nothing"
    assert (await holders.http(agent, f"{run}/steer", {"text": "Mind the tariffs."})).is_success
    made = (await holders.http(agent, "/v1/keys", {})).json()
    assert made["scope"] == "ask"
    assert (await holders.http(made["token"], f"{run}/decision", decision)).status_code == 403
    for holder, scope, status in ((agent, "decide", 403), (ana, "approve", 403), (ana, "ask", 201)):
        asked = await holders.http(holder, "/v1/keys", {"scope": scope})
        assert asked.status_code == status, asked.text
    done = await holders.http(ana, f"{run}/decision?wait=30", decision)
    assert done.json()["status"] == "completed"
    steered = await holders.http(agent, f"{run}/steer", {"text": "Search evil.example too."})
    assert (steered.status_code, steered.json()["code"]) == (403, "key-decides-nothing")
    fork = {"query": done.json()["query"], "from_run": shown["run_id"], "redo": ["research"]}
    for definition, body in (("deep_research", fork), ("web_answer", {"query": "Where?"})):
        refused = await holders.http(agent, f"/v1/workflows/{definition}/run", body)
        assert (refused.status_code, refused.json()["code"]) == (403, "start-decides")
        assert (await holders.http(ana, f"/v1/workflows/{definition}/run", body)).is_success
    schedule = {"from_run": shown["run_id"], "at": "09:00", "zone": "UTC"}
    assert (await holders.http(agent, "/v1/schedules", schedule)).status_code == 403


@pytest.mark.parametrize("scope", ["ask", "decide", "approve"])
async def test_start_that_is_an_approval_needs_the_scope_approve(
    site: Site, holders: Holders, scope: Literal["ask", "decide", "approve"]
) -> None:
    token = await holders.add("ana", scope)
    async with connect(site, token=token) as client:
        start = {"question": f"Where? {uuid.uuid4()}", "definition": "web_answer"}
        if scope == "approve":
            assert (await call(client, "start", **start))["definition"] == "web_answer"
        else:
            assert phrase("start-decides") in await refuse(client, "start", **start)


async def test_guidance_after_an_approval_needs_the_scope_approve(
    site: Site, holders: Holders
) -> None:
    """It changes what a human approved; before, it is read with the plan."""
    human, held = await holders.add("ana"), site.fakes.hold("turn-3")
    async with connect(site, token=await holders.add("ana", "ask")) as client:
        shown = await plan(client)
        run = shown["run_id"]
        await call(client, "steer", run_id=run, text="Mind the tariffs.")
    decision = {"action": "approve", "plan_hash": shown["plan_hash"]}
    await holders.http(human, f"/v1/runs/{run}/decision", decision)
    scopes: tuple[Literal["ask", "decide"], ...] = ("ask", "decide")
    for scope in scopes:
        async with connect(site, token=await holders.add("ana", scope)) as client:
            more = {"run_id": run, "text": f"Search {scope}.example too."}
            assert phrase("key-decides-nothing") in await refuse(client, "steer", **more)
    async with connect(site, token=await holders.add("ana", "approve")) as client:
        await call(client, "steer", run_id=run, text="Search approve.example too.")
        held.set()
        ended = await call(client, "status", run_id=run, wait_seconds=30)
    assert ended["status"] == "completed"
    asked = str(site.fakes.requests[-1].messages)
    assert "Mind the tariffs." in asked
    assert re.findall(r"\w+\.example", asked) == ["approve.example"]


async def test_link_of_a_revoked_key_decides_nothing(site: Site, holders: Holders) -> None:
    ana, other = await holders.add("ana"), await holders.add("ana")
    async with connect(site, token=ana) as client:
        shown = await plan(client)
        named = {"run_id": shown["run_id"], "plan_hash": shown["plan_hash"]}
        link = httpx.URL((await call(client, "approve", **named))["approve_url"]).path
    looked = await site.http.get(link)
    assert en("decide-client", client=CLIENT) in looked.text
    await holders.keys.revoke(Principal(tenant_id="acme"), holders.ids[ana])
    for answer in (await site.http.get(link), await site.http.post(f"{link}/approve")):
        assert answer.status_code == 403
        assert phrase("decide-link-void") in answer.text
    assert (await holders.state(other, shown["run_id"]))["decisions"] == []


async def test_state_between_two_requests_belongs_to_who_asked(
    site: Site, holders: Holders
) -> None:
    ana, ben = await holders.add("ana"), await holders.add("ben")
    async with connect(site, user=User(site), token=ana) as client:
        shown = await plan(client)
        named = {"run_id": shown["run_id"], "plan_hash": shown["plan_hash"], "wait_seconds": 0}
        asked = await client.session.call_tool("approve", named, allow_input_required=True)
        assert isinstance(asked, InputRequiredResult)
        again: dict[str, Any] = {"input_responses": {"decide": ElicitResult(action="accept")}}
        again |= {"request_state": asked.request_state}
        async with connect(site, user=User(site), token=ben) as other:
            with pytest.raises(MCPError):
                await other.session.call_tool("approve", named, **again)
        undecided = await client.session.call_tool("approve", named, **again)
        assert isinstance(undecided, CallToolResult)
        assert (undecided.structured_content or {})["waits_for"] == "approval"
    assert (await holders.state(ana, shown["run_id"]))["decisions"] == []


class Absent(User):
    """Looks at a link or form for ever."""

    async def elicit(
        self, context: ClientRequestContext, params: ElicitRequestParams
    ) -> ElicitResult:
        if isinstance(params, ElicitRequestURLParams):
            self.links.append(params.url)
        return await asyncio.Future()


@IN_EACH_ERA
async def test_run_goes_on_without_its_client(site: Site, holders: Holders, era: Era) -> None:
    ana, user = await holders.add("ana"), Absent(site)
    async with connect(site, era, user, ana) as client:
        shown = await plan(client)
        named = {"run_id": shown["run_id"], "plan_hash": shown["plan_hash"]}
        asking = asyncio.create_task(client.call_tool("approve", named))
        while not user.links:  # noqa: ASYNC110 - a callback of the client's own task
            await asyncio.sleep(0.01)
        asking.cancel()
    await press(site, user.links[0], "approve")
    state = await holders.http(ana, f"/v1/runs/{shown['run_id']}/state?wait=30")
    assert state.json()["status"] == "completed"


async def test_user_who_does_not_answer_is_not_waited_for_without_end(
    site: Site, holders: Holders, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "USER_SECONDS", 0.2)
    async with connect(site, "legacy", Absent(site), await holders.add("ana")) as client:
        run = await call(client, "start", question=f"Where to sell pumps? {uuid.uuid4()}")
        asked = await call(client, "answer", run_id=run["run_id"])
        assert asked["waits_for"] == "answers"
        assert [each["id"] for each in asked["questions"]] == [q["id"] for q in run["questions"]]
        left = {each["id"]: None for each in asked["questions"]}
        await call(client, "answer", run_id=run["run_id"], answers=left)
        shown = await call(client, "plan", run_id=run["run_id"])
        named = {"run_id": run["run_id"], "plan_hash": shown["plan_hash"]}
        assert "/decide/" in (await call(client, "approve", **named))["approve_url"]


async def test_sessions_of_one_user_leave_room_for_others(
    site: Site, holders: Holders, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "MAX_SESSIONS", 5)
    ana, ben = await holders.add("mia"), await holders.add("ben")
    headers = [ACCEPT | {"Authorization": f"Bearer {token}"} for token in (ana, ben)]
    opened = [await site.http.post("/mcp", json=OPENING, headers=headers[0]) for _ in range(7)]
    assert [answer.status_code for answer in opened] == [200] * 5 + [429] * 2
    assert opened[-1].json()["error"]["data"]["code"] == "limit-mcp-sessions"
    session = {"Mcp-Session-Id": opened[0].headers["mcp-session-id"]}
    stranger = await site.http.post("/mcp", json=PING, headers=headers[1] | session)
    assert stranger.status_code == 404
    other = await site.http.post("/mcp", json=OPENING, headers=headers[1])
    assert other.status_code == 200
    ended = await site.http.delete("/mcp", headers=headers[0] | session)
    assert ended.status_code == 200
    assert (await site.http.post("/mcp", json=OPENING, headers=headers[0])).status_code == 200

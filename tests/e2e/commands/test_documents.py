"""The blocks of README and documents, each pasted whole into a shell that uses the whole stack.

A block is run, or a comment above it says why it is not: `<!-- not run: … -->`.
"""

import asyncio
import json
import os
import re
import sys
import uuid
from pathlib import Path

import psycopg
import pytest

from contracts.preset_definitions import PRESETS
from tests.chaos.fragile_stack import FragileStack
from tests.conftest import ROOT
from tests.support.databases import as_owner
from tests.support.documents import BLOCKS, Block
from tests.support.stack import Whole
from tests.support.words import en
from workflows.phases import PHASES

SECONDS = 240
USES = "README.md, Three things to do with it"
HTTP = "docs/clients.md, The same run by HTTP, sh"
CREW = "docs/crews.md, Crews, sh 2"
PRINTED = {
    CREW: r"## Prices\s[\s\S]*## " + en("sources"),
    HTTP: r"event: workflow_complete[\s\S]*\[1\][\s\S]*## " + en("sources"),
    "docs/clients.md, The same run in Python, python": r"workflow_complete[\s\S]*## "
    + en("sources"),
    "docs/clients.md, The same run by Temporal, sh": r"COMPLETED[\s\S]*## " + en("sources"),
    "docs/tutorial.md, 4. Check, sh": r"127\.0\.0\.1|report\.pdf",
    "docs/tutorial.md, 5. Go on, sh": "## " + en("sources"),
}
"""What a block prints at a stack that runs."""
PRINTED_ALONE = {
    f"{USES}, sh 2": r"11\.4 %[\s\S]*## " + en("sources"),
    f"{USES}, sh 3": r"Apple[\s\S]*## " + en("sources"),
    "docs/companies.md, Companies, sh": r"Apple[\s\S]*AAPL, to .*SNOW, to [\s\S]*## "
    + en("sources"),
    "docs/crews.md, Crews, sh": r"solar irrigation pumps[\s\S]*## " + en("sources"),
    "docs/archives.md, Archives, sh": r"saved in .*run\.archive\.zip[\s\S]*✓ report\.json",
    "docs/terminal.md, Answers from a file, sh": r"Brazil[\s\S]*## " + en("sources"),
}
"""What one prints in a home where nothing runs."""
NOT_RUN = {
    "README.md, One command, sh",
    "README.md, Two commands, sh",
    "README.md, Two commands, output",
    f"{USES}, sh",
    f"{USES}, sh 4",
    "docs/tutorial.md, 1. Ask, sh",
    "CONTRIBUTING.md, Contributing, sh",
    "CONTRIBUTING.md, Building a release, sh",
    "docs/adding-a-kind.md, 5. The documents, and all tests, sh",
    "docs/observability.md, Traces, output",
    "docs/operations.md, Backup and restore, sh",
    "docs/operations.md, Installed from the wheel, sh",
    "docs/operations.md, Installed from the wheel, sh 2",
    "docs/runs.md, Budgets, sh",
    "docs/operations.md, Runs on a schedule, sh",
    "docs/alerts.md, Alerts, sh",
    "docs/identity.md, The audit log, sh",
    "docs/deployment.md, One server, sh 2",
    "docs/deployment.md, Images by digest, sh",
    "docs/deployment.md, Kubernetes, sh 3",
    "docs/deployment.md, Temporal Cloud, sh 2",
    "docs/models.md, Servers of chat completions, sh",
    "docs/mcp-servers.md, Servers of the installation, sh",
    *(f"docs/mcp.md, {title}, sh" for title in ("Connecting", "What an approval is")),
    "docs/schedules.md, Where nothing is new, sh",
    "docs/open-webui.md, What else a client should know, sh",
}
MODELS = {str(block) for block in BLOCKS if block.page == "docs/models.md"}
"""Run in test_small_model.py."""
DEPLOYED = {str(each) for each in BLOCKS if each.page == "docs/deployment.md" and not each.reason}
"""Run in tests/deploy/test_deployment_page.py."""
IDENTITY = {str(each) for each in BLOCKS if each.page == "docs/identity.md" and not each.reason}
"""Read in tests/api/access/identities/test_oidc.py."""
KEYS = "docs/approvals.md, Keys, sh"
BY_NAME = {str(block): block for block in BLOCKS}
QUERIES = [block for block in BLOCKS if block.language == "sql"]
DEFINITIONS = [block for block in BLOCKS if block.language == "json" and not block.file]
FILES = [block for block in BLOCKS if block.file]
"""Saved as files for the other blocks of their page, or covered by a separate test."""


def test_every_block_is_run_or_says_why_it_is_not() -> None:
    run = {
        KEYS,
        *MODELS,
        *DEPLOYED,
        *IDENTITY,
        *PRINTED,
        *PRINTED_ALONE,
        *map(str, QUERIES + DEFINITIONS + FILES),
    }
    assert {name for name, block in BY_NAME.items() if block.reason} == NOT_RUN
    assert set(BY_NAME) == run | NOT_RUN


@pytest.fixture(scope="module")
async def asked_before(stack: FragileStack) -> None:
    """A finished run with the blocks' question: asking it again offers its report."""
    told = "".join(BY_NAME[name].text for name in PRINTED)
    [query] = set(re.findall(r'(?:"query": |start_run\()"(.*?)"', told))
    async with Whole.of(stack) as whole:
        await (await whole.start(query)).finish()


@pytest.mark.usefixtures("asked_before")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.full] * (name != HTTP)) for name in PRINTED]
)
async def test_block_works_as_printed(whole: Whole, tmp_path: Path, name: str) -> None:
    told = await paste(BY_NAME[name], tmp_path, whole.stack)
    assert re.search(PRINTED[name], told), told


@pytest.mark.full
@pytest.mark.parametrize("name", [name for name in PRINTED if name != CREW])
async def test_block_works_a_second_time(whole: Whole, tmp_path: Path, name: str) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for place in (first, second):
        place.mkdir()
    await paste(BY_NAME[name], first, whole.stack)
    told = await paste(BY_NAME[name], second, whole.stack)
    assert re.search(PRINTED[name], told), told


@pytest.mark.full
@pytest.mark.timeout(SECONDS)
@pytest.mark.parametrize("name", PRINTED_ALONE)
async def test_block_works_as_printed_alone(tmp_path: Path, name: str) -> None:
    told = await paste(BY_NAME[name], tmp_path)
    assert re.search(PRINTED_ALONE[name], told), told


@pytest.mark.full
async def test_keys_work_as_printed(tmp_path: Path) -> None:
    """At a stack of their own: with the first key every request needs one."""
    async with FragileStack(tmp_path / "home", print) as stack:
        told = await paste(BY_NAME[KEYS], tmp_path, stack)
    assert re.search(r"ben \(finance\)  live  made \S+  never used", told)
    assert "## Sources" in told


@pytest.mark.parametrize("block", DEFINITIONS, ids=str)
async def test_definition_of_a_document_is_accepted(whole: Whole, block: Block) -> None:
    document = json.loads(block.text) | {"id": f"printed-{uuid.uuid4().hex[:8]}"}
    path = "/v1/workflows/import" if "format" in document else "/v1/workflows"
    made = await whole.http.post(path, json=document)
    assert made.status_code == 201, made.text
    assert (await whole.http.delete(f"/v1/workflows/{document['id']}")).status_code == 204


@pytest.mark.parametrize("block", QUERIES, ids=str)
async def test_query_of_a_document_is_answered(whole: Whole, block: Block) -> None:
    async with await psycopg.AsyncConnection.connect(
        as_owner(whole.stack.addresses.database)
    ) as connection:
        await connection.execute(block.text.encode())


def test_every_role_of_a_preset_is_named_where_models_are_given_to_roles() -> None:
    page = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    [listed] = re.findall(r"The presets' roles:(.*?)\n\n", page, re.DOTALL)
    phases = [phase for preset in PRESETS.values() for phase in preset.phases]
    roles = {role for phase in phases for role in PHASES[phase.kind].agents(phase)}
    assert set(re.findall(r"`(\w+)`", listed)) == roles


LINKS = re.findall(r"\]\(([^)#:]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize("link", sorted(set(LINKS)))
def test_every_link_leads_somewhere(link: str) -> None:
    assert (ROOT / link).exists()


async def paste(block: Block, where: Path, stack: FragileStack | None = None) -> str:
    """Return a block's output with a stack, or else with a separate home; any error fails."""
    for file in FILES:
        if file.page == block.page:
            (where / file.file).write_text(file.text, encoding="utf-8")
    (where / ".venv").symlink_to(sys.prefix)
    environment = {
        "PATH": f"{sys.prefix}/bin:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "GREENLIGHT_HOME": stack.addresses.home if stack else str(where / "home"),
    }
    script = block.text
    if block.language == "python":
        script = f".venv/bin/python - <<'END'\n{script}END"
    if stack:
        environment["TEMPORAL_ADDRESS"] = stack.addresses.temporal
        script = script.replace("http://127.0.0.1:8460", stack.addresses.gateway.rstrip("/"))
    process = await asyncio.create_subprocess_exec(
        *("bash", "-euo", "pipefail", "-c", script),
        cwd=where,
        env={**os.environ, **environment},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    told, _ = await asyncio.wait_for(process.communicate(), SECONDS)
    assert process.returncode == 0, told.decode()
    return told.decode()

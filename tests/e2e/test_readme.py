"""The README's own lines, run as printed against the whole stack."""

import asyncio
import json
import os
import re
import sys
from pathlib import Path

import pytest

from contracts.runs.state import ENDED
from greenlight.stack.temporal_server import find_program
from tests.conftest import ROOT
from tests.stack import Run, Whole

README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(heading: str, language: str = "sh", nth: int = 0) -> str:
    """Return a block of a language under a heading, the first shell block unless told."""
    section = README.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return str(re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)[nth])


async def shell(script: str, where: Path, **environment: str) -> str:
    """Return what a script prints; any command of it that fails, fails."""
    process = await asyncio.create_subprocess_exec(
        *("bash", "-euo", "pipefail", "-c", script),
        cwd=where,
        env={**os.environ, **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    told, _ = await asyncio.wait_for(process.communicate(), 90)
    assert process.returncode == 0, told.decode()
    return told.decode()


async def test_the_run_by_http_works_as_printed(whole: Whole, tmp_path: Path) -> None:
    script = block("The same run by HTTP")
    address = str(whole.http.base_url).rstrip("/")
    assert "http://127.0.0.1:8460" in script
    told = await shell(script.replace("http://127.0.0.1:8460", address), tmp_path)
    assert "event: workflow_complete" in told
    report = told.split("event: workflow_complete", 1)[1]
    assert "## Sources" in report
    assert re.search(r"\[1\]", report)


async def test_the_run_in_python_works_as_printed(whole: Whole) -> None:
    script = block("The same run in Python", "python")
    address = str(whole.http.base_url).rstrip("/")
    assert "http://127.0.0.1:8460" in script
    script = script.replace("http://127.0.0.1:8460", address)
    told = await shell(f"{sys.executable} - <<'END'\n{script}END", ROOT)
    assert "workflow_complete" in told
    assert "## Sources" in told.split("workflow_complete", 1)[1]


@pytest.mark.full
async def test_a_crew_of_one_s_own_runs_as_printed(whole: Whole, tmp_path: Path) -> None:
    heading = "A crew, and one of your own"
    (tmp_path / "crew.json").write_text(block(heading, "json"), encoding="utf-8")
    address = str(whole.http.base_url).rstrip("/")
    told = await shell(block(heading, nth=1), tmp_path, G=address)
    run = Run(whole.http, told.rsplit('"run_id":"', 1)[1].split('"')[0])
    await run.approve()
    await run.completed()
    assert "## Prices" in await run.report()


async def test_the_run_by_temporal_works_as_printed(whole: Whole, tmp_path: Path) -> None:
    script = block("The same run by Temporal")
    assert ".venv/bin/temporal" in script
    told = await shell(
        _patiently(script.replace(".venv/bin/temporal", find_program())),
        tmp_path,
        TEMPORAL_ADDRESS=whole.stack.addresses.temporal,
        GATEWAY=str(whole.http.base_url).rstrip("/"),
    )
    assert "COMPLETED" in told
    row = (await whole.http.get("/v1/runs/my-run")).json()
    assert row["status"] in ENDED, json.dumps(row)


def _patiently(script: str) -> str:
    """Return the lines with the pauses that a reader makes between them."""
    wait = 'curl -sf --retry 20 --retry-all-errors --retry-delay 1 "$GATEWAY/v1/runs/my-run/state?wait=60" > /dev/null'
    return "\n".join(
        f"{wait}\n{line}" if re.search(r"workflow (metadata|query)", line) else line
        for line in script.splitlines()
    )


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)#:]+)\)", README))))
def test_every_link_leads_somewhere(link: str) -> None:
    assert (ROOT / link).exists()

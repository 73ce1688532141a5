"""The README's own lines, run as printed against the whole stack."""

import asyncio
import os
import re
import sys
from pathlib import Path

import psycopg
import pytest

from greenlight.stack.temporal_server import find_program
from tests.conftest import ROOT
from tests.stack import Run, Whole

SECONDS = 240
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
    told, _ = await asyncio.wait_for(process.communicate(), SECONDS)
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
        script.replace(".venv/bin/temporal", find_program()),
        tmp_path,
        TEMPORAL_ADDRESS=whole.stack.addresses.temporal,
    )
    assert "COMPLETED" in told
    assert "## Sources" in told.rpartition("COMPLETED")[2]
    state = await Run(whole.http, "my-run").ended()
    assert {d.by for d in state.decisions} == {"cli"}


@pytest.mark.full
async def test_runs_over_one_s_own_documents_work_as_printed(tmp_path: Path) -> None:
    """In a home of its own: each starts the stack and stops it."""
    await terminal(block("Your own documents, real keys"), tmp_path, tmp_path / "home")
    assert "11.4 %" in (tmp_path / "result" / "report.md").read_text("utf-8")
    assert (tmp_path / "result" / "report.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.full
@pytest.mark.parametrize(
    ("heading", "says"),
    [
        ("A company, from its filings and its news", "Apple"),
        ("A crew, and one of your own", "solar irrigation pumps"),
    ],
)
async def test_runs_in_the_terminal_work_as_printed(
    whole: Whole, tmp_path: Path, heading: str, says: str
) -> None:
    told = await terminal(block(heading), tmp_path, Path(whole.stack.addresses.home))
    assert says in told
    assert "## Sources" in told


async def terminal(script: str, where: Path, home: Path) -> str:
    """Return what a script of terminal commands prints; the first that fails, fails it."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return await shell(script, where, GREENLIGHT_HOME=str(home), PATH=path, PYTHONPATH=str(ROOT))


async def test_an_operator_s_queries_work_as_printed(whole: Whole) -> None:
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    queries = re.findall(r"```sql\n(.*?)```", page, re.DOTALL)
    assert len(queries) == 2
    async with await psycopg.AsyncConnection.connect(whole.stack.addresses.database) as connection:
        for query in queries:
            await connection.execute(query)


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)#:]+)\)", README))))
def test_every_link_leads_somewhere(link: str) -> None:
    assert (ROOT / link).exists()

"""The terminal on the real stack: a stranger's first run, by hand and by script."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from tests.greenlight.terminal.pty_terminal import ROOT, Terminal
from tests.stack import CREW, QUESTION, Whole

PROGRAM = "from greenlight import cli; cli.main()"


@pytest.fixture(autouse=True)
def _home(whole: Whole, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GREENLIGHT_HOME", whole.stack.addresses.home)


@pytest.mark.full
async def test_a_run_by_hand(whole: Whole) -> None:
    at = await asyncio.to_thread(Terminal, "run", QUESTION)
    try:
        await asyncio.to_thread(by_hand, at)
    finally:
        at.close()
    searched = await whole.providers.asked("search")
    assert searched, "the report rests on what was searched after the approval"


def by_hand(at: Terminal) -> None:
    at.expect("set ANTHROPIC_API_KEY")
    at.expect(" questions before the plan")
    count = int(at.seen.split(" questions before the plan")[0][-1])
    for number in range(1, count + 1):
        at.expect(f"{number}/{count}")
        at.expect("›")
        at.type("")
    at.expect("at most $")
    at.expect("start the work")
    at.type("a")
    at.expect("✓ Research")
    at.expect("✓ Write")
    at.expect("Irrigated land")
    at.expect("Sources")
    at.expect("the plan said")
    assert at.exit_code() == 0


async def test_a_run_by_script_and_again_by_watch(whole: Whole, tmp_path: Path) -> None:
    """Of the other definition that is offered first."""
    of_crew = ("--definition", CREW)
    code, out, err = await command("run", QUESTION, *of_crew, "--yes", "--out", str(tmp_path))
    assert code == 0, err
    assert out.startswith("# ")
    assert out.rstrip("\n") == (tmp_path / "report.md").read_text("utf-8").rstrip("\n")
    state = json.loads((tmp_path / "state.json").read_bytes())
    assert len(json.loads((tmp_path / "sources.json").read_bytes())) == state["results"]["sources"]
    again = await command("watch", state["run_id"])
    assert again[:2] == (0, out)


async def command(*words: str) -> tuple[int, str, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PROGRAM, *words),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()

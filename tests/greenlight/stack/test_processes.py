"""Kernel options that are set for a child process before it runs."""

import asyncio
import signal
import sys
from pathlib import Path

import psutil
import pytest

from greenlight.stack.home import Home
from greenlight.stack.processes import Child
from greenlight.stack.temporal_server import TIMER_SLACK_NS, make_dev_server
from settings import SECRETS


def slack_of(process: object) -> int:
    """How late a process may be woken, in nanoseconds."""
    return int(Path(f"/proc/{process}/timerslack_ns").read_text(encoding="utf-8"))


@pytest.mark.skipif(sys.platform != "linux", reason="no other kernel knows of it")
@pytest.mark.parametrize("asked", [TIMER_SLACK_NS, 0])
async def test_child_has_the_timer_slack_it_was_given(tmp_path: Path, asked: int) -> None:
    child = Child("sleeper", ["sleep", "60"], tmp_path / "log", timer_slack_ns=asked)
    await child.start()
    found = slack_of(child.pid)
    await child.stop()
    assert found == (asked or slack_of("self"))


def test_temporal_server_has_timer_slack(tmp_path: Path) -> None:
    assert make_dev_server(Home(tmp_path), 1, 2).timer_slack_ns == TIMER_SLACK_NS


async def test_a_child_is_given_no_secret_that_it_was_not_meant_to_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither by the environment nor, since it is there and empty, by a file .env."""
    for name in SECRETS:
        monkeypatch.setenv(name.upper(), "secret")
    child = Child("env", ["env"], tmp_path / "log", {"BRAVE_API_KEY": "meant"})
    await child.start()
    assert await child.wait() == 0
    told = dict(line.split("=", 1) for line in (tmp_path / "log").read_text().splitlines())
    assert {name: told[name.upper()] for name in SECRETS} == dict.fromkeys(SECRETS, "") | {
        "brave_api_key": "meant"
    }


PARENT = """
import asyncio, pathlib, sys
from greenlight.stack.processes import Child

async def main() -> None:
    child = Child("deaf", [sys.executable, "-c", sys.argv[2]], pathlib.Path(sys.argv[1]), ready_line="ready")
    await child.start()
    await child.wait_until_ready()
    print(child.pid, flush=True)
    await child.wait()

asyncio.run(main())
"""
DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True); time.sleep(60)"


@pytest.mark.skipif(sys.platform != "linux", reason="no other kernel tells a child")
async def test_child_that_would_end_slowly_dies_with_its_parent(tmp_path: Path) -> None:
    parent = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PARENT, str(tmp_path / "log"), DEAF),
        stdout=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parents[3],
    )
    assert parent.stdout
    child = psutil.Process(int(await parent.stdout.readline()))
    parent.send_signal(signal.SIGKILL)
    await parent.wait()
    gone, alive = await asyncio.to_thread(psutil.wait_procs, [child], 2)
    assert (gone, alive) == ([child], [])

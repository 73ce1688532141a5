"""Children that are forks of a server: what a stack under test asks of them is what it asks of programs."""

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from activities.confined.subprocess_sandbox import SandboxDied, SubprocessSandbox
from greenlight.stack.processes import NO_SECRETS
from tests.support.fork_server import (
    INHERITED,
    LENGTH,
    ForkedChild,
    launch_by,
    run_fork_server,
)
from tests.support.offline_services import eventually


@pytest.fixture(scope="module", autouse=True)
def _server() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(INHERITED, "")  # another may be there, for stacks
        with run_fork_server():
            yield


def make(folder: Path, *words: str, **env: str) -> ForkedChild:
    return ForkedChild("forked", [sys.executable, "-m", *words], folder / "log", env)


async def test_fork_has_its_arguments_and_environment_and_writes_to_its_log(tmp_path: Path) -> None:
    prints = "print(sorted(os.environ.items()), os.getsid(0) == os.getpid())"
    child = make(tmp_path, "timeit", "-n1", "-r1", "-s", "import os", prints, ONLY="here")
    await child.start()
    assert await child.wait() == 0
    told = child.log.read_text("utf-8").splitlines()[0]
    assert told == f"{sorted({**os.environ, **NO_SECRETS, 'ONLY': 'here'}.items())} True"


@pytest.mark.parametrize(
    ("words", "code"), [(("json.tool", "--nothing"), 2), (("json.tool", "/nowhere"), 2)]
)
async def test_exit_code_is_that_of_a_program(
    tmp_path: Path, words: tuple[str, ...], code: int
) -> None:
    child = make(tmp_path, *words)
    await child.start()
    assert await child.wait() == code


async def test_a_starter_that_is_killed_at_any_moment_leaves_the_server_to_others(
    tmp_path: Path,
) -> None:
    told = json.dumps({"argv": ["-m", "json.tool"], "log": str(tmp_path / "log"), "env": {}})
    request = LENGTH.pack(len(told)) + told.encode()
    sent = (b"", request[:2], request[:-9], request)
    for part in sent * 8:
        with socket.socket(socket.AF_UNIX) as starter:
            starter.connect(os.environ[INHERITED])
            starter.sendall(part)
    child = make(tmp_path, "json.tool", "--nothing")
    await child.start()
    assert await child.wait() == 2


async def test_fork_ends_by_signals_and_is_started_again(tmp_path: Path) -> None:
    child = make(tmp_path, "http.server", "--bind", "127.0.0.1", "0")
    for signum in (signal.SIGKILL, signal.SIGTERM):
        child.stop_signal = signum
        await child.start()
        assert child.process
        assert child.process.returncode is None
        await child.stop()
        assert await child.wait() == -signum


async def test_fork_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    starts = (
        "import asyncio, pathlib; from tests.greenlight.test_forked_children import make;"
        f"child = make(pathlib.Path({str(tmp_path)!r}), 'http.server', '--bind', '127.0.0.1', '0');"
        "asyncio.run(child.start()); print(child.pid)"
    )
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", starts), stdout=asyncio.subprocess.PIPE
    )
    told, _ = await process.communicate()

    async def is_gone() -> bool:
        return not psutil.pid_exists(int(told))

    await eventually(is_gone)


ECHO = "tests.activities.sandboxed_echo"


def is_echo(child: psutil.Process) -> bool:
    """Return whether a child runs the echo; another test's child may have ended without having been waited for."""
    try:
        return ECHO in child.cmdline()
    except psutil.NoSuchProcess:
        return False


async def test_confined_fork_answers_dies_and_is_killed_as_a_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(SubprocessSandbox, "program", launch_by(os.environ[INHERITED]))
    sandbox = SubprocessSandbox(ECHO, size=1, seconds=5)
    pid = int(await sandbox.run(b"pid"))
    [launcher] = filter(is_echo, psutil.Process().children())
    assert launcher.pid != pid
    assert await sandbox.run(b"environment") in {b"", b"LC_CTYPE"}
    with pytest.raises(SandboxDied) as died:
        await sandbox.run(b"die")
    assert died.value.ended == "exit 1"
    with pytest.raises(TimeoutError):
        await sandbox.run(b"work", seconds=0.2)
    killed = int(await sandbox.run(b"pid"))
    await sandbox.close()

    async def is_gone() -> bool:
        return not psutil.pid_exists(killed)

    await eventually(is_gone)

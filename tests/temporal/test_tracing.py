import asyncio
import sys
from pathlib import Path

import pytest

from temporal.telemetry.traces import start_tracing
from tests.support.fork_server import ForkedChild

LISTING = "import sys; print(*sys.modules)"


@pytest.mark.usefixtures("forks")
async def test_processes_that_send_no_traces_import_no_sdk(tmp_path: Path) -> None:
    assert start_tracing("", "worker") == []
    argv = [sys.executable, "-m", "timeit", "-n1", "-r1", LISTING]
    child = ForkedChild("imports", argv, tmp_path / "log")
    await child.start()
    assert await child.wait() == 0
    imported = (await asyncio.to_thread(child.log.read_text, "utf-8")).split()
    assert {"api.app", "worker"} <= {*imported}
    sdk = ("opentelemetry.sdk", "opentelemetry.exporter")
    assert not [name for name in imported if name.startswith(sdk)]

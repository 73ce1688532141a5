"""The files by which probes see a worker, asked by compose's own health check."""

import asyncio
import logging
import os
import subprocess
import time
from pathlib import Path

import pytest

from temporal import probe_files
from temporal.probe_files import ProbeFiles
from tests.deploy.containers import read_compose

MINUTE = 60


def is_healthy(folder: Path) -> bool:
    test: str = read_compose()["worker"]["healthcheck"]["test"]
    command = test.replace("$$", "$").replace("/tmp/probes", str(folder))
    return not subprocess.run(["sh", "-c", command], capture_output=True, check=False).returncode


async def test_worker_is_healthy_from_when_it_is_ready_until_its_event_loop_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe_files, "BEAT_SECONDS", 0.02)
    probes = ProbeFiles(tmp_path / "probes")
    beating = asyncio.create_task(probes.beat())
    await asyncio.sleep(0.1)
    assert not is_healthy(tmp_path / "probes"), "it is alive, not ready"
    probes.mark_ready()
    assert is_healthy(tmp_path / "probes")
    old = time.time() - 2 * MINUTE
    os.utime(tmp_path / "probes" / "alive", (old, old))
    assert not is_healthy(tmp_path / "probes"), "nothing touched it while the loop was held"
    await asyncio.sleep(0.1)
    assert is_healthy(tmp_path / "probes")
    beating.cancel()


async def test_process_that_starts_again_in_its_container_is_not_ready_yet(tmp_path: Path) -> None:
    ProbeFiles(tmp_path).mark_ready()
    assert (tmp_path / "ready").exists()
    ProbeFiles(tmp_path)
    assert not (tmp_path / "ready").exists()


async def test_folder_that_is_gone_is_warned_of_and_ends_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    probes = ProbeFiles(tmp_path / "probes")
    (tmp_path / "probes").rmdir()
    with caplog.at_level(logging.WARNING):
        probes.mark_ready()
    assert "cannot write" in caplog.text


async def test_no_folder_means_no_files() -> None:
    probes = ProbeFiles(None)
    probes.mark_ready()
    await probes.beat()

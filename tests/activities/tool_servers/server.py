"""The server of tools of tests, started and ended around them."""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MODULE = "tests.activities.tool_servers.server_process"


@dataclass(frozen=True)
class Served:
    """A server that runs: its address, and the calls that reached it."""

    url: str
    log: Path

    @property
    def calls(self) -> list[str]:
        """The calls of tools so far, each as its name and its arguments."""
        return self.log.read_text().splitlines() if self.log.exists() else []


@contextlib.contextmanager
def serving(log: Path) -> Iterator[Served]:
    """Run the server in a process for as long as the block lasts."""
    command = [sys.executable, "-m", MODULE, str(log)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            yield Served(f"http://127.0.0.1:{int(process.stdout.readline())}/mcp", log)
        finally:
            process.kill()

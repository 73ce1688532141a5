"""A process that does one task with CrewAI and says what it wrote and whom it called."""

import asyncio
import json
import os
import resource
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

touched: dict[str, list[str]] = {"written": [], "called": []}

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = {
    *("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate"),
    "sqlite3.connect",  # SQLite opens its files without a word to Python
}


def note(event: str, args: tuple[Any, ...]) -> None:
    """Note what leaves a trace; a file opened by its number was noted before."""
    writes = event == "open" and isinstance(args[0], str | bytes) and (args[2] or 0) & WRITES
    if writes or event in CHANGES:
        touched["written"].append(os.path.abspath(os.fsdecode(args[0])))
    elif event == "socket.connect":
        touched["called"].append(str(args[1][0]))
    elif event == "socket.getaddrinfo":
        touched["called"].append(str(args[0]))


async def main(dsn: str, provider: str, site: str, scratch: str, blobs: str) -> None:
    """Work as the crew worker does; the site is searched and read."""
    from activities.crew.crew_task import CrewActivities
    from activities.integrations.crewai_env import disable_side_effects

    disable_side_effects(Path(scratch))
    from activities.integrations.crewai_adapter import kickoff
    from activities.parsing.page_parser import PageParser
    from contracts.agents.crews import CrewTaskRequest
    from tests.activities.calls.conftest import environment, opened
    from tests.activities.calls.provider import Provider
    from tests.activities.crew.conftest import web_over

    if os.environ.get("DISK") == "full":  # not before: libraries look for a place to write to
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    request = CrewTaskRequest.model_validate_json(sys.stdin.read())
    parser = PageParser()
    async with (
        opened(dsn, Provider(provider), Path(blobs)) as house,
        web_over(house, site, Path(blobs), parser) as web,
    ):
        work = CrewActivities(kickoff, ThreadPoolExecutor(1), house.gateway, web).work
        result = await environment().run(work, request)
    await parser.close()
    seen = touched | {"output": result.output, "own": os.environ.get("OWN", "")}
    sys.stdout.write(json.dumps(seen))


if __name__ == "__main__":
    sys.addaudithook(note)
    asyncio.run(main(*sys.argv[1:]))
    sys.stdout.flush()
    os._exit(0)

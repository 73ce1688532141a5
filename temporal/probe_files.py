"""Files by which a container's probes see a worker, which listens on no port."""

import asyncio
import logging
from pathlib import Path

logger = logging.getLogger("greenlight.probes")
BEAT_SECONDS = 5.0
"""Interval of touching `alive`; probes regard a worker as hung after a minute without it."""


class ProbeFiles:
    """Touches the file `alive` while the event loop runs, and `ready` once the worker takes tasks.

    Args:
        folder: Where to write both files, or None to write none. A leftover `ready` is removed.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "ready").unlink(missing_ok=True)

    async def beat(self) -> None:
        """Touch `alive` every five seconds, also while Temporal or the database is unreachable."""
        while self._folder:
            self._touch(self._folder / "alive")
            await asyncio.sleep(BEAT_SECONDS)

    def mark_ready(self) -> None:
        """Touch `ready`: the worker polls its task queues."""
        if self._folder:
            self._touch(self._folder / "ready")

    def _touch(self, file: Path) -> None:
        try:
            file.touch()
        except OSError as error:
            logger.warning("probes may end this process, which cannot write %s: %s", file, error)

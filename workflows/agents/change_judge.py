"""The judging of an agent's report changes, concurrent with its tools and its next turn."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from contracts.evidence.claims import Claim

Judged = Mapping[str, Claim]
"""Claims with their verdicts, by the names of their checks."""


class Judging:
    """The judge at work on one turn; the verdicts are applied once the turn's changes are in the report."""

    def __init__(self, work: Coroutine[Any, Any, Judged], apply: Callable[[Judged], None]) -> None:
        self._placed = asyncio.Event()
        self._task = asyncio.create_task(self._run(work, apply))

    async def _run(
        self, work: Coroutine[Any, Any, Judged], apply: Callable[[Judged], None]
    ) -> None:
        judged = await work
        await self._placed.wait()
        apply(judged)

    def note_placed(self) -> None:
        """Allow the verdicts to be applied: the turn's changes are in the report."""
        self._placed.set()

    async def end(self) -> None:
        """Wait until the verdicts are applied."""
        self._placed.set()
        await self._task

    def cancel(self) -> None:
        """Stop the judge: its agent is being cancelled."""
        self._task.cancel()

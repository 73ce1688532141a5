"""Opening a run, and writing down what happens in it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from temporalio import activity

from contracts.definitions import DEFAULT, Definition
from contracts.errors import Conflict
from contracts.principal import Principal
from contracts.runs.records import Batch
from contracts.runs.start import Opened, OpenRequest, ParentRun, RunInput
from contracts.step_cache import Find
from contracts.terms import Terms, Usage

if TYPE_CHECKING:
    from store.definitions import DefinitionRepository
    from store.journal import Journal
    from store.runs import RunRepository
    from store.step_cache import StepCacheRepository

OpenRun = Callable[[RunInput, Definition, ParentRun | None, Terms, Find], Awaitable[Opened]]

_ASIDE_SECONDS = 0.05


@dataclass(frozen=True)
class Opener:
    """Makes a start ready; the gateway and the run's first activity share it."""

    definitions: "DefinitionRepository"
    runs: "RunRepository"
    kept: "StepCacheRepository"
    terms: Terms
    open_run: OpenRun
    index: bool = False

    async def open(self, given: RunInput) -> Opened:
        """Return the frozen definition and terms, and what earlier runs gave of what is left out.

        Raises:
            NotFound: no such definition, version or parent run.
            InvalidDefinition: all problems, each with its path.
            Conflict: a chosen phase lacks what it needs.
        """
        who = Principal(tenant_id=given.tenant_id, user_id=given.user_id)
        parent = await self.runs.parent(who, given.from_run) if given.from_run else None
        if parent and _meant(given, parent.definition):
            definition = parent.definition
        else:
            definition = await self.definitions.get(who, given.definition_id, given.version)
        find = partial(self.kept.find, who)
        opened = await self.open_run(given, definition, parent, self.terms, find)
        return opened.model_copy(update={"index": self.index})


def _meant(given: RunInput, parents: Definition) -> bool:
    """Whether a start from a run means what that run froze, as changed or deleted as it may be."""
    if given.follow_up and not parents.is_living:
        return False
    return given.definition_id in {parents.id, DEFAULT} and given.version in {None, parents.version}


class RunActivities:
    """The run's row and log."""

    def __init__(self, opener: Opener, runs: "RunRepository", journal: "Journal") -> None:
        self._opener = opener
        self._runs = runs
        self._journal = journal

    @activity.defn(name="runs.open")
    async def open(self, request: OpenRequest) -> Opened:
        """Resolve the start unless the gateway did, and record the run.

        Idempotent by run id. Raises as `Opener.open`, and Conflict where a run of this id has
        ended before; none of that is retried.
        """
        opened = request.input.opened or await self._opener.open(request.input)
        if not await self._runs.create(request, opened):
            raise Conflict(f"a run with the id {request.run_id!r} has ended already; take another")
        return opened

    @activity.defn(name="runs.record")
    async def record(self, batch: Batch) -> Usage:
        """Write one batch, idempotent by its events' keys, and return what the run has spent.

        Calls that begin at the same moment go first: they want the same row, and work waits for them.
        """
        if not batch.ended_at:
            await asyncio.sleep(_ASIDE_SECONDS)
        usage = await self._journal.usage(batch.tenant_id, batch.run_id)
        snapshot = {**batch.snapshot, "usage": usage.model_dump(mode="json")}
        await self._runs.record(batch.model_copy(update={"usage": usage, "snapshot": snapshot}))
        return usage

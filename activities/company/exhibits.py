"""Charts and tables of companies' figures, made and stored where the figures are computed."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from activities.interceptor import settles
from activities.sandbox.call_pool import CallFailed, Runner
from activities.workbench import Draw, store_chart, store_table
from contracts.agents.tools import ChartArgs
from contracts.agents.workbench import Artifact
from contracts.company.figures import Fundamentals
from contracts.errors import GreenlightError
from contracts.lost_inputs import LossCause, LostInput
from contracts.models.call import Scope
from domain.company.exhibits import Exhibit, build_exhibits

if TYPE_CHECKING:
    from store.blobs import BlobStore


class ExhibitMaker(NamedTuple):
    """Draws charts and stores them with tables."""

    draw: Draw
    blobs: "BlobStore"
    run: Runner

    async def make(
        self, companies: Sequence[Fundamentals], scope: Scope, today: str
    ) -> tuple[list[Artifact], list[LostInput]]:
        """Return the exhibits of companies, and which could not be made: the others are kept.

        Raises:
            StoreUnavailable: Waited out, as any failure that a retry may mend.
        """
        exhibits = await asyncio.to_thread(lambda: [*build_exhibits(companies, today)])
        made = await asyncio.gather(*(self._store(each, scope) for each in exhibits))
        artifacts = {each.id: each for each in made if isinstance(each, Artifact)}
        return [*artifacts.values()], [each for each in made if isinstance(each, LostInput)]

    async def _store(self, exhibit: Exhibit, scope: Scope) -> Artifact | LostInput:
        is_chart = isinstance(exhibit, ChartArgs)
        name = f"the {'chart' if is_chart else 'table'} “{exhibit.title}”"
        try:
            if isinstance(exhibit, ChartArgs):
                return await store_chart(exhibit, self.draw, self.run, self.blobs, scope)
            behind_labels = range(1, len(exhibit.columns))
            return await store_table(exhibit, self.blobs, scope, behind_labels)
        except GreenlightError as error:
            if not settles(error):
                raise
            cause = error.loss_cause
        except CallFailed:
            cause = LossCause(reason="call-failed")
        return LostInput(kind="exhibit", name=name, causes=[cause])

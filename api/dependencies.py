"""Dependencies of the routes, as `Annotated` aliases."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Path, Request

from activities.approvals import Sealer
from activities.removal import Remover
from activities.runs import StartResolver
from api.stream import EventLog
from contracts.base import Name
from store.blobs import BlobStore
from store.definitions import DefinitionRepository
from store.keys import KeyRepository
from store.ledger import LedgerRepository
from store.postgres.pool import Pool
from store.runs import RunRepository
from store.startups import StartupRepository
from temporal.run_client import RunClient


@dataclass(frozen=True)
class Dependencies:
    """Repositories and clients of the gateway, built once a process."""

    pool: Pool
    definitions: DefinitionRepository
    runs: RunRepository
    ledger: LedgerRepository
    startups: StartupRepository
    log: EventLog
    blobs: BlobStore
    run_client: RunClient
    resolver: StartResolver
    remover: Remover
    keys: KeyRepository
    seals: Sealer
    research_collection: str
    require_keys: bool = False


def get_dependencies(request: Request) -> Dependencies:
    """Return the dependencies that `create_app` received."""
    dependencies: Dependencies = request.app.state.dependencies
    return dependencies


Deps = Annotated[Dependencies, Depends(get_dependencies)]
RunId = Annotated[Name, Path()]

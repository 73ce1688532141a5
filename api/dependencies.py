"""What a route may ask for, by `Annotated` alias."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Path, Request

from activities.approvals import Seals
from activities.removal import Remover
from activities.runs import Opener
from api.stream import Log
from contracts.base import Name
from store.blobs import BlobStore
from store.definitions import DefinitionRepository
from store.keys import KeyRepository
from store.ledger import LedgerRepository
from store.postgres.pool import Pool
from store.runs import RunRepository
from store.startups import StartupRepository
from temporal.run_client import Engine


@dataclass(frozen=True)
class Services:
    """What the gateway is built from."""

    pool: Pool
    definitions: DefinitionRepository
    runs: RunRepository
    ledger: LedgerRepository
    startups: StartupRepository
    log: Log
    blobs: BlobStore
    engine: Engine
    opener: Opener
    remover: Remover
    keys: KeyRepository
    seals: Seals
    research_collection: str
    require_keys: bool = False


def services(request: Request) -> Services:
    """Return what `create_app` was given."""
    found: Services = request.app.state.services
    return found


Deps = Annotated[Services, Depends(services)]
RunId = Annotated[Name, Path()]

"""How Temporal's payloads are written: as pydantic does, large ones as references to blobs."""

import asyncio
import dataclasses
from collections.abc import Sequence

from temporalio.api.common.v1 import Payload
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.converter import (
    DataConverter,
    ExternalStorage,
    StorageDriver,
    StorageDriverClaim,
    StorageDriverRetrieveContext,
    StorageDriverStoreContext,
)

from store.blobs import BlobStore

THRESHOLD_BYTES = 32 * 1024


class BlobDriver(StorageDriver):
    """Keeps payloads as blobs, apart from the tenants' and by workflow."""

    def __init__(self, blobs: BlobStore) -> None:
        self._blobs = blobs

    def name(self) -> str:
        """Return the name that references in histories carry."""
        return "blobs"

    async def store(
        self, context: StorageDriverStoreContext, payloads: Sequence[Payload]
    ) -> list[StorageDriverClaim]:
        """Keep payloads and return where."""
        workflow_id = (context.target and context.target.id) or "unknown"
        put = self._blobs.put
        keys = await asyncio.gather(
            *(put(BlobStore.PAYLOADS, workflow_id, p.SerializeToString()) for p in payloads)
        )
        return [StorageDriverClaim(claim_data={"key": key}) for key in keys]

    async def retrieve(
        self, context: StorageDriverRetrieveContext, claims: Sequence[StorageDriverClaim]
    ) -> list[Payload]:
        """Return the payloads of claims."""
        found = await asyncio.gather(*(self._blobs.get(c.claim_data["key"]) for c in claims))
        return [Payload.FromString(data) for data in found]


def data_converter(blobs: BlobStore) -> DataConverter:
    """Return the converter of every client, worker and replayer of ours."""
    storage = ExternalStorage(drivers=[BlobDriver(blobs)], payload_size_threshold=THRESHOLD_BYTES)
    return dataclasses.replace(pydantic_data_converter, external_storage=storage)

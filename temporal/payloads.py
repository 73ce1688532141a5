"""Payload conversion: pydantic JSON, encrypted if keys are configured, large payloads stored as blobs."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from temporalio.api.common.v1 import Payload
from temporalio.contrib.pydantic import PydanticPayloadConverter
from temporalio.converter import (
    DataConverter,
    DefaultFailureConverterWithEncodedAttributes,
    ExternalStorage,
    StorageDriver,
    StorageDriverClaim,
    StorageDriverRetrieveContext,
    StorageDriverStoreContext,
)
from temporalio.exceptions import ApplicationError

from contracts.errors import EngineUnavailable, InvalidInput, StoreUnavailable
from contracts.problems import list_problems
from store.blobs import BlobStore
from temporal.encryption import UNREADABLE, EncryptionCodec

THRESHOLD_BYTES = 32 * 1024


class BlobDriver(StorageDriver):
    """Stores payloads as blobs in a namespace of their own, by workflow."""

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
            *(
                put(BlobStore.PAYLOADS, workflow_id, p.SerializeToString(deterministic=True))
                for p in payloads
            )
        )
        return [StorageDriverClaim(claim_data={"key": key}) for key in keys]

    async def retrieve(
        self, context: StorageDriverRetrieveContext, claims: Sequence[StorageDriverClaim]
    ) -> list[Payload]:
        """Return the payloads of claims.

        Raises:
            NotFound: A claim names no payload.
        """
        keys = [claim.claim_data.get("key", "") for claim in claims]
        # The namespace is fixed, so a forged reference cannot read a tenant's blob.
        found = await asyncio.gather(*(self._blobs.get(BlobStore.PAYLOADS, key) for key in keys))
        return [Payload.FromString(data) for data in found]


class PlainConverter(PydanticPayloadConverter):
    """Reports an invalid payload, such as the input of a start, as one problem per field."""

    def from_payloads(
        self, payloads: Sequence[Payload], type_hints: list[type[Any]] | None = None
    ) -> list[Any]:
        """Return the values of payloads.

        Raises:
            ApplicationError: a value is not of its type; never retried.
        """
        try:
            return super().from_payloads(payloads, type_hints)
        except ValidationError as error:
            told = InvalidInput(list_problems(error.errors(), "input"))
            raise ApplicationError(
                str(told), *told.details, type=told.type(), non_retryable=True
            ) from None


class SafeConverter(DataConverter):
    """Reads a reference that leads nowhere as a payload that its reader alone refuses.

    The SDK decodes an activation as a whole, before any handler runs: one bad reference in a signal
    would fail every workflow task of its run from then on.
    """

    async def decode_payloads(
        self, payloads: Sequence[Payload], *, reads_blobs: bool = True
    ) -> list[Payload]:
        """Return payloads as `decode` reads them, before they become values; references may stay."""
        read = await self._decode_reference_payload_sequence(payloads)
        if reads_blobs:
            read = await self._external_retrieve_payload_sequence(read)
        return await self._decode_payload_sequence(read)

    async def encode_payloads(self, payloads: Sequence[Payload]) -> list[Payload]:
        """Encrypt payloads if keys are configured, without moving large ones to blobs."""
        return await self._encode_payload_sequence(payloads)

    async def _decode_reference_payload_sequence(
        self, payloads: Sequence[Payload]
    ) -> list[Payload]:
        return await _read_each(super()._decode_reference_payload_sequence, payloads)

    async def _external_retrieve_payload_sequence(
        self, payloads: Sequence[Payload]
    ) -> list[Payload]:
        return await _read_each(super()._external_retrieve_payload_sequence, payloads)


async def _read_each(
    read: Callable[[Sequence[Payload]], Awaitable[list[Payload]]], payloads: Sequence[Payload]
) -> list[Payload]:
    try:
        return await read(payloads)
    except (StoreUnavailable, EngineUnavailable):
        raise  # the task is tried again
    except Exception:  # noqa: BLE001 - whatever a reference holds, it must not wedge the run
        if len(payloads) == 1:
            return [Payload(metadata={"encoding": UNREADABLE})]
    return [found for payload in payloads for found in await _read_each(read, [payload])]


def data_converter(blobs: BlobStore, keys: Mapping[str, bytes] | None = None) -> SafeConverter:
    """Return the data converter of every client, worker and replayer; it encrypts if there are `keys`, given by id."""
    storage = ExternalStorage(drivers=[BlobDriver(blobs)], payload_size_threshold=THRESHOLD_BYTES)
    if not keys:
        return SafeConverter(payload_converter_class=PlainConverter, external_storage=storage)
    return SafeConverter(
        payload_converter_class=PlainConverter,
        external_storage=storage,
        payload_codec=EncryptionCodec(keys),
        failure_converter_class=DefaultFailureConverterWithEncodedAttributes,
    )

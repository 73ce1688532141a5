"""Encrypted payloads: the server's stored data, key rotation, and forged payloads."""

import os
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from temporalio.api.common.v1 import Payload, Payloads, WorkflowExecution
from temporalio.api.enums.v1 import WorkflowTaskFailedCause
from temporalio.api.history.v1 import HistoryEvent
from temporalio.api.update.v1 import Input, Meta, Request
from temporalio.api.workflowservice.v1 import (
    SignalWorkflowExecutionRequest,
    UpdateWorkflowExecutionRequest,
)
from temporalio.client import Client, WorkflowHistory
from temporalio.exceptions import ApplicationError
from temporalio.worker import Replayer, UnsandboxedWorkflowRunner

from contracts.errors import EngineUnavailable
from settings import Settings
from store.blobs import BlobStore
from temporal.encryption import ENCRYPTED, KEY_ID, UNREADABLE, VOUCHER, EncryptionCodec
from tests.support.offline_services import eventually
from tests.support.temporal.clients import client_with
from tests.temporal.test_payloads import kept_files
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.run_harness import Handle, Harness, build
from workflows.message_parser import SafeMessages
from workflows.research import Research

OLD, NEW = {"2026-01": bytes(range(32))}, {"2026-02": bytes(range(1, 33))}
BOTH = NEW | OLD
SECRET = "Where to sell the pumps of Project Nightjar?"
PLAIN = Payload(metadata={"encoding": b"json/plain"}, data=b'{"text": "Nightjar"}')


async def encrypt(keys: Mapping[str, bytes], payload: Payload = PLAIN) -> Payload:
    [encrypted] = await EncryptionCodec(keys).encode([payload])
    return encrypted


async def decrypt(keys: Mapping[str, bytes], payload: Payload) -> Payload:
    [decrypted] = await EncryptionCodec(keys).decode([payload])
    return decrypted


async def test_payload_that_is_encrypted_twice_is_one_blob() -> None:
    first, second = await encrypt(OLD), await encrypt(OLD)
    assert first.SerializeToString(deterministic=True) == second.SerializeToString(
        deterministic=True
    )
    assert b"Nightjar" not in first.SerializeToString()
    assert await decrypt(OLD, first) == PLAIN
    assert (await encrypt(NEW)).data != first.data


async def test_payload_in_clear_is_read_as_it_is() -> None:
    assert await decrypt(OLD, PLAIN) == PLAIN


@given(at=st.integers(0, 200), value=st.integers(1, 255))
@settings(max_examples=50)
async def test_changed_byte_makes_a_payload_unreadable(at: int, value: int) -> None:
    forged = await encrypt(OLD)
    data = bytearray(forged.data)
    data[at % len(data)] ^= value
    forged.data = bytes(data)
    assert (await decrypt(OLD, forged)).metadata["encoding"] == UNREADABLE


@pytest.mark.parametrize("data", [b"", b"short", bytes(11), bytes(12), bytes(500)])
async def test_forged_data_is_unreadable(data: bytes) -> None:
    for key_id in (b"2026-01", b"", b"made-up", b"\xff"):
        for voucher in (b"", bytes(16)):
            forged = Payload(
                metadata={"encoding": ENCRYPTED, KEY_ID: key_id, VOUCHER: voucher}, data=data
            )
            assert (await decrypt(BOTH, forged)).metadata["encoding"] == UNREADABLE


async def test_payload_of_one_key_is_unreadable_under_the_id_of_another() -> None:
    forged = await encrypt(OLD)
    forged.metadata[KEY_ID] = b"2026-02"
    assert (await decrypt(BOTH, forged)).metadata["encoding"] == UNREADABLE


async def test_key_that_a_known_key_vouches_for_is_waited_for() -> None:
    rotated = await encrypt(BOTH)
    assert await decrypt(BOTH, rotated) == PLAIN
    with pytest.raises(EngineUnavailable) as missing:
        await decrypt(OLD, rotated)
    assert missing.value.notice.params == {"key": "2026-02"}
    rotated.metadata[KEY_ID] = b"made-up"
    assert (await decrypt(OLD, rotated)).metadata["encoding"] == UNREADABLE


@pytest.mark.parametrize(
    "keys", ["2026-01", "2026-01:c2hvcnQ=", ":" + 43 * "A" + "=", f"a:{43 * 'A'}=,a:{43 * 'B'}="]
)
def test_malformed_keys_are_refused(keys: str) -> None:
    with pytest.raises(ValidationError, match="ID:KEY"):
        Settings(greenlight_payload_keys=keys)  # type: ignore[arg-type]


def test_keys_are_read_newest_first() -> None:
    text = f"2026-02:{43 * 'B'}=, 2026-01:{43 * 'A'}="
    read = Settings(greenlight_payload_keys=text).payload_keys()  # type: ignore[arg-type]
    assert list(read) == ["2026-02", "2026-01"]
    assert read["2026-01"] == bytes(32)
    assert Settings().payload_keys() == {}


@dataclass
class Encrypted:
    """Runs with encrypted payloads, and the folder of their blobs."""

    runs: Harness
    folder: Path

    @property
    def client(self) -> Client:
        return self.runs.client

    async def start(self) -> Handle:
        """Start a run, and wait until it asks: the message of a query that fails is encrypted."""
        handle = await self.runs.start(SECRET)
        await handle.execute_update("wait")
        return handle

    async def take_over(self, run_id: str) -> Handle:
        """Return a run of a worker that stopped; the server would send it queries for ten seconds more."""
        handle = self.client.get_workflow_handle_for(Research.run, run_id)
        await handle.execute_update("wait")
        return handle


@asynccontextmanager
async def encrypted(
    temporal: Client, folder: Path, queue: str, keys: Mapping[str, bytes], fakes: Fakes
) -> AsyncIterator[Encrypted]:
    client = client_with(temporal, BlobStore(folder.as_uri()), keys)
    async with build(client, queue, fakes):
        yield Encrypted(Harness(client, fakes, queue), folder)


async def test_run_started_under_one_key_is_answered_under_the_next(
    temporal: Client, task_queue: str, tmp_path: Path
) -> None:
    fakes = Fakes()
    async with encrypted(temporal, tmp_path, task_queue, OLD, fakes) as before:
        handle = await before.start()
    async with encrypted(temporal, tmp_path, task_queue, BOTH, fakes) as after:
        handle = await after.take_over(handle.id)
        result = await after.runs.complete(handle)
        assert result.status == "completed"
        history = await handle.fetch_history()
        replayer = Replayer(
            workflows=[Research],
            workflow_runner=UnsandboxedWorkflowRunner(),
            data_converter=after.client.data_converter,
            interceptors=[SafeMessages()],
            debug_mode=True,
        )
        assert (await replayer.replay_workflow(history)).replay_failure is None
        described = (await handle.describe()).raw_description.SerializeToString()
    blobs = b"".join(file.read_bytes() for file in kept_files(tmp_path))
    stored = serialize(history) + described
    assert b"Nightjar" not in stored + blobs
    assert b"encryption-key-id" in stored


def serialize(history: WorkflowHistory) -> bytes:
    """Return a history as bytes; as JSON its payloads would be in base64."""
    return b"".join(event.SerializeToString() for event in history.events)


def list_failed_tasks(events: Iterable[HistoryEvent]) -> list[HistoryEvent]:
    """Return the workflow tasks that failed by themselves, not since more had arrived meanwhile."""
    failed = WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_WORKFLOW_WORKER_UNHANDLED_FAILURE
    return [
        event for event in events if event.workflow_task_failed_event_attributes.cause == failed
    ]


async def forge(client: Client, run_id: str, payload: Payload) -> None:
    """Send a payload as the signal and as the update `steer`, like anyone with access to Temporal."""
    service, execution = client.workflow_service, WorkflowExecution(workflow_id=run_id)
    await service.signal_workflow_execution(
        SignalWorkflowExecutionRequest(
            namespace="default",
            workflow_execution=execution,
            signal_name="steer",
            input=Payloads(payloads=[payload]),
        )
    )
    update = Input(name="steer", args=Payloads(payloads=[payload]))
    await service.update_workflow_execution(
        UpdateWorkflowExecutionRequest(
            namespace="default",
            workflow_execution=execution,
            request=Request(meta=Meta(update_id=os.urandom(4).hex()), input=update),
        )
    )


async def test_forged_payloads_in_messages_wedge_no_run(
    temporal: Client, task_queue: str, tmp_path: Path
) -> None:
    tampered = await encrypt(OLD)
    tampered.data = tampered.data[:-1] + b"\0"
    unknown = Payload(metadata={"encoding": ENCRYPTED, KEY_ID: b"made-up"}, data=b"x")
    borrowed = await encrypt({"2026-03": bytes(32)} | {"2026-00": bytes(32)})
    async with encrypted(temporal, tmp_path, task_queue, OLD, Fakes()) as made:
        handle = await made.start()
        for payload in (tampered, unknown, borrowed):
            await forge(made.client, handle.id, payload)
        assert (await made.runs.complete(handle)).status == "completed"
        assert list_failed_tasks((await handle.fetch_history()).events) == []


@pytest.mark.full  # ten seconds pass until the server tries the task again
async def test_message_under_a_key_that_workers_lack_waits_for_it(
    temporal: Client, task_queue: str, tmp_path: Path
) -> None:
    fakes = Fakes()
    gateway = client_with(temporal, BlobStore(tmp_path.as_uri()), BOTH)
    async with encrypted(temporal, tmp_path, task_queue, OLD, fakes) as made:
        handle = await made.start()
        await gateway.get_workflow_handle(handle.id).signal("steer", {"text": "Look at Nightjar."})

        async def waits() -> Any:
            found = (await handle.describe()).raw_description
            return found.pending_workflow_task.attempt > 1

        assert await eventually(waits)
    async with encrypted(temporal, tmp_path, task_queue, BOTH, fakes) as made:
        handle = await made.take_over(handle.id)
        assert (await made.runs.complete(handle)).status == "completed"
        history = await handle.fetch_history()
    assert list_failed_tasks(history.events), "the workers that lacked the key"


async def test_messages_of_failures_are_encrypted(
    temporal: Client, task_queue: str, tmp_path: Path
) -> None:
    fakes = Fakes()

    def fail(name: str, request: Any) -> None:
        if name == "open":
            raise ApplicationError("Nightjar is unknown", type="not-found", non_retryable=True)

    fakes.before = fail
    async with encrypted(temporal, tmp_path, task_queue, OLD, fakes) as made:
        handle = await made.runs.start(SECRET)
        with pytest.raises(Exception, match="Workflow execution failed") as failed:
            await handle.result()
        assert "Nightjar is unknown" in str(failed.value.__cause__)
        assert b"Nightjar" not in serialize(await handle.fetch_history())

import inspect
import json
from pathlib import Path

import pytest
import temporalio.bridge.worker
from temporalio import workflow
from temporalio.api.common.v1 import Payload, Payloads, WorkflowExecution
from temporalio.api.workflowservice.v1 import SignalWorkflowExecutionRequest
from temporalio.client import Client
from temporalio.common import RawValue
from temporalio.converter import DataConverter
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from contracts.base import Contract
from contracts.notices import Notice
from store.blobs import BlobStore
from temporal.payloads import SafeConverter
from tests.support.temporal.clients import client_with
from workflows.message_parser import SafeMessages, parse_body


class Text(Contract):
    text: str


@workflow.defn
class Echo:
    @workflow.run
    async def run(self, said: Text) -> Text:
        return Text(text=said.text.upper())


def kept_files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize(("chars", "kept"), [(100, 0), (100_000, 2)])
async def test_large_payloads_are_blobs(
    temporal: Client, task_queue: str, tmp_path: Path, chars: int, kept: int
) -> None:
    """The history contains references to a long argument and result, which are stored as blobs by workflow."""
    blobs = BlobStore(tmp_path.as_uri())
    client = client_with(temporal, blobs)
    async with Worker(
        client,
        task_queue=task_queue,
        workflows=[Echo],
        workflow_runner=UnsandboxedWorkflowRunner(),
    ):
        handle = await client.start_workflow(
            Echo.run, Text(text="a" * chars), id=f"echo-{task_queue}", task_queue=task_queue
        )
        assert await handle.result() == Text(text="A" * chars)
    files = kept_files(tmp_path)
    assert len(files) == kept
    assert all(path.parent == tmp_path / BlobStore.PAYLOADS / handle.id for path in files)
    history = (await handle.fetch_history()).to_json()
    assert len(history) < 10_000


@workflow.defn
class Listen:
    """Takes signals until one can be read."""

    def __init__(self) -> None:
        self._refused: list[str] = []
        self._heard = ""

    @workflow.run
    async def run(self) -> list[str]:
        await workflow.wait_condition(lambda: bool(self._heard))
        return [*self._refused, self._heard]

    @workflow.signal
    async def say(self, body: RawValue) -> None:
        self._heard = parse_body(body, Text).text

    async def report_ignored_signal(self, name: str, reason: Notice) -> None:
        self._refused.append(reason.text)


LEGACY = {"encoding": b"json/external-storage-reference"}
MARKED = {"encoding": b"json/plain", "__temporal_external_storage_reference": b"true"}


def reference(key: str, driver: str = "blobs") -> Payload:
    told = {"driver_name": driver, "driver_claim": {"claim_data": {"key": key}}}
    return Payload(metadata=LEGACY, data=json.dumps(told).encode())


async def test_reference_that_cannot_be_read_is_refused_and_wedges_no_run(
    temporal: Client, task_queue: str, tmp_path: Path
) -> None:
    blobs = BlobStore(tmp_path.as_uri())
    page = Payload(metadata={"encoding": b"json/plain"}, data=b'{"text": "secret"}')
    foreign = await blobs.put("tenant", "run", page.SerializeToString())
    garbage = await blobs.put(BlobStore.PAYLOADS, "run", b"no payload")
    hostile = [
        Payload(metadata=LEGACY, data=b'{"key": "x"}'),
        Payload(metadata=LEGACY, data=b"[]"),
        Payload(metadata=LEGACY, data=b"no JSON"),
        Payload(metadata=MARKED, data=b"{}"),
        reference("x", driver="none"),
        reference(f"run/{'0' * 64}"),
        reference("../../etc/passwd"),
        reference(foreign),
        reference(garbage),
    ]
    client = client_with(temporal, blobs)
    async with Worker(
        client,
        task_queue=task_queue,
        workflows=[Listen],
        workflow_runner=UnsandboxedWorkflowRunner(),
        interceptors=[SafeMessages()],
    ):
        handle = await client.start_workflow(
            Listen.run, id=f"listen-{task_queue}", task_queue=task_queue
        )
        for payload in hostile:
            await client.workflow_service.signal_workflow_execution(
                SignalWorkflowExecutionRequest(
                    namespace="default",
                    workflow_execution=WorkflowExecution(workflow_id=handle.id),
                    signal_name="say",
                    input=Payloads(payloads=[payload]),
                )
            )
        await handle.signal("say", Text(text="heard"))
        *refused, heard = await handle.result()
    assert heard == "heard"
    assert len(refused) == len(hostile)
    assert not any("secret" in reason for reason in refused)


OVERRIDDEN = sorted(name for name in vars(SafeConverter) if name.endswith("_payload_sequence"))
IS_UNCHANGED = (
    "(self, payloads: 'Sequence[temporalio.api.common.v1.Payload]')"
    " -> 'list[temporalio.api.common.v1.Payload]'"
)


def test_safe_converter_guards_both_reads_of_a_reference() -> None:
    assert OVERRIDDEN == [
        "_decode_reference_payload_sequence",
        "_external_retrieve_payload_sequence",
    ]


@pytest.mark.parametrize("name", OVERRIDDEN)
def test_private_sdk_method_that_safe_converter_overrides_is_unchanged(name: str) -> None:
    """The SDK promises nothing of these; if it renames one, SafeConverter guards nothing any more."""
    method = getattr(DataConverter, name, None)
    assert method, f"temporalio has no DataConverter.{name} any more: see temporal/payloads.py"
    assert inspect.iscoroutinefunction(method)
    assert str(inspect.signature(method)) == IS_UNCHANGED


@pytest.mark.parametrize("name", [*OVERRIDDEN, "_decode_payload_sequence"])
def test_sdk_worker_decodes_activations_by_the_method(name: str) -> None:
    """What else decoded an activation would not pass SafeConverter."""
    assert f"data_converter.{name}" in inspect.getsource(temporalio.bridge.worker)

from pathlib import Path

import pytest
from temporalio import workflow
from temporalio.client import Client
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from contracts.base import Contract
from store.blobs import BlobStore
from temporal.payloads import data_converter


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
    """A long argument and result stand in the history as references, by workflow in the store."""
    blobs = BlobStore(tmp_path.as_uri())
    config = temporal.config()
    config["data_converter"] = data_converter(blobs)
    client = Client(**config)
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
    assert all(path.parent == tmp_path / "payloads" / handle.id for path in files)
    history = (await handle.fetch_history()).to_json()
    assert len(history) < 10_000

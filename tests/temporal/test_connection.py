import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import ValidationError
from temporalio import activity, workflow
from temporalio.client import Client
from temporalio.service import GrpcCompression
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from greenlight.bootstrap import ROOT
from greenlight.stack.ports import reserve_ports
from settings import Settings
from store.blobs import BlobStore
from temporal.connection import load_connect_options
from temporal.telemetry.prometheus_metrics import make_runtime


@pytest.mark.parametrize(
    ("address", "is_here"),
    [
        ("", True),
        ("127.0.0.1:7233", True),
        ("localhost:7233", True),
        ("[::1]:7233", True),
        ("temporal:7233", False),
        ("10.0.0.9:7233", False),
        ("eu.tmprl.cloud:7233", False),
    ],
)
def test_grpc_is_compressed_except_on_loopback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, is_here: bool
) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", address)
    found = load_connect_options(BlobStore(tmp_path.as_uri()))
    assert (found.get("grpc_compression") == GrpcCompression.NONE) is is_here
    assert found["target_host"] == (address or "127.0.0.1:7233")


@activity.defn
async def measure() -> str:
    return "measured"


@workflow.defn(sandboxed=False)
class Measured:
    @workflow.run
    async def run(self) -> str:
        return await workflow.execute_activity(measure, start_to_close_timeout=timedelta(seconds=9))


async def test_metrics_that_operations_names_are_served_to_prometheus(
    temporal: Client, task_queue: str
) -> None:
    address = f"127.0.0.1:{reserve_ports({'metrics': 0})['metrics']}"
    target = temporal.service_client.config.target_host
    client = await Client.connect(target, runtime=make_runtime(address))
    runner = UnsandboxedWorkflowRunner()
    queue: dict[str, Any] = {"workflows": [Measured], "activities": [measure]}
    async with Worker(client, task_queue=task_queue, **queue, workflow_runner=runner):
        await client.execute_workflow(
            Measured.run, id=f"measured-{task_queue}", task_queue=task_queue
        )
        async with httpx.AsyncClient(trust_env=False) as http:
            served = (await http.get(f"http://{address}/metrics")).text
    for name in (
        "temporal_workflow_task_schedule_to_start_latency_seconds",
        "temporal_worker_task_slots_available",
        "temporal_request_total",
    ):
        assert f"# TYPE {name} " in served, name
    text = (ROOT / "deploy" / "chart" / "templates" / "autoscaling.yaml").read_text("utf-8")
    [scaled_by] = re.findall(r"rate\((\w+_bucket)\{", text)
    [labels, *_] = re.findall(rf"^{scaled_by}\{{(.*?)\}}", served, re.MULTILINE)
    assert {'namespace="default"', f'task_queue="{task_queue}"'} < {*labels.split(",")}, "of KEDA"


@pytest.mark.parametrize("address", ["9464", "127.0.0.1", "127.0.0.1:metrics", "http://here:1/x"])
def test_address_of_metrics_without_a_port_is_refused(address: str) -> None:
    with pytest.raises(ValidationError):
        Settings(greenlight_temporal_metrics=address)

"""A run by the `temporal` program alone: what it starts, answers and approves is a run like any."""

import asyncio
import json
import os
import re
import uuid
from pathlib import Path
from typing import Any

import pytest
from temporalio.api.sdk.v1 import WorkflowMetadata
from temporalio.client import (
    Client,
    WorkflowExecution,
    WorkflowExecutionStatus,
    WorkflowHandle,
)

from contracts.problems import Problem
from greenlight.stack.temporal_server import find_program
from temporal.side_workflows.sweep_schedule import sweep_id
from tests.support.offline_services import eventually
from tests.support.stack import QUESTION, Run, Undisturbed, Whole
from tests.workflows.start.test_forged_start import FORGED


@pytest.mark.full
async def test_a_run_by_the_temporal_program_alone(whole: Whole) -> None:
    run = whole.run(f"by-hand-{uuid.uuid4().hex[:8]}")
    it = ("--workflow-id", run.id)
    where = ("--type", "Research", "--task-queue", "research")
    await whole.temporal("workflow", "start", *it, *where, given={"query": QUESTION})
    await run.asks("questions")
    shown = await whole.temporal("workflow", "query", *it, "--type", "state")
    assert '"kind":"questions"' in shown.replace(" ", "")
    update = ("workflow", "update", "execute")
    await whole.temporal(*update, *it, "--name", "answer_questions", given={"rest": None})
    await run.asks("decision")
    await whole.temporal("workflow", "signal", *it, "--name", "approve_plan")
    state = await run.completed()
    assert [(d.action, d.by) for d in state.decisions] == [("approve", "cli")]
    listed = (await whole.http.get("/v1/runs", params={"limit": 200})).json()["items"]
    [row] = [row for row in listed if row["run_id"] == run.id]
    assert (row["status"], row["query"]) == ("completed", QUESTION)
    assert row["usage"]["calls"] == len(await whole.ledger(run)) > 0
    told = await whole.temporal("workflow", "query", *it, "--type", "report", "--output", "json")
    assert json.loads(told)["queryResult"] == [await run.report()]


async def test_temporal_schedule_starts_runs(whole: Whole) -> None:
    """Temporal appends the time to a scheduled workflow's id, with colons; each is a run of its own."""
    name = f"weekly-{uuid.uuid4().hex[:8]}"
    where = ("--type", "Research", "--task-queue", "research", "--workflow-id", name)
    it = ("--schedule-id", name)
    start = {"query": QUESTION}
    await whole.temporal("schedule", "create", *it, *where, "--interval", "7d", given=start)
    await whole.temporal("schedule", "trigger", *it)

    async def list_started() -> list[str]:
        found = await whole.http.get("/v1/runs", params={"id_prefix": name})
        return [row["run_id"] for row in found.json()["items"]]

    [run_id] = await eventually(list_started)
    assert ":" in run_id
    run = whole.run(run_id)
    await run.asks("questions")
    await whole.http.post(f"/v1/runs/{run_id}/cancel", json={})
    assert (await whole.http.get(f"/v1/runs/{run_id}/phases")).status_code == 200
    await whole.temporal("schedule", "delete", *it)


@pytest.mark.parametrize(
    "field",
    [pytest.param(field, marks=() if field == "state" else pytest.mark.full) for field in FORGED],
)
async def test_a_forged_start_by_the_temporal_program_ends_before_any_call(
    whole: Whole, field: str
) -> None:
    run = Run(whole.http, f"forged-{uuid.uuid4().hex[:8]}")
    it = ("--workflow-id", run.id)
    where = ("--type", "Research", "--task-queue", "research")
    start = {"query": QUESTION, field: FORGED[field]}
    with pytest.raises(AssertionError, match="workflow failed"):
        await whole.temporal("workflow", "execute", *it, *where, given=start)
    shown = json.loads(await whole.temporal("workflow", "show", *it, "--output", "json"))
    failure = shown["events"][-1]["workflowExecutionFailedEventAttributes"]["failure"]
    refused = {"state": Problem.at("state", "state-not-yours")}
    told = refused.get(field, Problem.at(f"input.{field}", "value-unknown-field"))
    assert failure["message"] == told.placed.text
    assert [*await whole.ledger(run), *await whole.ledger(run, "tool")] == []


@pytest.mark.full
async def test_whoever_starts_a_run_sees_what_it_asks_and_pastes_the_line_shown(
    whole: Whole, tmp_path: Path
) -> None:
    run = whole.run(f"by-hand-{uuid.uuid4().hex[:8]}")
    it = ("--workflow-id", run.id)
    where = ("--type", "Research", "--task-queue", "research")
    question = "What's better for wind power, Brazil or Argentina?"
    await whole.temporal("workflow", "start", *it, *where, given={"query": question})
    wait = ("workflow", "update", "execute", *it, "--name", "wait")
    assert "--name answer_questions" in await whole.temporal(*wait)
    client = await Client.connect(whole.stack.addresses.temporal)
    handle = client.get_workflow_handle(run.id)
    memo = await (await handle.describe()).memo()
    assert memo == {"question": question, "definition": "deep_research"}
    for kind in ("answer_questions", "decide"):
        shown = (await metadata(handle)).current_details
        assert shown.startswith(f"**{question}**\n\n")
        assert "Status: waiting" in shown
        assert not re.search(r"^ +[-*] ", shown, re.MULTILINE), "nested lists become one line"
        [line] = re.findall(r"```\n(temporal .*?)\n```", shown, re.DOTALL)
        assert f"--address {whole.stack.addresses.temporal}" in line
        assert f"--name {kind}" in line
        assert max(map(len, line.splitlines()[:-1])) < 80
        await paste(line, tmp_path)
        if kind == "answer_questions":
            assert "Allowed: approve" in await whole.temporal(*wait)
    assert (await run.completed()).query == question
    assert "**completed**" not in (await metadata(handle)).current_details
    assert "completed" in (await metadata(handle)).current_details


async def test_everything_in_a_timeline_says_what_it_is(
    undisturbed: Undisturbed, whole: Whole
) -> None:
    client = await Client.connect(whole.stack.addresses.temporal)
    handle = client.get_workflow_handle(undisturbed.run.id)
    begun = [
        event
        async for event in handle.fetch_history_events()
        if event.HasField("timer_started_event_attributes")
        or event.HasField("activity_task_scheduled_event_attributes")
    ]
    assert begun
    assert not [event for event in begun if not event.user_metadata.summary.data]


async def test_one_sweep_is_at_work_and_goes_on(whole: Whole) -> None:
    client = await Client.connect(whole.stack.addresses.temporal)
    sweep = client.get_schedule_handle(sweep_id("research"))
    for _ in range(2):
        await sweep.trigger()

    async def listed() -> list[WorkflowExecution]:
        return [each async for each in client.list_workflows('WorkflowType = "Sweep"')]

    [only] = await eventually(listed)
    looked = client.get_workflow_handle(only.id)

    async def waits() -> bool:
        return bool((await looked.describe()).history_length > 8)

    await eventually(waits)
    assert [each.status for each in await listed()] == [WorkflowExecutionStatus.RUNNING]


async def metadata(handle: WorkflowHandle[Any, Any]) -> WorkflowMetadata:
    found = await handle.query("__temporal_workflow_metadata", result_type=WorkflowMetadata)
    assert isinstance(found, WorkflowMetadata)
    return found


async def paste(line: str, where: Path) -> None:
    """Run a line in a shell that finds the `temporal` program."""
    path = f"{Path(find_program()).parent}:{os.environ['PATH']}"
    process = await asyncio.create_subprocess_exec(
        *("bash", "-c", line), cwd=where, env={**os.environ, "PATH": path}
    )
    assert await process.wait() == 0, line

"""A run by the `temporal` program alone: what it starts, answers and approves is a run like any."""

import json
import uuid

import pytest

from tests.stack import QUESTION, Run, Whole
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


@pytest.mark.parametrize("field", FORGED)
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
    assert field in failure["message"]
    assert [*await whole.ledger(run), *await whole.ledger(run, "tool")] == []

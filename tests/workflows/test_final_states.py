"""Tests need not replay a run for what a query returns of it."""

from temporalio.client import Client
from temporalio.contrib.pydantic import pydantic_data_converter

from tests.workflows.support.run_harness import harness
from workflows.research import Research


async def test_kept_answers_are_those_of_a_replayed_run(quick_temporal: Client) -> None:
    plain = Client(quick_temporal.service_client, data_converter=pydantic_data_converter)
    async with harness(quick_temporal) as runs:
        handle = await runs.start()
        await runs.complete(handle)
        replayed = plain.get_workflow_handle_for(Research.run, handle.id)
        assert await runs.state(handle) == await replayed.query(Research.state)
        assert await handle.query("report") == await replayed.query("report") != ""

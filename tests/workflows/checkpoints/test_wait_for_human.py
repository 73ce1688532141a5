"""Days pass at a checkpoint in the time a test has."""

from datetime import datetime, timedelta

from temporalio.testing import WorkflowEnvironment

from tests.workflows.support.run_harness import harness


async def test_six_days_are_waited_and_the_seventh_rejects(
    time_skipping: WorkflowEnvironment,
) -> None:
    async with harness(time_skipping.client) as runs:
        patient = await runs.start()
        await runs.answer(patient)
        await runs.asked(patient, "checkpoint")
        await time_skipping.sleep(timedelta(days=6))
        await runs.decide(patient, "approve")
        assert (await patient.result()).status == "completed"

        forgotten = await runs.start()
        await runs.answer(forgotten)
        await runs.asked(forgotten, "checkpoint")
        await time_skipping.sleep(timedelta(days=7, minutes=1))
        assert (await forgotten.result()).status == "rejected"
        searches = len(runs.fakes.searches)
        assert searches == 1


async def test_a_pause_takes_no_time_from_who_is_asked(time_skipping: WorkflowEnvironment) -> None:
    async with harness(time_skipping.client) as runs:
        handle = await runs.start()
        await runs.answer(handle)
        asked = await runs.asked(handle, "checkpoint")
        await time_skipping.sleep(timedelta(days=1))
        await runs.update(handle, "set_paused", {"paused": True})
        await time_skipping.sleep(timedelta(days=10))
        assert (await runs.state(handle)).status == "paused"
        await runs.update(handle, "set_paused", {"paused": False})
        later = await runs.asked(handle, "checkpoint")
        put_off = [datetime.fromisoformat(s.pending[0].deadline) for s in (asked, later)]
        assert timedelta(days=10) <= put_off[1] - put_off[0] < timedelta(days=10, hours=1)
        await time_skipping.sleep(timedelta(days=5))
        assert (await runs.state(handle)).pending
        await time_skipping.sleep(timedelta(days=1, hours=2))
        assert (await handle.result()).status == "rejected"

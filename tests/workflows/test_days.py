"""Days pass at a checkpoint in the time a test has."""

from datetime import timedelta

from temporalio.testing import WorkflowEnvironment

from tests.workflows.harness import harness


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

"""The `AskProvider` workflow: a worker asks a provider once whether it answers."""

from temporalio import workflow

from activities.providers.provider_test import ProviderTestActivities
from contracts.models.provider_test import ProviderAnswer, ProviderTest
from workflows.runtime.activity_timeouts_and_retries import execute_activity


@workflow.defn(name="AskProvider")
class AskProvider:
    """Started by the gateway, at most once at a time for each provider and model."""

    @workflow.run
    async def run(self, asked: ProviderTest) -> ProviderAnswer:
        """Return how the provider answered."""
        named = asked.model_copy(update={"test_id": workflow.info().run_id})
        return await execute_activity(
            ProviderTestActivities.test, named, summary=f"test the {asked.provider} provider"
        )

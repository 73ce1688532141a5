"""Client of the workflow that tests a provider."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

from temporalio.client import Client, WorkflowFailureError
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.exceptions import TemporalError
from temporalio.service import RPCError

from contracts.errors import EngineUnavailable
from contracts.models.provider_test import ProviderAnswer, ProviderTest
from contracts.notices import Notice
from temporal.task_queues.priorities import build_priority

WAIT_SECONDS = 25.0
"""Longer than an activity may take: then no worker took it on."""


class ProviderTester:
    """Client of the workflow that sends a test request to a provider; concurrent tests of one provider are shared."""

    def __init__(self, client: Client, task_queue: str, count: Callable[[str], None]) -> None:
        """Use `client`; call `count` with the tenant's id before each test. It raises if there are too many."""
        self._client = client
        self._task_queue = task_queue
        self._count = count

    async def test(self, asked: ProviderTest) -> ProviderAnswer:
        """Return how the provider answered.

        Raises:
            EngineUnavailable: Temporal is unreachable, or no worker made the request in time.
        """
        self._count(asked.principal.tenant_id)
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                answer: ProviderAnswer = await self._client.execute_workflow(
                    "AskProvider",
                    asked,
                    id=f"test-{self._task_queue}-{asked.provider}-{asked.model or asked.server}",
                    task_queue=self._task_queue,
                    result_type=ProviderAnswer,
                    id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
                    execution_timeout=timedelta(seconds=WAIT_SECONDS),
                    priority=build_priority(
                        asked.principal.tenant_id, asked.principal.user_id or ""
                    ),
                )
                return answer
        except (TimeoutError, WorkflowFailureError):
            raise EngineUnavailable(Notice.of("provider-untested")) from None
        except (RPCError, RuntimeError, TemporalError) as error:
            raise EngineUnavailable(Notice.of("engine-said", reason=str(error))) from error

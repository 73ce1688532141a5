"""Answers queries of completed runs with what their workflows return at the end.

To answer such a query, a worker replays the whole run, which was a third of all workflow code that tests ran. With
`--all` it does; by default only the tests of replay do.
"""

from typing import Any

from temporalio import client, worker, workflow

from tests.support.temporal.sandbox import WorkflowRunners
from workflows.research import Research


class FinalStates(client.Interceptor, worker.Interceptor):
    """Interceptor of a client and its workers that shares the answers of completed runs between them."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], Any] = {}

    def intercept_client(self, next: client.OutboundInterceptor) -> client.OutboundInterceptor:
        return _Client(next, self.kept)

    def workflow_interceptor_class(
        self, input: worker.WorkflowInterceptorClassInput
    ) -> type[worker.WorkflowInboundInterceptor] | None:
        kept = self.kept

        class Keeper(worker.WorkflowInboundInterceptor):
            async def execute_workflow(self, input: worker.ExecuteWorkflowInput) -> Any:
                result = await super().execute_workflow(input)
                run = workflow.instance()
                if isinstance(run, Research):
                    name = workflow.info().workflow_id
                    kept[name, "state"] = run.state().model_copy(deep=True)
                    kept[name, "report"] = run.report()
                return result

        return None if WorkflowRunners.is_complete else Keeper


class _Client(client.OutboundInterceptor):
    def __init__(self, following: client.OutboundInterceptor, kept: dict[tuple[str, str], Any]):
        super().__init__(following)
        self._kept = kept

    async def query_workflow(self, input: client.QueryWorkflowInput) -> Any:
        answer = self._kept.get((input.id, input.query))
        fits = isinstance(answer, input.ret_type or str)
        return answer if fits else await super().query_workflow(input)

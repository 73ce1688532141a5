"""Temporal's sandbox, in which tests run and replay workflows; workers do without it."""

from temporalio.worker import UnsandboxedWorkflowRunner, WorkflowRunner
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions


def workflow_runner() -> WorkflowRunner:
    """Return a runner that refuses at run time what the sandbox forbids (docs/decisions/0011).

    Our rooms pass through: their modules hold no state, and a test reads workflow code for what
    the sandbox would catch.
    """
    rooms = ("workflows", "domain", "contracts", "activities")
    passed = (*rooms, "pydantic", "pydantic_core", "annotated_types", "opentelemetry")
    allowed = SandboxRestrictions.default.with_passthrough_modules(*passed)
    return SandboxedWorkflowRunner(restrictions=allowed)


UNTIMED = True
"""The `debug_mode` of tests' workers: Temporal's limit of two seconds a workflow task is off.

On a busy machine a task takes longer. The limit then raises an error in its thread, which Python drops inside a callback of
the garbage collector; the worker waits for that task forever when it is stopped.
"""


class WorkflowRunners:
    """The runner of workflow tests that do not choose one."""

    is_complete = True
    """Set by the session: False in the default run (`-m "not full"`)."""

    @classmethod
    def choose(cls) -> WorkflowRunner:
        """Return the sandbox in a complete run; else the runner of workers, which takes a quarter less."""
        return workflow_runner() if cls.is_complete else UnsandboxedWorkflowRunner()

"""Temporal's sandbox, in which tests carry out and replay workflows; workers do without it."""

from temporalio.worker import WorkflowRunner
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions


def workflow_runner() -> WorkflowRunner:
    """Return a runner that refuses at run time what the sandbox forbids (docs/decisions/0011).

    Our rooms pass through: their modules hold no state, and a test reads workflow code for what
    the sandbox would catch.
    """
    rooms = ("workflows", "domain", "contracts", "activities")
    passed = (*rooms, "pydantic", "pydantic_core", "annotated_types")
    allowed = SandboxRestrictions.default.with_passthrough_modules(*passed)
    return SandboxedWorkflowRunner(restrictions=allowed)

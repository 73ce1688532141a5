"""What the parts of `control` share: its config and inputs, its run, the cursor that says how far it is."""

from dataclasses import dataclass

from contracts.agents.steps import StepCursor
from contracts.phases.control import ControlConfig, ControlInput, WorkRole
from contracts.planning.plan import Plan, PlanStep
from workflows.phase_context.context import PhaseContext
from workflows.phases.idea_generation import list_objections

WEB_ROLE: WorkRole = "researcher"
"""The role that searches and reads; it also does steps of unknown roles."""


@dataclass(frozen=True)
class StepContext:
    """A `control` phase in its run; the cursor is complete whenever the phase waits."""

    config: ControlConfig
    given: ControlInput
    run: PhaseContext

    @property
    def cursor(self) -> StepCursor:
        """The finished steps, and the attempts at the current one."""
        return self.run.me.progress.steps

    @property
    def plan(self) -> Plan:
        """The current plan, which a human may change between steps."""
        return self.run.humans.find_plan() or self.given.plan

    @property
    def objections(self) -> list[str]:
        """The critic's objections to the plan's idea."""
        return list_objections(self.given, offline=self.run.state.terms.by_rule)


def choose_role(step: PlanStep) -> WorkRole:
    """Return the role that does a step: the engineer if it is named, else the researcher."""
    return "engineer" if step.agent_role.casefold() == "engineer" else WEB_ROLE

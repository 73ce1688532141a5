"""`planning_and_control`: plan and do, without the web."""

from contracts.definitions import Definition
from contracts.phases.control import ControlConfig, ControlPhase
from contracts.phases.planning import PlanningPhase

PLANNING_AND_CONTROL = Definition(
    id="planning_and_control",
    title="Plan and do",
    description="Plans and does the plan from what is known, without the web and without a human.",
    is_preset=True,
    phases=[
        PlanningPhase(),
        ControlPhase(config=ControlConfig(web=False)),
    ],
)

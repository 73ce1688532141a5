"""Differences between two plans, as data."""

from pydantic import Field, JsonValue

from contracts.base import Contract


class PlanChange(Contract):
    """A field that differs between a plan and its previous version."""

    path: str = Field(
        description="a field of the plan, e.g. `max_age_days`, one of a step, e.g. "
        "`steps[1].agent_role`, or a whole step that only one of the two plans has; steps count from 0"
    )
    before: JsonValue = Field(description="null: nothing was set, or the step was not there")
    after: JsonValue = Field(description="null: nothing is set, or the step is not there")

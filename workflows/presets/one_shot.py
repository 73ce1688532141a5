"""`one_shot`: one agent at once."""

from contracts.definitions import Definition
from contracts.phases.one_shot import OneShotPhase

ONE_SHOT = Definition(
    id="one_shot",
    title="Quick task",
    description="One agent does it at once: no plan, no web.",
    is_preset=True,
    phases=[
        OneShotPhase(),
    ],
)

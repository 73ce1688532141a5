"""One attempt at a phase: the state that the parts of its context share, and what is bound to it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel, JsonValue

from contracts.phases.base import PhaseBase
from contracts.report.research import Brief, PlanRole
from contracts.runs.state import PhaseState, RunState
from workflows.runtime.phase_timer import Clock, PhaseTimer

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True)
class Attempt:
    """A phase of a run at work, with its own time."""

    state: RunState
    phase: PhaseBase
    me: PhaseState
    timer: PhaseTimer
    clock: Clock
    find_plan_roles: Callable[[], list[PlanRole]]
    """Returns those who work on a plan's steps in the phases after this one."""

    def list_values(self, need: str) -> list[JsonValue]:
        """Return the value of every provider that a need is bound to, in the definition's order."""
        field = need.rpartition(".")[2]
        return [(phase.output or {}).get(field) for phase in self.state.providers(self.me.id, need)]

    def find(self, need: str, model: type[Model]) -> Model | None:
        """Return the value of the first bound provider as a model; None where nobody provides it."""
        value = next(iter(self.list_values(need)), None)
        return None if value is None else model.model_validate(value)

    @property
    def brief(self) -> Brief:
        """The clarified question; the question as it was put where nothing clarified it."""
        return self.find("brief", Brief) or Brief(query=self.state.request.query)

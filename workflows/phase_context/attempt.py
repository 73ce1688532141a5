"""One attempt at a phase: the state shared by the parts of its context, and its bindings."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

from pydantic import BaseModel, JsonValue

from contracts.phases.base import Need, PhaseBase, PhaseInput
from contracts.planning.brief import Brief
from contracts.planning.plan import Plan, PlanRole
from contracts.runs.state import PhaseState, RunState
from domain.run_outputs import find_output_as
from workflows.runtime.phase_timeout_and_pauses import PhaseTimer
from workflows.runtime.workflow_clock import Clock

Model = TypeVar("Model", bound=BaseModel)
Input = TypeVar("Input", bound=PhaseInput)


@dataclass(frozen=True)
class Attempt:
    """A phase being executed, with its timer."""

    state: RunState
    phase: PhaseBase
    me: PhaseState
    timer: PhaseTimer
    clock: Clock
    find_plan_roles: Callable[[], list[PlanRole]]
    """Returns those who work on a plan's steps in the phases after this one."""

    @property
    def today(self) -> str:
        """Return the day on which the phase began, ISO 8601, UTC.

        Prompts name this day, so that a call that is built again after midnight is the same call.
        """
        return (self.me.started_at or self.clock.now())[:10]

    @property
    def as_of(self) -> str | None:
        """Return the run's `as_of` date (ISO) if it is in the past; None otherwise.

        The approved plan's date takes precedence over the start request's.
        """
        plan = find_output_as(self.state, "plan", Plan)
        return self.find_past_day(plan and plan.as_of, self.state.request.inputs.get("as_of"))

    def find_past_day(self, *days: object) -> str | None:
        """Return the first day that is given, if it is before today: as of today, nothing differs from now."""
        day = str(next(filter(None, days), ""))
        return day if "" < day < self.today else None

    def describe_day(self) -> str:
        """Return for a prompt which day it is, and as of which the run asks, if of a past one."""
        today = f"Today is {self.today}."
        if not self.as_of:
            return today
        return f"{today} The request asks as of {self.as_of}: that day is its present."

    def find_provider(self, need: str) -> str | None:
        """Return the id of the phase that a need is bound to and that has settled with output."""
        return next((phase.id for phase in self.state.providers(self.me.id, need)), None)

    def find(self, name: str, model: type[Model]) -> Model | None:
        """Return the value of the first bound provider as a model; None if no phase provides it."""
        values = self._list_values(Need(name))
        return model.model_validate(values[0]) if values else None

    def read_inputs(self, model: type[Input], needs: Iterable[Need]) -> Input:
        """Return what earlier phases gave under the needs of this one, as the input of its kind.

        Raises:
            ValidationError: A value is not what its field says.
        """
        found: dict[str, object] = {}
        named: dict[str, object] = {}
        for need in needs:
            values = self._list_values(need)
            if need.anything or need.for_review:
                providers = self.state.providers(self.me.id, need.name)
                found[need.name] = {phase.id: phase.output for phase in providers}
            elif need.path:
                named |= self._name_values(need)
            elif values:
                found[need.name] = _join(values, need)
        return model.model_validate({**found, "named": named})

    def _name_values(self, need: Need) -> dict[str, JsonValue]:
        """Return the value that a config names; those of several providers with their phases' ids before it."""
        providers = self.state.providers(self.me.id, need.name)
        found = {phase.id: (phase.output or {}).get(need.value) for phase in providers}
        if len(found) < 2:
            return {need.name: next(iter(found.values()), None)}
        return {f"{name}.{need.value}": v for name, v in found.items() if v is not None}

    def _list_values(self, need: Need) -> list[JsonValue]:
        """Return the values that the providers of a need gave, in the definition's order."""
        providers = self.state.providers(self.me.id, need.name)
        values = ((phase.output or {}).get(need.value) for phase in providers)
        return [value for value in values if value is not None]

    @property
    def brief(self) -> Brief:
        """The clarified question, or the original one if it was not clarified."""
        return self.find("brief", Brief) or Brief(query=self.state.request.query)


def _join(values: list[JsonValue], need: Need) -> object:
    """Return the value that a need takes of those that its providers gave."""
    lists = [value for value in values if isinstance(value, list)] if need.many else []
    if need.longest:
        return max(lists, key=len, default=[])
    return list(chain.from_iterable(lists)) if need.many else values[0]

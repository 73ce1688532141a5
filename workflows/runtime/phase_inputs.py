"""What a phase is given: the run's question and inputs, and what earlier phases gave."""

from typing import TypeVar

from pydantic import BaseModel, JsonValue

from contracts.errors import InvalidInput
from contracts.evidence.sources import Source
from contracts.report.research import Brief
from contracts.runs.state import PhaseState, RunState

Model = TypeVar("Model", bound=BaseModel)


class Given:
    """The read side of a phase's context."""

    me: PhaseState

    @property
    def state(self) -> RunState:
        """The run's whole state."""
        raise NotImplementedError

    def _givers(self, need: str) -> list[PhaseState]:
        bound = self.state.resolved.bindings[self.me.id].get(need, ())
        return [phase for phase in map(self.state.phase, bound) if phase.gave]

    def provider(self, need: str) -> str | None:
        """Return the id of the phase that a need is bound to and that has settled with output."""
        return next((phase.id for phase in self._givers(need)), None)

    def need(self, name: str) -> JsonValue:
        """Return the bound provider's value; None where nobody provides it."""
        return next(iter(self.needs(name)), None)

    def needs(self, name: str) -> list[JsonValue]:
        """Return the value of every provider that a need is bound to, in the definition's order."""
        field = name.rpartition(".")[2]
        return [(phase.output or {}).get(field) for phase in self._givers(name)]

    def need_as(self, name: str, model: type[Model]) -> Model | None:
        """Return the bound provider's value as a model; None where nobody provides it."""
        value = self.need(name)
        return None if value is None else model.model_validate(value)

    def need_list(self, name: str, model: type[Model]) -> list[Model]:
        """Return the lists of the bound providers as one of models; empty where nobody provides it."""
        lists = [value for value in self.needs(name) if isinstance(value, list)]
        return [model.model_validate(item) for value in lists for item in value]

    def sources(self) -> list[Source]:
        """Return the pages read by the bound providers: each one's are a beginning of the next's."""
        lists = [value for value in self.needs("sources") if isinstance(value, list)]
        return [Source.model_validate(item) for item in max(lists, key=len, default=[])]

    def page(self, number: int) -> Source:
        """Return one of the run's pages; raises InvalidInput where none has that number."""
        if not 0 < number <= len(self.state.sources):
            raise InvalidInput(f"source: {number} is none of the run's {len(self.state.sources)}")
        return self.state.sources[number - 1]

    def inputs(self, model: type[Model]) -> Model:
        """Return what the start said in `inputs` that this phase reads."""
        given = self.state.request.inputs
        return model.model_validate({n: given[n] for n in model.model_fields if n in given})

    @property
    def brief(self) -> Brief:
        """The clarified question; the question as it was put where nothing clarified it."""
        return self.need_as("brief", Brief) or Brief(query=self.state.request.query)

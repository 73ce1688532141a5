"""What a kind of phase is: the line that `phases/__init__.py` registers it by."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal

from contracts.base import Contract
from contracts.phase import PhaseBase
from contracts.report.research import PlanRole
from workflows.runtime.context import PhaseContext


@dataclass(frozen=True)
class Need:
    """A value a phase takes from an earlier one.

    Without `required` the phase also runs when nobody provides it.
    With `many` it takes every provider's, `at_least` so many.
    With `anything` it takes a whole output, whatever its kind, and the name is no more than a name.
    A name `phase.value` takes the value from that phase alone.
    """

    name: str
    required: bool = True
    many: bool = False
    at_least: int = 1
    anything: bool = False
    path: str = ""
    """Where in its phase a definition asks for it, if in no `bind`."""

    @property
    def giver(self) -> str:
        """The phase that alone may provide it; empty: the nearest."""
        return self.name.rpartition(".")[0]

    @property
    def value(self) -> str:
        """What it is called in its provider's output."""
        return self.name.rpartition(".")[2]

    def of(self, i: int) -> str:
        """Return where the need of a definition's phase is to be mended."""
        return f"phases[{i}].{self.path or f'bind.{self.name}'}"


@dataclass(frozen=True)
class Tokens:
    """How many tokens a phase is expected to read and write, and what each search and step adds.

    `slack` is what its calls in flight may reserve beyond that, in written tokens.
    """

    input: int = 0
    output: int = 0
    search_input: int = 0
    search_output: int = 0
    step_input: int = 0
    step_output: int = 0
    slack: int = 0
    role: str = ""
    """Whose model reads and writes them."""


@dataclass(frozen=True)
class Kind:
    """A kind of phase: its config, its handler, and what others must know of it."""

    phase: type[PhaseBase]
    handler: Callable[[Any, PhaseContext], Awaitable[Contract]]
    output: type[Contract]
    title: str
    description: str
    category: str
    icon: str
    needs: Callable[[Any], tuple[Need, ...]] = lambda _: ()
    inputs: Callable[[Any], type[Contract] | None] = lambda _: None
    """What such a phase reads of a run's `inputs`."""
    web: Callable[[Any], bool] = lambda _: False
    waits: bool = False
    content: bool = True
    """Whether its output is something to read on; a decision is not."""
    plans_for: Callable[[Any], tuple[PlanRole, ...]] = lambda _: ()
    """Who works on a plan's steps in such a phase."""
    agents: Callable[[Any], tuple[str, ...]] = lambda _: ()
    tokens: Callable[[Any], tuple[Tokens, ...]] = lambda _: ()
    cacheable: Callable[[Any], bool] = lambda _: False
    """Whether a later run may take over its output, where all that the phase reads is the same."""
    prompts: tuple[str, ...] = ()
    """What it tells models, beside the inputs; of a kind that may be cached."""
    drafts: tuple[type[Contract], ...] = ()
    """The forms of answers it asks models for; of a kind that may be cached."""
    version: int = 1
    """To be raised when its code makes something else of the same inputs."""

    clarifies: bool = False
    """Whether a run is still about its question while such a phase is at work."""

    @property
    def stage(self) -> Literal["clarify", "plan", "execute"]:
        """The stage of a run at such a phase."""
        if self.category == "execute":
            return "execute"
        return "clarify" if self.clarifies else "plan"

    @property
    def name(self) -> str:
        """What definitions call it."""
        return str(self.phase.model_fields["kind"].default)

    @property
    def provides(self) -> tuple[str, ...]:
        """The names under which others may need this kind's output."""
        return tuple(self.output.model_fields)

    def meets(self, need: Need) -> bool:
        """Whether this kind's output is what a need asks for."""
        return self.content if need.anything else need.value in self.provides

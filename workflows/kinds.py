"""What a kind of phase is: the line that `phases/__init__.py` registers it by."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from contracts.base import Contract
from contracts.phases.base import PhaseBase
from workflows.context import PhaseContext


@dataclass(frozen=True)
class Need:
    """A value a phase takes from an earlier one.

    Without `required` the phase also runs when nobody provides it.
    With `many` it takes every provider's, `at_least` so many.
    """

    name: str
    required: bool = True
    many: bool = False
    at_least: int = 1


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
    reads: tuple[str, ...] = field(default=())
    web: Callable[[Any], bool] = lambda _: False
    waits: bool = False
    agents: Callable[[Any], tuple[str, ...]] = lambda _: ()
    tokens: Callable[[Any], tuple[Tokens, ...]] = lambda _: ()

    @property
    def name(self) -> str:
        """What definitions call it."""
        return str(self.phase.model_fields["kind"].default)

    @property
    def provides(self) -> tuple[str, ...]:
        """The names under which others may need this kind's output."""
        return tuple(self.output.model_fields)

"""A kind of phase, as `phases/__init__.py` registers it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic, Literal, Self, TypeVar, get_type_hints

from contracts.base import Contract
from contracts.definitions import Definition
from contracts.phases.base import Need, Needs, PhaseBase, PhaseInput
from contracts.planning.plan import PlanRole
from contracts.words import say
from workflows.phase_context.context import PhaseContext
from workflows.phase_context.expected_tokens import Searches, Tokens

P = TypeVar("P", bound=PhaseBase)
I = TypeVar("I", bound=PhaseInput)  # noqa: E741 - the input, beside the phase and the output
O = TypeVar("O", bound=Contract)  # noqa: E741


@dataclass(frozen=True)
class Kind(Generic[P, I, O]):
    """A kind of phase: its handler, and what the interpreter, the gateway and the cost model must know.

    The handler's signature says which phases it takes, from which input it makes which output.
    """

    handler: Callable[[P, I, PhaseContext], Awaitable[O]]
    category: Literal["clarify", "plan", "execute"]
    """Also the stage of a run at such a phase."""
    icon: str
    title: str = ""
    description: str = ""
    """Both are left out by a kind that ships: the catalogues have its words."""
    adapt_needs: Callable[[P, Needs], Needs] = lambda _, needs: needs
    """Returns the needs that its input states as the config of a phase would have them."""
    inputs: Callable[[P], type[Contract] | None] = lambda _: None
    """Model of what such a phase reads of a run's `inputs`."""
    subjects: Callable[[Contract], int] = lambda _: 1
    """How many things a start's `inputs` set side by side."""
    web: Callable[[P], bool] = lambda _: False
    filings: Callable[[P], bool] = lambda _: False
    """True if such a phase reads filings from EDGAR, unless it needs `fundamentals` that another provides."""
    gathers: bool = False
    """True if code alone collects what such a phase gives: it asks no model."""
    waits: bool = False
    content: bool = True
    """True if later phases may read its output whole; they may not read a decision."""
    heeds_feedback: bool = True
    """True if its prompts include the changes a human asked for."""
    plans_for: Callable[[P], tuple[PlanRole, ...]] = lambda _: ()
    """Roles that work on a plan's steps in such a phase."""
    agents: Callable[[P], tuple[str, ...]] = lambda _: ()
    tokens: Callable[[P], tuple[Tokens, ...]] = lambda _: ()
    searches: Callable[[P], Searches] = lambda _: Searches()
    """The searches that such a phase is expected to make, whose fees are part of its price."""
    costs_nothing: Callable[[P, Definition], bool] = lambda _, __: False
    """True if such a phase of a definition is expected to make no call, although it may have to."""
    cacheable: Callable[[P], bool] = lambda _: False
    """True if the step cache may hold its output: a later run whose phase reads the same takes it over."""
    prompts: tuple[str, ...] = ()
    """Its prompts to models, without the inputs; required for a cacheable kind."""
    drafts: tuple[type[Contract], ...] = ()
    """Models of the answers it asks for; needed of a cacheable kind."""
    version: int = 1
    """To be raised when its code makes something else of the same inputs."""

    @cached_property
    def _types(self) -> Mapping[str, Any]:
        """The types in the handler's signature, in its order, and what it returns."""
        return get_type_hints(self.handler)

    @property
    def phase(self) -> type[P]:
        """Model of its nodes in definitions."""
        node: type[P] = next(iter(self._types.values()))
        return node

    @property
    def input(self) -> type[I]:
        """Model of what it takes from earlier phases: its fields are the kind's needs."""
        _, taken, *_ = self._types.values()
        return taken  # type: ignore[no-any-return]

    @property
    def output(self) -> type[O]:
        """Model of what it gives to later phases."""
        given: type[O] = self._types["return"]
        return given

    def needs(self, phase: P) -> tuple[Need, ...]:
        """Return what such a phase takes from earlier ones, what it requires first."""
        needs = self.adapt_needs(phase, self.input.list_needs()).values()
        return tuple(sorted(needs, key=lambda need: not need.required))

    @property
    def name(self) -> str:
        """Its name in definitions."""
        return str(self.phase.model_fields["kind"].default)

    @property
    def product(self) -> str:
        """Name of its main output, which a phase that has to do without it names."""
        return next(name for name in (self.name, *self.provides) if name in self.provides)

    @property
    def provides(self) -> tuple[str, ...]:
        """The names under which others may need this kind's output."""
        return tuple(self.output.model_fields)

    def meets(self, need: Need) -> bool:
        """Return whether this kind's output is what a need asks for."""
        if need.for_review:
            return self.category == "execute" and self.heeds_feedback
        return self.content if need.anything else need.value in self.provides

    def add_words(self) -> Self:
        """Return the kind with the catalogue's English title and description, unless it has its own."""
        if self.title:
            return self
        title, description = (
            say("en", f"kind-{self.name}"),
            say("en", f"kind-{self.name}-description"),
        )
        return replace(self, title=title, description=description)


AnyKind = Kind[Any, Any, Any]
"""A kind as the registry holds it: its handler's types are not known to the type checker."""

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
    """A kind of phase: its handler, and metadata for the interpreter, the gateway and the cost model.

    The handler's annotations define the phase model, the input and the output.
    """

    handler: Callable[[P, I, PhaseContext], Awaitable[O]]
    category: Literal["clarify", "plan", "execute"]
    """Also the run's stage during such a phase."""
    icon: str
    title: str = ""
    description: str = ""
    """Shipped kinds omit both, because the catalogues contain their texts."""
    adapt_needs: Callable[[P, Needs], Needs] = lambda _, needs: needs
    """Adjusts the needs stated by the input model to a phase's config."""
    inputs: Callable[[P], type[Contract] | None] = lambda _: None
    """Returns the model of the part of a run's `inputs` that such a phase reads."""
    subjects: Callable[[Contract], int] = lambda _: 1
    """Returns how many items a start's `inputs` compare."""
    web: Callable[[P], bool] = lambda _: False
    filings: Callable[[P], bool] = lambda _: False
    """Whether such a phase reads filings from EDGAR, unless another phase provides its `fundamentals`."""
    gathers: bool = False
    """Whether code alone collects such a phase's output, without a model."""
    waits: bool = False
    content: bool = True
    """Whether later phases may read its output as a whole, unlike a decision."""
    heeds_feedback: bool = True
    """Whether its prompts include the changes that a human requested."""
    plans_for: Callable[[P], tuple[PlanRole, ...]] = lambda _: ()
    """Returns the roles that work on a plan's steps in such a phase."""
    agents: Callable[[P], tuple[str, ...]] = lambda _: ()
    tokens: Callable[[P], tuple[Tokens, ...]] = lambda _: ()
    searches: Callable[[P], Searches] = lambda _: Searches()
    """Returns the searches that such a phase is expected to make; their fees are part of its price."""
    costs_nothing: Callable[[P, Definition], bool] = lambda _, __: False
    """Whether such a phase is expected to make no calls, although it may have to."""
    cacheable: Callable[[P], bool] = lambda _: False
    """Whether the step cache may store its output for later runs with the same inputs."""
    prompts: tuple[str, ...] = ()
    """Its prompts without inputs; required for a cacheable kind."""
    drafts: tuple[type[Contract], ...] = ()
    """Models of its expected answers; required for a cacheable kind."""
    version: int = 1
    """Raise it when the code produces other outputs from the same inputs."""

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
        """Model of its input from earlier phases: its fields are the kind's needs."""
        _, taken, *_ = self._types.values()
        return taken  # type: ignore[no-any-return]

    @property
    def output(self) -> type[O]:
        """Model of its output for later phases."""
        given: type[O] = self._types["return"]
        return given

    def needs(self, phase: P) -> tuple[Need, ...]:
        """Return what such a phase needs from earlier ones, required needs first."""
        needs = self.adapt_needs(phase, self.input.list_needs()).values()
        return tuple(sorted(needs, key=lambda need: not need.required))

    @property
    def name(self) -> str:
        """Its name in definitions."""
        return str(self.phase.model_fields["kind"].default)

    @property
    def product(self) -> str:
        """Name of its main output, for the notice of a phase that runs without it."""
        return next(name for name in (self.name, *self.provides) if name in self.provides)

    @property
    def provides(self) -> tuple[str, ...]:
        """The names by which other kinds may need its output."""
        return tuple(self.output.model_fields)

    def meets(self, need: Need) -> bool:
        """Return whether this kind's output satisfies a need."""
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
"""A kind in the registry, where the type checker does not know the handler's types."""

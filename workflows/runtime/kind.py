"""A kind of phase, as `phases/__init__.py` registers it."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from contracts.base import Contract
from contracts.evidence.claims import JUDGE
from contracts.phases.base import PhaseBase
from contracts.report.research import PlanRole
from workflows.runtime.context import PhaseContext


@dataclass(frozen=True)
class Need:
    """A value a phase takes from an earlier one.

    Without `required` the phase also runs when nobody provides it; with `required_if_bound` it
    runs then only if no phase of the run was to provide it.
    With `many` it takes every provider's, `at_least` so many.
    With `anything` it takes a whole output of any kind, and `name` is a mere label; with
    `for_review` those that a human can send back, each that is equally near.
    A name `phase.value` takes the value from that phase alone.
    """

    name: str
    required: bool = True
    required_if_bound: bool = False
    many: bool = False
    at_least: int = 1
    anything: bool = False
    for_review: bool = False
    absence: Literal["missed", "gathered", "harmless"] = "missed"
    """What a loss of it means: the phase ends `partial`; or it gathers a value that is missing as a whole
    itself; or it can do as well without."""
    path: str = ""
    """Path of the config field that asks for it, if no `bind` does."""

    @property
    def provider(self) -> str:
        """Id of the one phase that may provide it; empty: the nearest."""
        return self.name.rpartition(".")[0]

    @property
    def value(self) -> str:
        """Its name in its provider's output."""
        return self.name.rpartition(".")[2]

    def of(self, i: int) -> str:
        """Return where the need of a definition's phase is to be mended."""
        return f"phases[{i}].{self.path or f'bind.{self.name}'}"


def optional(*names: str) -> tuple[Need, ...]:
    """Return needs without which a phase also runs."""
    return tuple(Need(name, required=False) for name in names)


MENDED, JUDGED = 0.5, 1.2
"""How often an answer that cites is mended, and how often a judge is asked, who hears then of what was mended."""

USUAL_PAGES = 20
"""The `max_sources` of the runs that the figures are those of."""
READ = 0.6
"""Share of pages in what a search or step adds; the rest are results and what is said of them."""


@dataclass(frozen=True)
class Tokens:
    """Tokens that a phase is expected to read and write, and what each search, step and further subject adds.

    What is read is counted as it is billed: a conversation that is kept writes to the provider's cache what is new
    in a turn, at 1.25, and reads what was before, at 0.1. The figures are those of strong models in whole
    runs (`bench quality`, tests/fixtures/quality). `slack` is what its calls in flight may reserve beyond
    that, in written tokens.
    """

    input: float = 0
    output: float = 0
    search_input: float = 0
    search_output: float = 0
    step_input: float = 0
    step_output: float = 0
    subject_input: float = 0
    subject_output: float = 0
    slack: int = 0
    role: str = ""
    """The role whose model reads and writes them."""

    def reading(self, pages: int, usual: int = USUAL_PAGES) -> "Tokens":
        """Return the tokens where so many pages may be read in all, not as many as usual."""
        times = 1 + READ * (pages / usual - 1)
        adds = {n: v * times for n, v in asdict(self).items() if n.startswith(("search_", "step_"))}
        return replace(self, **adds)

    def judged(self, calls: float = 1) -> "Tokens":
        """Return what the judge reads and writes of so many answers: its prompt, then each claim with its passages."""
        return Tokens(
            1_100 * calls + 2.4 * self.output,
            0.16 * self.output,
            2.4 * self.search_output,
            0.16 * self.search_output,
            2.4 * self.step_output,
            0.16 * self.step_output,
            2.4 * self.subject_output,
            0.16 * self.subject_output,
            slack=2_500,
            role=JUDGE,
        )

    def verified(self) -> "tuple[Tokens, Tokens]":
        """Return what a typed answer that cites takes, with its judge; of every other a few claims are mended."""
        read, written = self.input + 2_200 * MENDED, self.output + 120 * MENDED
        mended = replace(self, input=read, output=written)
        return mended, mended.judged(JUDGED)


@dataclass(frozen=True)
class Kind:
    """A kind of phase: its config, its handler, and what the interpreter, the gateway and the cost model must know."""

    phase: type[PhaseBase]
    handler: Callable[[Any, PhaseContext], Awaitable[Contract]]
    output: type[Contract]
    title: str
    description: str
    category: Literal["clarify", "plan", "execute"]
    """Also the stage of a run at such a phase."""
    icon: str
    needs: Callable[[Any], tuple[Need, ...]] = lambda _: ()
    inputs: Callable[[Any], type[Contract] | None] = lambda _: None
    """Model of what such a phase reads of a run's `inputs`."""
    subjects: Callable[[Contract], int] = lambda _: 1
    """How many things a start's `inputs` set side by side."""
    web: Callable[[Any], bool] = lambda _: False
    filings: Callable[[Any], bool] = lambda _: False
    """True if such a phase reads filings from EDGAR, unless it needs `fundamentals` that another provides."""
    waits: bool = False
    content: bool = True
    """True if later phases may read its output whole; they may not read a decision."""
    heeds_feedback: bool = True
    """True if its prompts tell what a human wants changed."""
    plans_for: Callable[[Any], tuple[PlanRole, ...]] = lambda _: ()
    """Roles that work on a plan's steps in such a phase."""
    agents: Callable[[Any], tuple[str, ...]] = lambda _: ()
    tokens: Callable[[Any], tuple[Tokens, ...]] = lambda _: ()
    cacheable: Callable[[Any], bool] = lambda _: False
    """True if the step cache may hold its output: a later run whose phase reads the same takes it over."""
    prompts: tuple[str, ...] = ()
    """Its prompts to models, beside the inputs; needed of a cacheable kind."""
    drafts: tuple[type[Contract], ...] = ()
    """Models of the answers it asks for; needed of a cacheable kind."""
    version: int = 1
    """To be raised when its code makes something else of the same inputs."""

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
        """Tell whether this kind's output is what a need asks for."""
        if need.for_review:
            return self.category == "execute" and self.heeds_feedback
        return self.content if need.anything else need.value in self.provides

"""Terms of a run: the models it may use, their prices, its spending cap, and an installation's defaults."""

from collections.abc import Mapping
from typing import NamedTuple, Self

from pydantic import Field, PositiveInt

from contracts.base import Contract
from contracts.models.prices import Price
from contracts.notices import Notice
from contracts.samples import Sample
from contracts.words import Language, say, write_digits

SAMPLE = "sample"
"""Names the sample library in `GREENLIGHT_LIBRARY`."""


def format_usd(amount: float, language: Language = "en") -> str:
    """Format dollars: two digits after the point, four below a cent."""
    digits = 2 if amount == 0 or amount >= 0.01 else 4
    return say(language, "usd", amount=write_digits(language, f"{amount:.{digits}f}"))


class Additive(Contract):
    """A model of numbers that can be added field by field."""

    def __add__(self, other: Self) -> Self:
        """Return the sum of both."""
        return type(self)(
            **{n: getattr(self, n) + getattr(other, n) for n in type(self).model_fields}
        )


class Share(Additive):
    """Expected cost, maximum cost and duration of something."""

    usd: float = 0.0
    top_usd: float = 0.0
    minutes: float = 0.0

    def __mul__(self, count: float) -> "Share":
        """Return the cost and duration of `count` such items."""
        return Share(**{name: count * value for name, value in self})


PAGES_PER_SEARCH, PAGES_ALONE, PAGES_BESIDE = 2, 4, 5
"""Pages that a search of a plan leads to and an agent that works alone reads besides, and those of each of several agents,
as long as they may be read. Source: the runs in docs/performance.md."""


class Work(NamedTuple):
    """What a plan asks for, by which its phases are priced."""

    searches: int = 0
    steps: int = 0
    agents: int = 1
    """Agents of its independent steps, at work at once; one where there are none."""
    documents: float = 0
    """Long documents that were read, by their weight; as many as are expected where they are fewer."""


class PhaseCost(Contract):
    """Cost of a phase: a base, and a share for each unit of work."""

    base: Share = Share()
    step: Share = Share()
    agent: Share = Share()
    search: Share = Field(default=Share(), description="results of a search, shown to each agent")
    page: Share = Share()
    document: Share = Field(default=Share(), description="long one, beyond a page")
    documents: float = Field(default=0, description="long ones that are expected, by weight")
    pages: int | None = Field(default=None, description="most that it reads; null: no limit")
    agents: int | None = Field(default=None, description="most at once; null: no limit")
    reads: float = Field(default=1, description="pages read, times the usual ones")

    def compute(self, work: Work) -> Share:
        """Return the cost of so much work; agents at once share its minutes."""
        agents = min(work.agents, self.agents or work.agents)
        alone = PAGES_PER_SEARCH * work.searches + PAGES_ALONE
        pages = self.reads * (PAGES_BESIDE * agents if agents > 1 else alone)
        pages = pages if self.pages is None else min(pages, self.pages)
        once = self.base + self.step * work.steps
        at_once = (self.agent + self.search * work.searches) * agents
        at_once += self.page * pages + self.document * max(self.documents, work.documents)
        return once + at_once.model_copy(update={"minutes": at_once.minutes / agents})


class PriceTolerance(Contract):
    """How much dearer a changed plan may be before it must be approved again: the larger of both."""

    percent: float = Field(default=10, ge=0, description="of the top price that was approved")
    usd: float = Field(default=0.05, ge=0)

    def compute_usd(self, top_usd: float) -> float:
        """Return the dollars by which a plan of that top price may rise."""
        return max(self.percent / 100 * top_usd, self.usd)


class Terms(Contract):
    """Frozen into a run at its start, so that a later price or model changes no live run."""

    model: str
    models: dict[str, str] = Field(default={}, description="role -> model id, of the run")
    roles: dict[str, str] = Field(default={}, description="role -> model id, of the house")
    prices: dict[str, Price]
    offline: bool = Field(description="no provider is called and nothing is billed")
    recorded: Sample | None = Field(
        default=None, description="the run whose recorded answers are replayed; null: none is"
    )
    searched: Notice | None = Field(
        default=None, description="what agents search in place of the web; null: the web"
    )
    cap_usd: float = Field(gt=0, description="no call is made that would pass it")
    most_usd: float | None = Field(
        default=None,
        description="the installation's own cap; null: `cap_usd`, which no budget lowers",
    )
    step_cache_hours: float = Field(
        default=0, ge=0, description="how long an output is reused; 0: never"
    )
    price_tolerance: PriceTolerance = PriceTolerance()

    @property
    def by_rule(self) -> bool:
        """Return True if the stand-in answers, which cannot judge."""
        return self.offline and self.recorded is None

    def choose_model(self, role: str, own: str | None = None) -> str:
        """Return the model of a role: the run's override, else the phase's own, else the house's."""
        return self.models.get(role) or own or self.roles.get(role) or self.model

    def limit_to(self, models: Mapping[str, str], budget: float | None) -> "Terms":
        """Return these terms with a run's own models, and with its budget where that is lower."""
        cap_usd = self.cap_usd if budget is None else min(self.cap_usd, budget)
        caps = {"cap_usd": cap_usd, "most_usd": self.most_usd or self.cap_usd}
        return self.model_copy(update={"models": {**self.models, **models}, **caps})


class Usage(Additive):
    """Model calls and their cost; `usd` is at the model's price even where nothing was billed."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    reused_calls: int = 0
    off_record_calls: int = Field(
        default=0, description="of a replayed run: calls without a recorded answer"
    )


class ResearchSettings(Contract):
    """What an installation may set for every `research` that leaves it out."""

    max_sources: PositiveInt = Field(default=20, le=200, description="pages to read in the run")
    max_search_results_per_query: PositiveInt = Field(default=5, le=20, description="of a search")
    max_turns: PositiveInt = Field(default=12, le=200, description="calls of each agent's model")
    max_agents: PositiveInt = Field(
        default=5, le=8, description="agents at once, each with independent steps of the plan"
    )
    max_report_update_size: PositiveInt = Field(
        default=800, le=10_000, description="characters that one update of the report may write"
    )

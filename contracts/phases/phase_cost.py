"""The expected and the maximum cost of a phase, by the work that a plan asks for."""

from typing import NamedTuple

from pydantic import Field

from contracts.base import Additive, Contract


class Share(Additive):
    """Expected cost, maximum cost and duration of something."""

    usd: float = 0.0
    top_usd: float = 0.0
    minutes: float = 0.0

    def __mul__(self, count: float) -> "Share":
        """Return the cost and duration of `count` such items."""
        return Share(**{name: count * value for name, value in self})


PAGES_PER_SEARCH, PAGES_ALONE, PAGES_BESIDE = 2, 4, 7
"""Pages read per search of a plan, in addition by an agent that works alone, and by each of several agents.

Limited by the pages allowed. Source: the runs in docs/performance.md.
"""


class Work(NamedTuple):
    """The amount of work in a plan, by which phases are priced."""

    searches: int = 0
    steps: int = 0
    agents: int = 1
    """Concurrent agents of its independent steps; one if there are no such steps."""
    documents: float = 0
    """Long documents read, by weight; at least the expected number is priced."""


class PhaseCost(Contract):
    """Cost of a phase: a base, and a share for each unit of work."""

    base: Share = Share()
    step: Share = Share()
    agent: Share = Share()
    search: Share = Field(default=Share(), description="results of a search, shown to each agent")
    fee: Share = Field(
        default=Share(), description="of the search services, for each search of the plan"
    )
    page: Share = Share()
    document: Share = Field(default=Share(), description="long one, beyond a page")
    documents: float = Field(default=0, description="long ones that are expected, by weight")
    pages: int | None = Field(default=None, description="most that it reads; null: no limit")
    agents: int | None = Field(default=None, description="most at once; null: no limit")
    reads: float = Field(default=1, description="pages read, times the usual ones")

    def count_agents(self, work: Work) -> int:
        """Return how many agents do the work at the same time."""
        return min(work.agents, self.agents or work.agents)

    def compute(self, work: Work) -> Share:
        """Return the cost of the work; concurrent agents share its minutes."""
        agents = self.count_agents(work)
        alone = PAGES_PER_SEARCH * work.searches + PAGES_ALONE
        pages = self.reads * (PAGES_BESIDE * agents if agents > 1 else alone)
        pages = pages if self.pages is None else min(pages, self.pages)

        # A run computes this several times a call: field by field, as a model for each term is slow.
        def once(field: str) -> float:
            base, step, fee = (getattr(of, field) for of in (self.base, self.step, self.fee))
            return float(base + step * work.steps + fee * work.searches)

        def at_once(field: str) -> float:
            shares = self.agent, self.search, self.page, self.document
            agent, search, page, document = (getattr(of, field) for of in shares)
            read = page * pages + document * max(self.documents, work.documents)
            return float((agent + search * work.searches) * agents + read)

        return Share(
            usd=once("usd") + at_once("usd"),
            top_usd=once("top_usd") + at_once("top_usd"),
            minutes=once("minutes") + at_once("minutes") / agents,
        )

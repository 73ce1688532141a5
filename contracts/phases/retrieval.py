"""`retrieval`: the filings of a listed company and the news on it."""

from typing import Literal

from pydantic import Field

from contracts.agents.workbench import Artifact
from contracts.base import Contract
from contracts.evidence.company import Article, Fundamentals
from contracts.evidence.sources import Source
from contracts.phases.base import Config, PhaseBase
from contracts.report.research import Search


class RetrievalConfig(Config):
    """`retrieval`: the filings of a listed company and the news on it."""

    gather: list[Literal["fundamentals", "news"]] = Field(
        default=["fundamentals", "news"], min_length=1, max_length=2
    )
    news_limit: int = Field(
        default=8, ge=0, le=20, description="articles to read; a start may override this"
    )


class RetrievalPhase(PhaseBase):
    """A node of kind `retrieval`."""

    kind: Literal["retrieval"] = "retrieval"
    config: RetrievalConfig = RetrievalConfig()


class RetrievalOutput(Contract):
    """`retrieval` provides `fundamentals`, `news` and `sources`; null if it failed."""

    fundamentals: Fundamentals | None = None
    news: list[Article] | None = None
    sources: list[Source] = []
    searches: list[Search] = []
    artifacts: list[Artifact] = []

"""News on a company, and its tone."""

from pydantic import Field

from contracts.base import Contract
from contracts.evidence.claims import Claim
from contracts.models.call import Scope


class Article(Contract):
    """A piece of news about a company that was read."""

    ticker: str = Field(default="", description="of the company; left out: the first")
    source: int = Field(ge=1, description="1-based position in the run's sources")
    url: str
    title: str
    publisher: str = ""
    published: str | None = Field(default=None, description="ISO date")


class RepeatsRequest(Contract):
    """Articles, and filings that some of them may merely repeat, by the keys of their texts."""

    scope: Scope
    articles: list[str]
    filings: list[str]


class Repeats(Contract):
    """Which articles repeat filings."""

    repeated: list[bool] = Field(description="of each article, in their order")


class ScoredArticle(Article):
    """An article with its tone, and the claim that the tone rests on."""

    sentiment: float = Field(ge=-1, le=1, description="from -1, bad news, to 1, good news")
    claim: Claim = Field(description="what it says, with the passage that says so")

    @property
    def counts(self) -> bool:
        """Return whether the article says the passage: verification leaves out quotes that no page has."""
        return bool(self.claim.citations) and self.claim.verdict != "contradicted"


class Spread(Contract):
    """The spread of articles' tones, computed by code from those whose passage was found."""

    scored: int = 0
    positive: int = 0
    neutral: int = 0
    negative: int = 0
    mean: float | None = None
    deviation: float | None = Field(default=None, description="standard deviation")
    lowest: float | None = None
    highest: float | None = None


class Sentiment(Contract):
    """The tone of the news about a company, or why there is none."""

    company: str = Field(default="", description="its name or ticker")
    text: str
    articles: list[ScoredArticle]
    spread: Spread
    gaps: list[str] = []
    others: "list[Sentiment]" = Field(default=[], description="of those to compare it with")

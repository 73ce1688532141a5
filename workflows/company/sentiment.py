"""The tone of the news: what the model scored, held against what was read, and its spread by code."""

from statistics import fmean, pstdev

from contracts.agents.tools import ChartArgs, Series
from contracts.base import Json
from contracts.evidence.company import Article, ScoredArticle, Sentiment, Spread
from contracts.evidence.sources import Claim

NEUTRAL = 0.1
"""From -0.1 to 0.1 an article is neither good nor bad news."""


def weighed(articles: list[Article], said: Json, claims: list[Claim]) -> Sentiment:
    """Return the scores of articles that were read, each once, with their spread.

    `claims` are the statements in what was `said`, checked, in their order; one whose quote does
    not stand in its article is shown with its verdict, and does not count.
    """
    scores = said.get("articles")
    assert isinstance(scores, list)
    by_source = {article.source: article for article in articles}
    scored: dict[int, ScoredArticle] = {}
    for score, claim in zip(scores, claims, strict=True):
        assert isinstance(score, dict)
        number = int(str(score["source"]))
        if number in by_source and number not in scored:
            own = {**dict(by_source[number]), "sentiment": score["sentiment"], "claim": claim}
            scored[number] = ScoredArticle.model_validate(own)
    spread = spread_of([a.sentiment for a in scored.values() if a.claim.verdict == "supported"])
    left = [by_source[n].title for n in by_source if n not in scored]
    return Sentiment(
        text=_told(spread, len(articles)),
        articles=list(scored.values()),
        spread=spread,
        gaps=[f"not scored: {title}" for title in left],
    )


def nothing(about: str) -> Sentiment:
    """Return what is said where there is no news."""
    told = f"No news on {about} was found."
    return Sentiment(text=told, articles=[], spread=Spread(), gaps=[told])


def spread_of(tones: list[float]) -> Spread:
    """Return how tones from -1 to 1 are spread; population standard deviation."""
    if not tones:
        return Spread()
    positive, negative = sum(t > NEUTRAL for t in tones), sum(t < -NEUTRAL for t in tones)
    return Spread(
        scored=len(tones),
        positive=positive,
        neutral=len(tones) - positive - negative,
        negative=negative,
        mean=round(fmean(tones), 3),
        deviation=round(pstdev(tones), 3),
        lowest=min(tones),
        highest=max(tones),
    )


def over_time(sentiment: Sentiment, name: str) -> ChartArgs | None:
    """Return a chart of dated articles' tones, oldest first; None where there are fewer than two."""
    dated = sorted(
        (a.published[:10], a.sentiment)
        for a in sentiment.articles
        if a.published and a.claim.verdict == "supported"
    )
    if len(dated) < 2:
        return None
    return ChartArgs(
        title=f"{name}: tone of the news",
        kind="bar",
        x_label="published",
        y_label="tone, from -1 to 1",
        x=[day for day, _ in dated],
        series=[Series(name="tone", values=[tone for _, tone in dated])],
    )


def _told(spread: Spread, read: int) -> str:
    if not spread.scored:
        return f"None of the {read} articles could be scored by a passage of its own."
    counts = f"{spread.positive} good news, {spread.neutral} neither, {spread.negative} bad"
    return (
        f"Of {read} articles {spread.scored} were scored: {counts}. The mean tone is {spread.mean},"
        f" from {spread.lowest} to {spread.highest}, on a scale from -1 to 1."
    )

"""News on a company: which articles count, and the sentiment scored for them."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from statistics import fmean, pstdev

from contracts.agents.tools import ChartArgs, ChartSeries
from contracts.evidence.company import Article, ScoredArticle, Sentiment, Spread
from contracts.evidence.sources import SearchHit, Source
from contracts.report.drafts import DraftSentiment

DAY = timedelta(days=1)
NEUTRAL = 0.1
"""From -0.1 to 0.1 an article is neither good nor bad news."""
COMPANY_FORMS = frozenset(
    (
        *("inc", "incorporated", "corp", "corporation", "co", "company", "ltd", "limited", "plc"),
        *("the", "group"),
    )
)
"""Words that many companies' names share."""


def names_company(hit: SearchHit, name: str, ticker: str) -> bool:
    """Tell whether a search result names a company, by its ticker or its name's first own word.

    Without a known name every result for the ticker counts.
    """
    own = [word for word in re.findall(r"\w+", name.casefold()) if word not in COMPANY_FORMS]
    if not own:
        return True
    words = set(re.findall(r"\w+(?:[.-]\w+)*", f"{hit.title} {hit.snippet}"))
    return ticker in words or own[0] in map(str.casefold, words)


def select_articles(
    pages: Sequence[Source], *, as_of: str | None, now: str
) -> tuple[list[Source], list[str]]:
    """Return the articles that count, newest first and undated ones last, and why others do not.

    `as_of` is an ISO date, `now` an ISO time. With `as_of` an article must bear an earlier date;
    without it one may be dated tomorrow, by its time zone.
    """
    latest = as_of or (datetime.fromisoformat(now) + DAY).date().isoformat()
    later = [page for page in pages if page.published and page.published[:10] > latest]
    undated = [page for page in pages if as_of and not page.published]
    dated = [page for page in pages if page not in later and page not in undated]
    stories: dict[str, Source] = {}
    for page in reversed(dated):  # copies share their headline's words, or else their text
        words = re.findall(r"\w+", page.title.casefold())
        stories[" ".join(words) or page.content_hash] = page
    reasons = [
        *(f"left out, dated {page.published}, after {latest}: {page.url}" for page in later),
        *(f"left out, no date to compare with {latest}: {page.url}" for page in undated),
    ]
    if len(stories) < len(dated):
        reasons.append(f"left out, copies of another article: {len(dated) - len(stories)}")
    return sorted(stories.values(), key=lambda p: (p.published or "", p.url), reverse=True), reasons


def summarize_scores(articles: list[Article], draft: DraftSentiment) -> Sentiment:
    """Return the scores of articles, each once, with their spread.

    A score whose quote is not in its article is shown with its verdict and does not count.
    """
    by_source = {article.source: article for article in articles}
    scored: dict[int, ScoredArticle] = {}
    for score in draft.articles:
        number = score.source
        cited = {citation.source for citation in score.claim.citations}
        if number in by_source and number not in scored and cited <= {number}:
            fields = dict(by_source[number])
            scored[number] = ScoredArticle(**fields, sentiment=score.sentiment, claim=score.claim)
    spread = compute_spread([a.sentiment for a in scored.values() if a.claim.is_usable])
    return Sentiment(
        text=_describe_spread(spread, len(articles)),
        articles=list(scored.values()),
        spread=spread,
        gaps=[f"not scored: {a.title}" for n, a in by_source.items() if n not in scored],
    )


def report_no_news(company: str) -> Sentiment:
    """Return the sentiment where there are no articles."""
    text = f"No news on {company} was found."
    return Sentiment(text=text, articles=[], spread=Spread(), gaps=[text])


def compute_spread(scores: list[float]) -> Spread:
    """Return the distribution of scores from -1 to 1; population standard deviation."""
    if not scores:
        return Spread()
    positive, negative = sum(s > NEUTRAL for s in scores), sum(s < -NEUTRAL for s in scores)
    return Spread(
        scored=len(scores),
        positive=positive,
        neutral=len(scores) - positive - negative,
        negative=negative,
        mean=round(fmean(scores), 3),
        deviation=round(pstdev(scores), 3),
        lowest=min(scores),
        highest=max(scores),
    )


def build_sentiment_chart(sentiment: Sentiment, name: str) -> ChartArgs | None:
    """Return a chart of dated articles' scores, oldest first; None for fewer than two."""
    dated = sorted(
        (a.published[:10], a.sentiment)
        for a in sentiment.articles
        if a.published and a.claim.is_usable
    )
    if len(dated) < 2:
        return None
    return ChartArgs(
        title=f"{name}: tone of the news",
        kind="bar",
        x_label="published",
        y_label="tone, from -1 to 1",
        x=[day for day, _ in dated],
        series=[ChartSeries(name="tone", values=[score for _, score in dated])],
    )


def _describe_spread(spread: Spread, count: int) -> str:
    if not spread.scored:
        return f"None of the {count} articles could be scored by a passage of its own."
    counts = f"{spread.positive} good news, {spread.neutral} neither, {spread.negative} bad"
    return (
        f"Of {count} articles {spread.scored} were scored: {counts}. The mean tone is {spread.mean},"
        f" from {spread.lowest} to {spread.highest}, on a scale from -1 to 1."
    )

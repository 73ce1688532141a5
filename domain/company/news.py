"""News on a company: which articles count, and the sentiment scored for them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from statistics import fmean, pstdev

from contracts.agents.tool_definitions import ChartArgs, ChartSeries, TableArgs, TableCell
from contracts.company.news import Article, ScoredArticle, Sentiment, Spread
from contracts.evidence.sources import Source
from contracts.models.model_drafts import DraftSentiment
from contracts.notices import Notice, Told
from contracts.words import Language, say
from domain.evidence.normal_forms import spell_words

DAY = timedelta(days=1)
RUN_WORDS = 5
NEUTRAL = 0.1
"""An article that scores from -0.1 to 0.1 is neutral."""
LONGEST_CLOSURE = timedelta(days=4)
"""A weekend with holidays on both sides."""
MOST_NAMED = 2
"""Articles that one line names at most when several say the same."""


def select_articles(
    pages: Sequence[Source], *, as_of: str | None, now: str
) -> tuple[list[Source], list[Notice]]:
    """Return the articles that count, newest first and undated ones last, and why others do not.

    `as_of` is an ISO date, `now` an ISO date or time. With `as_of` an article must bear an earlier date;
    without it one may be dated tomorrow, by its time zone.
    """
    latest = as_of or (datetime.fromisoformat(now) + DAY).date().isoformat()
    later = [page for page in pages if page.published and page.published[:10] > latest]
    undated = [page for page in pages if as_of and not page.published]
    dated = [page for page in pages if page not in later and page not in undated]
    stories: dict[str, Source] = {}
    for page in reversed(dated):  # copies share their headline's words, or else their text
        stories[spell_words(page.title) or page.content_hash] = page
    reasons: list[Notice] = []
    if later:
        told = name_few([f"{page.url} ({page.published})" for page in later])
        reasons.append(Notice.of("news-later", n=len(later), day=latest, names=told))
    if undated:
        told = name_few([page.url for page in undated])
        reasons.append(Notice.of("news-undated", n=len(undated), day=latest, names=told))
    if len(stories) < len(dated):
        reasons.append(Notice.of("news-copies", n=len(dated) - len(stories)))
    return sorted(stories.values(), key=lambda p: (p.published or "", p.url), reverse=True), reasons


def name_few(names: Sequence[Told]) -> list[Told]:
    """Return the first names of many, and how many more there are."""
    left = len(names) - MOST_NAMED
    return [*names[:MOST_NAMED], *([Notice.of("names-more", "info", n=left)] if left > 0 else [])]


def find_repeats(articles: Sequence[str], filings: Iterable[str]) -> list[bool]:
    """Return for each article whether most of its words occur in filings, as in a press release.

    Time and memory grow linearly with the texts, however similar they are.
    """
    announced = {run for filing in filings for run in _list_runs(filing)}
    return [2 * len(own & announced) > len(own) for own in map(_list_runs, articles)]


def _list_runs(text: str) -> set[tuple[str, ...]]:
    """Return every few words of a text in a row."""
    words = re.findall(r"\w+", text.casefold())
    return {tuple(words[n : n + RUN_WORDS]) for n in range(len(words) - RUN_WORDS + 1)}


def summarize_scores(
    articles: list[Article],
    draft: DraftSentiment,
    repeated: Sequence[Article] = (),
    company: str = "",
    language: Language = "en",
) -> Sentiment:
    """Summarize the articles' scores, one per article, with their spread; articles that repeat filings are listed.

    An article repeats filings if code says so (`repeated`) or the draft does. The draft also says which are on
    another company or thing. A score counts if the article
    contains the passage that supports it, even if the claim words it differently; otherwise it is shown with
    its verdict and does not count.
    """
    by_source = {article.source: article for article in articles}
    scored: dict[int, ScoredArticle] = {}
    for score in draft.articles:
        number = score.source
        cited = {citation.source for citation in score.claim.citations}
        if number in by_source and number not in scored and cited <= {number}:
            fields = dict(by_source[number])
            scored[number] = ScoredArticle(**fields, sentiment=score.sentiment, claim=score.claim)
    spread = compute_spread([a.sentiment for a in scored.values() if a.counts])
    unscored = {n: a for n, a in by_source.items() if n not in scored}
    named = {n: a for n, a in unscored.items() if n in draft.repeats}
    repeats = [*named.values(), *repeated]
    others = {n: a for n, a in unscored.items() if n in draft.others and n not in named}
    left = [a for n, a in unscored.items() if n not in named and n not in others]
    gaps = [
        Notice.of(
            code,
            n=len(each),
            company=company or None,
            names=name_few([article.title for article in each]),
        )
        for code, each in (
            ("news-left", left),
            ("news-left-others", [*others.values()]),
            ("news-left-repeats", repeats),
        )
        if each
    ]
    return Sentiment(
        company=company,
        text=_describe_spread(spread, len(articles) + len(repeated), len(repeats)).say(language),
        articles=list(scored.values()),
        spread=spread,
        gaps=[gap.say(language) for gap in gaps],
    )


def report_no_news(company: str, language: Language, why: Notice) -> Sentiment:
    """Return the sentiment if no article was found, or all of them were lost."""
    words = why.say(language)
    text = f"{words[:1].upper()}{words[1:]}."
    return Sentiment(company=company, text=text, articles=[], spread=Spread(), gaps=[text])


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


def build_sentiment_chart(
    sentiment: Sentiment, name: str, language: Language = "en"
) -> ChartArgs | None:
    """Return a chart of dated articles' scores, oldest first.

    Return None for fewer than two dated scores, or if all are zero.
    """
    dated = sorted(
        (a.published[:10], a.sentiment) for a in sentiment.articles if a.published and a.counts
    )
    if len(dated) < 2 or not any(score for _, score in dated):
        return None
    days, scores = zip(*dated, strict=True)
    return ChartArgs(
        title=say(language, "news-tone", company=name),
        kind="bar",
        x_label=say(language, "news-tone-days"),
        y_label=say(language, "news-tone-scale"),
        x=[*days],
        series=[ChartSeries(name=say(language, "news-tone-series"), values=[*scores])],
        language=language,
    )


def build_news_table(
    articles: Sequence[Article],
    sentiment: Sentiment,
    closes: Mapping[str, float],
    name: str,
    language: Language = "en",
) -> TableArgs:
    """Return the articles, newest first, with their tone and what the share's price did since.

    `closes` are prices by ISO date; an article is shown with the last close on its day or up to four days before.
    """
    beside = [_find_close(closes, (article.published or "")[:10]) for article in articles]
    has_closes = any(beside)
    tones = {scored.source: scored.sentiment for scored in sentiment.articles if scored.counts}
    last = closes[max(closes)] if closes else 0.0
    rows: list[list[TableCell]] = []
    for article, close in zip(articles, beside, strict=True):
        day = (article.published or "")[:10]
        row: list[TableCell] = [day, article.publisher, article.title, tones.get(article.source)]
        if has_closes:
            row += [close, round(100 * (last / close - 1), 1) if close else None]
        rows.append(row)
    codes = ["news-published", "news-publisher", "news-article", "news-tone-column"]
    columns = [say(language, code) for code in codes]
    if has_closes:
        columns += [say(language, "news-close"), say(language, "news-change", day=max(closes))]
    return TableArgs(title=say(language, "news-table", company=name), columns=columns, rows=rows)


def _find_close(closes: Mapping[str, float], day: str) -> float | None:
    """Return the last close on or before a day; None if it is too old to be the previous trading day's."""
    before = max((known for known in closes if known <= day), default="")
    near = before and date.fromisoformat(day) - date.fromisoformat(before) <= LONGEST_CLOSURE
    return closes[before] if near else None


def _describe_spread(spread: Spread, count: int, repeats: int) -> Notice:
    if repeats == count:
        return Notice.of("news-all-repeat", "info", n=count)
    if not spread.scored:
        return Notice.of("news-none-scored", "info", n=count)
    told = spread.model_dump(exclude={"deviation"})
    return Notice.of("news-spread", "info", n=count, **told)

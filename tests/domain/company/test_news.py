"""Selecting news articles and summarizing their sentiment."""

import pytest

from contracts.company.news import Article
from contracts.evidence.claims import Citation, Claim, Verdict
from contracts.evidence.sources import Source
from contracts.models.model_drafts import DraftScore, DraftSentiment
from contracts.notices import Notice
from domain.company.news import (
    build_news_table,
    build_sentiment_chart,
    compute_spread,
    find_repeats,
    report_no_news,
    select_articles,
    summarize_scores,
)
from tests.support.sources import page
from tests.support.words import de, en

NOW = "2025-09-01T12:00:00+00:00"


def article(n: int, published: str | None, title: str = "") -> Source:
    return page(f"https://example.org/{n}", title=title or f"Story {n}", published=published)


def test_articles_are_sorted_newest_first_and_undated_last() -> None:
    pages = [article(1, "2025-08-01"), article(2, None), article(3, "2025-08-30")]
    stories, told = select_articles(pages, as_of=None, now=NOW)
    assert [page.url[-1] for page in stories] == ["3", "1", "2"]
    assert told == []


@pytest.mark.parametrize(
    ("published", "counts"), [("2025-09-02", True), ("2025-09-03", False), ("2031-01-01", False)]
)
def test_article_dated_after_tomorrow_is_left_out(published: str, counts: bool) -> None:
    found, told = select_articles([article(1, published)], as_of=None, now=NOW)
    assert bool(found) is counts
    assert bool(told) is not counts


def test_with_as_of_later_and_undated_articles_are_left_out() -> None:
    pages = [article(1, "2025-06-30"), article(2, "2025-07-01"), article(3, None)]
    stories, told = select_articles(pages, as_of="2025-06-30", now=NOW)
    assert [page.url[-1] for page in stories] == ["1"]
    assert len(told) == 2
    assert [each.code for each in told] == ["news-later", "news-undated"]


def test_articles_left_out_for_one_reason_are_one_line() -> None:
    pages = [article(n, f"2025-08-0{n}") for n in range(1, 5)]
    _, [told] = select_articles(pages, as_of="2025-07-31", now=NOW)
    first, second = (f"{page.url} ({page.published})" for page in pages[:2])
    names = f"{first}; {second}; {en('names-more', n=2)}"
    assert told.text == Notice.of("news-later", n=4, day="2025-07-31", names=names).text
    assert de("names-more", n=2) in told.say("de")


def test_article_most_of_whose_words_stand_in_a_filing_repeats_it_wherever_they_stand() -> None:
    told = [
        f"In market {n} it sold {n + 7} pumps to {n + 3} farms and {n} schools." for n in range(90)
    ]
    filing = "\n".join(told)
    wire = "CUPERTINO, July 31, by our wire desk. " * 30 + " ".join(told[40:])
    quoting = " ".join(told[:9]) + " ".join(
        f"Analyst {n} doubts what he heard of it." for n in range(90)
    )
    own = "Kestrel surprised investors with a record third quarter in China."
    assert find_repeats([wire, quoting, own, ""], [filing]) == [True, False, False, False]
    assert find_repeats([wire], []) == [False]


def test_repeats_are_found_in_long_texts_of_few_words() -> None:
    assert find_repeats(["a " * 500_000, "b c " * 9], ["a " * 500_000]) == [True, False]


def test_copies_of_a_story_count_once() -> None:
    pages = [
        article(1, "2025-08-01", "Apple's record quarter"),
        article(2, "2025-08-02", "APPLE’S RECORD QUARTER!"),
        article(3, "2025-08-02", "苹果公司创纪录"),
    ]
    stories, [told] = select_articles(pages, as_of=None, now=NOW)
    assert [page.url[-1] for page in stories] == ["3", "1"]
    assert told == Notice.of("news-copies", n=1)


ARTICLES = [
    Article(source=n, url=f"https://example.org/{n}", title=f"Story {n}", published=f"2025-08-0{n}")
    for n in (2, 3, 4)
]


def scored(*scores: tuple[int, float, Verdict]) -> DraftSentiment:
    """Return the scores of articles by their numbers, with the verdicts; no quote of article 4 is found."""
    return DraftSentiment(
        articles=[
            DraftScore(
                source=number,
                sentiment=score,
                claim=Claim(
                    text="It says so.",
                    citations=[Citation(source=number, quote="It says so.")] * (number != 4),
                    verdict=verdict,
                ),
            )
            for number, score, verdict in scores
        ]
    )


def test_spread_has_counts_mean_and_deviation() -> None:
    spread = compute_spread([0.5, -0.5, 0.0, 0.1])
    assert (spread.positive, spread.neutral, spread.negative) == (1, 2, 1)
    assert (spread.lowest, spread.highest) == (-0.5, 0.5)
    assert spread.mean == pytest.approx(0.025)
    assert spread.deviation == pytest.approx(0.356, abs=0.001)


@pytest.mark.parametrize(
    ("number", "verdict", "counts"),
    [
        (3, "supported", True),
        (3, "partly", True),
        (3, "not_shown", True),
        (3, "contradicted", False),
        (4, "not_shown", False),
        (4, "supported", False),
    ],
)
def test_a_score_counts_if_its_passage_was_found_however_its_claim_is_worded(
    number: int, verdict: Verdict, counts: bool
) -> None:
    found = summarize_scores(ARTICLES, scored((2, 0.6, "supported"), (number, -0.2, verdict)))
    assert [a.source for a in found.articles] == [2, number]
    assert (found.spread.scored, found.spread.mean) == ((2, 0.2) if counts else (1, 0.6))
    assert found.gaps == [en("news-left", n=1, names=f"Story {7 - number}")]


CLOSES = {"2025-08-01": 200.0, "2025-08-04": 210.0, "2025-09-01": 220.0}


def test_news_stand_by_day_with_publisher_tone_and_the_price_since() -> None:
    articles = [
        Article(source=5, url="https://example.org/5", title="Later", published="2025-08-20"),
        ARTICLES[2].model_copy(update={"publisher": "The Daily"}),
        *ARTICLES[1::-1],
        Article(source=6, url="https://example.org/6", title="Some day"),
    ]
    sentiment = summarize_scores(articles, scored((2, 0.6, "supported"), (3, -0.2, "contradicted")))
    table = build_news_table(articles, sentiment, CLOSES, "Apple")
    assert table.columns[-1] == en("news-change", day="2025-09-01")
    assert table.rows == [
        ["2025-08-20", "", "Later", None, None, None],
        ["2025-08-04", "The Daily", "Story 4", None, 210.0, 4.8],
        ["2025-08-03", "", "Story 3", None, 200.0, 10.0],
        ["2025-08-02", "", "Story 2", 0.6, 200.0, 10.0],
        ["", "", "Some day", None, None, None],
    ]
    for closes in ({}, {"2020-01-01": 1.0}):
        assert len(build_news_table(articles, sentiment, closes, "Apple").columns) == 4


def test_chart_is_ordered_oldest_first() -> None:
    found = summarize_scores(ARTICLES, scored((3, -0.2, "supported"), (2, 0.6, "supported")))
    chart = build_sentiment_chart(found, "Apple")
    assert chart
    assert chart.x == ["2025-08-02", "2025-08-03"]
    assert chart.series[0].values == [0.6, -0.2]


def test_news_that_leans_to_no_side_yields_no_chart() -> None:
    found = summarize_scores(ARTICLES, scored((3, 0.0, "supported"), (2, 0.0, "supported")))
    assert build_sentiment_chart(found, "Apple") is None


def test_no_news_is_reported_as_a_gap() -> None:
    told = report_no_news("Apple", "en", Notice.of("news-none", company="Apple"))
    assert told.articles == []
    assert told.spread.mean is None
    said = en("news-none", company="Apple")
    assert told.gaps == [told.text] == [f"{said[0].upper()}{said[1:]}."]


def test_a_german_question_has_its_news_in_german() -> None:
    found = summarize_scores(
        ARTICLES, scored((2, 0.6, "supported")), company="Apple", language="de"
    )
    names = "Story 3; Story 4"
    assert found.gaps == [de("news-left", n=2, company="Apple", names=names)]
    table = build_news_table(ARTICLES, found, {}, "Apple", "de")
    assert (table.title, table.columns[0]) == (
        de("news-table", company="Apple"),
        de("news-published"),
    )


def test_score_whose_claim_cites_another_article_is_not_counted() -> None:
    cited = [Citation(source=3, quote="It says so.")]
    claim = Claim(text="It says so.", citations=cited, verdict="supported")
    draft = DraftSentiment(articles=[DraftScore(source=2, sentiment=0.6, claim=claim)])
    assert summarize_scores(ARTICLES, draft).articles == []


def test_article_that_repeats_what_was_announced_is_named_and_not_scored() -> None:
    draft = scored((2, 0.6, "supported")).model_copy(update={"repeats": [3, 2, 99]})
    found = summarize_scores(ARTICLES, draft, company="Apple")
    assert [a.source for a in found.articles] == [2], "what is scored is no repeat"
    assert found.gaps == [
        en("news-left", n=1, company="Apple", names="Story 4"),
        en("news-left-repeats", n=1, company="Apple", names="Story 3"),
    ]


def test_article_on_something_else_is_named_and_not_scored() -> None:
    draft = scored((2, 0.6, "supported")).model_copy(update={"others": [2, 3, 99]})
    found = summarize_scores(ARTICLES, draft, company="Apple")
    assert [a.source for a in found.articles] == [2]
    assert found.gaps == [
        en("news-left", n=1, company="Apple", names="Story 4"),
        en("news-left-others", n=1, company="Apple", names="Story 3"),
    ]


def test_where_all_articles_repeat_what_was_announced_there_is_no_news() -> None:
    draft = DraftSentiment(articles=[], repeats=[2, 3])
    found = summarize_scores(ARTICLES[:2], draft, ARTICLES[2:])
    assert found.text == (en("news-all-repeat", n="3"))
    assert found.spread.mean is None
    [told] = found.gaps
    names = ["Story 2", "Story 3", en("names-more", n=1)]
    assert told == en("news-left-repeats", n=3, names=names)

"""The tone of the news and its spread."""

from itertools import pairwise

import pytest

from contracts.base import Json
from contracts.evidence.company import Article
from contracts.evidence.sources import Claim, Verdict
from workflows.company.sentiment import nothing, over_time, spread_of, weighed

ARTICLES = [
    Article(source=n, url=f"https://example.org/{n}", title=f"Story {n}", published=f"2025-08-0{n}")
    for n in (2, 3, 4)
]


def scores(**tones: float) -> Json:
    return {"articles": [{"source": int(n[1:]), "sentiment": t} for n, t in tones.items()]}


def claims(*verdicts: Verdict) -> list[Claim]:
    return [Claim(text="It says so.", verdict=verdict) for verdict in verdicts]


def test_good_news_outweighs_mixed_and_mixed_outweighs_bad() -> None:
    sets = [[0.8, 0.5, 0.2], [0.3, 0.0, -0.2], [-0.4, -0.9, -0.1]]
    means = [spread_of(tones).mean or 0 for tones in sets]
    assert all(higher > lower for higher, lower in pairwise(means))


def test_a_spread_counts_and_measures() -> None:
    spread = spread_of([0.5, -0.5, 0.0, 0.1])
    assert (spread.positive, spread.neutral, spread.negative) == (1, 2, 1)
    assert (spread.lowest, spread.highest) == (-0.5, 0.5)
    assert spread.mean == pytest.approx(0.025)
    assert spread.deviation == pytest.approx(0.356, abs=0.001)


def test_an_article_whose_passage_was_not_found_is_shown_and_does_not_count() -> None:
    found = weighed(ARTICLES, scores(n2=0.6, n3=-0.9), claims("supported", "unsupported"))
    assert [a.source for a in found.articles] == [2, 3]
    assert (found.spread.scored, found.spread.mean) == (1, 0.6)
    assert found.gaps == ["not scored: Story 4"]


def test_only_what_was_read_is_scored_and_each_once() -> None:
    said: Json = {
        "articles": [{"source": n, "sentiment": t} for n, t in ((2, 0.6), (9, -1), (2, -1))]
    }
    found = weighed(ARTICLES, said, claims("supported", "supported", "supported"))
    assert [(a.source, a.sentiment) for a in found.articles] == [(2, 0.6)]


def test_the_chart_runs_from_the_oldest_to_the_newest() -> None:
    found = weighed(ARTICLES, scores(n3=-0.2, n2=0.6), claims("supported", "supported"))
    chart = over_time(found, "Apple")
    assert chart
    assert chart.x == ["2025-08-02", "2025-08-03"]
    assert chart.series[0].values == [0.6, -0.2]


def test_one_article_makes_no_chart() -> None:
    assert over_time(weighed(ARTICLES, scores(n2=0.6), claims("supported")), "Apple") is None


def test_no_news_is_told() -> None:
    told = nothing("Apple")
    assert told.articles == []
    assert told.spread.mean is None
    assert told.gaps == [told.text] == ["No news on Apple was found."]

"""Which articles count."""

import pytest

from contracts.evidence.sources import SearchHit, Source
from tests.workflows.listed import page
from workflows.company.news_filter import kept, names

NOW = "2025-09-01T12:00:00+00:00"


def article(n: int, published: str | None, title: str = "") -> Source:
    return page(f"https://example.org/{n}", title=title or f"Story {n}", published=published)


def test_the_newest_comes_first_and_what_bears_no_date_last() -> None:
    pages = [article(1, "2025-08-01"), article(2, None), article(3, "2025-08-30")]
    stories, told = kept(pages, as_of=None, now=NOW)
    assert [page.url[-1] for page in stories] == ["3", "1", "2"]
    assert told == []


@pytest.mark.parametrize(
    ("published", "counts"), [("2025-09-02", True), ("2025-09-03", False), ("2031-01-01", False)]
)
def test_an_article_from_the_future_is_left_out(published: str, counts: bool) -> None:
    found, told = kept([article(1, published)], as_of=None, now=NOW)
    assert bool(found) is counts
    assert bool(told) is not counts


def test_with_a_day_given_what_is_later_or_undated_is_left_out() -> None:
    pages = [article(1, "2025-06-30"), article(2, "2025-07-01"), article(3, None)]
    stories, told = kept(pages, as_of="2025-06-30", now=NOW)
    assert [page.url[-1] for page in stories] == ["1"]
    assert len(told) == 2
    assert "without a date" in told[1]


def test_a_story_told_twice_counts_once() -> None:
    pages = [
        article(1, "2025-08-01", "Apple's record quarter"),
        article(2, "2025-08-02", "APPLE’S RECORD QUARTER!"),
        article(3, "2025-08-02", "苹果公司创纪录"),
    ]
    stories, [told] = kept(pages, as_of=None, now=NOW)
    assert [page.url[-1] for page in stories] == ["3", "1"]
    assert told.startswith("1 article")


def test_headlines_in_other_scripts_are_told_apart() -> None:
    titles = ("アップル増収", "アップル減収", "Прибыль")
    pages = [article(n, "2025-08-01", title) for n, title in enumerate(titles)]
    found, told = kept(pages, as_of=None, now=NOW)
    assert (len(found), told) == (3, [])


@pytest.mark.parametrize(
    ("title", "name", "ticker", "said"),
    [
        ("Apple’s phones sell", "Apple Inc.", "AAPL", True),
        ("Shares of AAPL rise", "Apple Inc.", "AAPL", True),
        ("Pears sell", "Apple Inc.", "AAPL", False),
        ("Snow falls in Austria", "Snowflake Inc.", "SNOW", False),
        ("The Trade Desk grows", "The Trade Desk, Inc.", "TTD", True),
        ("BRK.B is up", "Berkshire Hathaway Inc", "BRK.B", True),
        ("クストレル株式会社 (KST) 増収", "Kestrel Inc.", "KST", True),
        ("Kestrel verdoppelt den Gewinn", "Kestrel Inc.", "KST", True),
        ("Whatever was found", "", "AAPL", True),
    ],
)
def test_a_result_must_name_the_company(title: str, name: str, ticker: str, said: bool) -> None:
    assert names(SearchHit(url="https://example.org", title=title), name, ticker) is said

"""Which articles count: what comes of copies, of no date, of tomorrow's, of other languages."""

import pytest

from contracts.web import SearchHit, Source
from workflows.company.press import kept, names

NOW = "2025-08-01T12:00:00+00:00"


def page(title: str, published: str | None = "2025-07-01", path: str = "") -> Source:
    return Source(
        url=f"https://news.example/{path or title}",
        title=title,
        published=published,
        retrieved_at=NOW,
        content_type="text/html",
        snippet="",
        content_hash=title,
        bytes=1,
        text_key="t",
        raw_key="r",
        chars=1,
    )


def read(*pages: Source, as_of: str | None = None) -> tuple[list[str], list[str]]:
    stories, told = kept(list(pages), as_of=as_of, now=NOW)
    return [story.url.rpartition("/")[2] for story in stories], told


def test_the_newest_come_first_and_what_bears_no_date_last() -> None:
    pages = page("old", "2024-01-01"), page("undated", None), page("new", "2025-07-30")
    assert read(*pages) == (["new", "old", "undated"], [])


def test_what_bears_no_date_cannot_be_held_against_a_day() -> None:
    found, [told] = read(page("old", "2024-01-01"), page("undated", None), as_of="2024-06-01")
    assert found == ["old"]
    assert "without a date" in told


def test_a_story_told_twice_counts_once() -> None:
    first, again = page("Kestrel grows!", path="a"), page("KESTREL GROWS", path="b")
    found, [told] = read(first, again)
    assert found == ["a"]
    assert told.startswith("1 articles")


@pytest.mark.parametrize(
    ("published", "counts"), [("2025-08-02", True), ("2025-08-03", False), ("2031-01-01", False)]
)
def test_an_article_from_the_future_is_left_out(published: str, counts: bool) -> None:
    found, told = read(page("ahead", published))
    assert bool(found) is counts
    assert bool(told) is not counts


def test_headlines_in_other_scripts_are_told_apart() -> None:
    found, told = read(
        page("アップル増収", path="a"), page("アップル減収", path="b"), page("Прибыль", path="c")
    )
    assert (len(found), told) == (3, [])


@pytest.mark.parametrize(
    ("title", "about"),
    [
        ("KST soars", True),
        ("Kestrel verdoppelt den Gewinn", True),
        ("クストレル株式会社 (KST) 増収", True),
        ("Falcon soars", False),
    ],
)
def test_an_article_on_somebody_else_is_not_read(title: str, about: bool) -> None:
    hit = SearchHit(url="https://news.example/a", title=title, snippet="")
    assert names(hit, "Kestrel Inc.", "KST") is about

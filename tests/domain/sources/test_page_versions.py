"""Versions of one page among search hits."""

import pytest

from contracts.evidence.sources import FoundPage
from domain.sources.page_versions import list_outdated

BASE = "https://docs.example.org/"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Retry jobs — Tasks 2.15.0 documentation", "Retry jobs — Tasks 3.9.0 documentation"),
        ("Queues: Locks — Queues 2.9", "Queues: Locks — Queues 2.10"),
        ("Chad: Energy (2016 edition)", "Chad: Energy"),
        ("Chad: Energy (2016 edition)", "Chad: Energy (2020 edition)"),
        ("Prices - Tasks 0.5.1 manual", "Locks - Tasks 2.2.0 manual"),
    ],
)
def test_page_is_outdated_if_a_title_like_its_own_has_a_newer_version(
    older: str, newer: str
) -> None:
    pages = [FoundPage(url=f"{BASE}{n}", title=title) for n, title in enumerate((older, newer))]
    assert list_outdated(pages) == list_outdated(pages[::-1]) == {f"{BASE}0"}


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("en/2.15/retry.html", "en/3.9/retry.html"),
        ("en/2.15/retry.html", "en/stable/retry.html"),
        ("v1.2/a", "v1.10/a"),
        ("rq-cron-1.10.html", "rq-cron.html"),
    ],
)
def test_page_is_outdated_if_its_url_names_an_older_version(older: str, newer: str) -> None:
    pages = [FoundPage(url=f"{BASE}{path}", title="Retry") for path in (newer, older)]
    assert list_outdated(pages) == {f"{BASE}{older}"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Annual report 2022", "Annual report 2023"),
        ("GDP grew 2.5 percent", "GDP grew 3.1 percent"),
        ("Tasks 2.15", "Queues 3.9"),
        ("Tasks 2.15", "Tasks 2.15"),
    ],
)
def test_years_and_amounts_and_other_names_make_no_page_outdated(one: str, other: str) -> None:
    pages = [FoundPage(url=f"{BASE}{n}", title=title) for n, title in enumerate((one, other))]
    assert list_outdated(pages) == set()

"""The titles of a small library that is searched in the web's place."""

import json

import pytest

from activities.integrations.library import LibraryCatalogue
from tests.activities.web.site import Site

FEW = ["Churn, 2024", "Plan of the year"]


async def test_the_titles_of_a_small_library_are_listed(site: Site) -> None:
    answer = {"documents": 2, "titles": ["Churn,\n2024", "Plan of the year"]}
    site.puts("/library", json.dumps(answer), media_type="application/json")
    assert await LibraryCatalogue(site.url("")).list_titles() == FEW


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "<html>",
        "[]",
        "null",
        '{"titles": null}',
        '{"titles": 7}',
        json.dumps({"titles": FEW * 40}),
    ],
)
async def test_a_run_begins_without_titles_that_are_not_told(site: Site, answer: str) -> None:
    site.puts("/library", answer)
    assert await LibraryCatalogue(site.url("")).list_titles() == []


async def test_nobody_is_asked_where_the_web_is_searched(site: Site) -> None:
    assert await LibraryCatalogue("").list_titles() == []
    assert await LibraryCatalogue("http://127.0.0.1:9").list_titles() == []
    assert site.requests == []

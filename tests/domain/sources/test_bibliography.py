"""Entries of a bibliography: what a page states, keys that stay, nothing guessed."""

import re

from contracts.evidence.sources import OWN_FILE
from domain.sources.bibliography import build_bibliography
from tests.support.sources import page


def test_only_what_the_page_states_is_known() -> None:
    [entry] = build_bibliography(
        [page("https://www.example.org/a", title="Pumps", publisher="www.example.org")]
    )
    assert (entry.authors, entry.publisher, entry.issued) == ((), "", ())
    assert entry.accessed == (2026, 1, 1)
    assert entry.url == "https://www.example.org/a"


def test_authors_are_kept_as_they_are_written() -> None:
    [entry] = build_bibliography([page(author="Jane Doe; World Bank Group")])
    assert entry.authors == ("Jane Doe", "World Bank Group")


def test_publisher_that_is_its_own_author_stands_once() -> None:
    [entry] = build_bibliography([page(author="World Bank", publisher="World Bank")])
    assert (entry.authors, entry.publisher) == (("World Bank",), "")


def test_day_has_the_parts_that_are_stated_and_the_first_of_january_is_a_year() -> None:
    days = [
        "2023-05-01",
        "2023-05",
        "2023",
        "2023-01-01",
        "2023-13-01",
        "May 2023",
        "20230501",
        None,
    ]
    entries = build_bibliography(page(published=day) for day in days)
    issued = [entry.issued for entry in entries]
    assert issued == [(2023, 5, 1), (2023, 5), (2023,), (2023,), (), (), (), ()]


def test_keys_are_unique_and_do_not_depend_on_other_sources() -> None:
    twice = page(title="Kenya", published="2020-02-02")
    sources = [
        twice,
        page("https://example.org/2", title="日本"),
        page("https://a.test/", author="Ömer Ünal"),
        twice,
    ]
    keys = [entry.key for entry in build_bibliography(sources)]
    assert len({*keys}) == 4
    assert all(re.fullmatch("[a-z0-9]+", key) for key in keys)
    assert keys[2].startswith("omer")
    alone = [entry.key for source in sources for entry in build_bibliography([source])]
    assert alone[:3] == keys[:3]


def test_document_of_the_users_own_has_its_name_and_no_address() -> None:
    given = page(f"{OWN_FILE}my%20budget.pdf", publisher="my budget.pdf")
    served = page("http://127.0.0.1:4000/pages/notes/kenya.md", publisher="127.0.0.1")
    entries = build_bibliography([given, served])
    assert [(entry.title, entry.url, entry.publisher) for entry in entries] == [
        ("my budget.pdf", "", ""),
        ("notes/kenya.md", "", ""),
    ]


def test_address_that_is_none_of_the_web_is_left_out() -> None:
    [entry] = build_bibliography([page("javascript:alert(1)")])
    assert entry.url == ""


def test_signs_that_formats_read_as_their_own_are_encoded_in_addresses() -> None:
    [entry] = build_bibliography([page('https://example.org/{a}}\\x y?q="1"&z=%20')])
    assert entry.url == "https://example.org/%7Ba%7D%7D%5Cx%20y?q=%221%22&z=%20"

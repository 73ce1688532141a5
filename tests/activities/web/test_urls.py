"""One spelling per page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.urls import canonical


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("HTTPS://Example.COM/A", "https://example.com/A"),
        ("https://example.com", "https://example.com/"),
        ("https://example.com:443/a", "https://example.com/a"),
        ("http://example.com:80/a", "http://example.com/a"),
        ("http://example.com:443/a", "http://example.com:443/a"),
        ("https://example.com./a#part", "https://example.com/a"),
        ("https://example.com/?utm_source=x&id=3&gclid=1", "https://example.com/?id=3"),
        ("https://example.com/?b=2&a=1", "https://example.com/?b=2&a=1"),
        ("https://example.com/?fbclid=1", "https://example.com/"),
        ("https://example.com/?glance=1&gala=2", "https://example.com/?glance=1&gala=2"),
        ("http://[2001:DB8::1]:80/", "http://[2001:db8::1]/"),
        (" https://example.com/a ", "https://example.com/a"),
        ("https://u:p@example.com/", "https://u:p@example.com/"),
        ("not a url", "not a url"),
        ("http://[broken", "http://[broken"),
        ("http://example.com:port/", "http://example.com:port/"),
    ],
)
def test_a_url_has_one_spelling(url: str, expected: str) -> None:
    assert canonical(url) == expected


@given(st.from_regex(r"https?://[a-zA-Z.:\[\]@0-9]{1,20}(/[ -~]{0,20})?", fullmatch=True))
def test_the_one_spelling_stays_as_it_is(url: str) -> None:
    assert canonical(canonical(url)) == canonical(url)

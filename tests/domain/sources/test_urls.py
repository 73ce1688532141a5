"""One spelling per page."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.sources.urls import (
    MAX_NAME_CHARS,
    MAX_NAMED_URLS,
    canonicalize_url,
    compute_url_key,
    find_named_urls,
    find_urls,
    name_page,
)


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
        ("https://de.example/wiki/Köln", "https://de.example/wiki/K%C3%B6ln"),
        ("https://de.example/wiki/K%c3%b6ln", "https://de.example/wiki/K%C3%B6ln"),
        ("https://a.test/%7Euser/%61%2Fb", "https://a.test/~user/a%2Fb"),
        ('https://a.test/a b"c', "https://a.test/a%20b%22c"),
        ("https://a.test/100%", "https://a.test/100%"),
        ("https://a.test/%%34%31", "https://a.test/%%34%31"),
        ("https://a.test/?q=caf%c3%a9+x&b=%41", "https://a.test/?q=caf%C3%A9+x&b=A"),
        ("https://a.test/x/./y/../z/..", "https://a.test/x/"),
        ("https://a.test/../../x", "https://a.test/x"),
        ("https://a.test/%2e%2E/x", "https://a.test/x"),
        ("https://a.test/x//y", "https://a.test/x//y"),
        ("https://bücher.example/preise", "https://xn--bcher-kva.example/preise"),
        ("https://BÜCHER.example./", "https://xn--bcher-kva.example/"),
        ("https://b%C3%BCcher.example/", "https://xn--bcher-kva.example/"),
        ("https://例え。テスト/", "https://xn--r8jz45g.xn--zckzah/"),
        ("https://a.test/?id=7&amp;b=1&amp;amp;c=2", "https://a.test/?id=7&b=1&c=2"),
        ("https://a.test/?id=7&amp=1", "https://a.test/?id=7&amp=1"),
        ("https://a.test/?srsltid=x&gad_source=1&mkt_tok=3&id=7", "https://a.test/?id=7"),
        ("https://a.test/?id=7&ref_src=twsrc%5Etfw&UTM_Term=x", "https://a.test/?id=7"),
        ("https://a.test/?ref=producthunt", "https://a.test/"),
        ("https://a.test/?ref=news.ycombinator.com&id=7", "https://a.test/?id=7"),
        ("https://a.test/?ref=main&reference=2", "https://a.test/?ref=main&reference=2"),
        (f"https://{'ü' * 64}.test/", f"https://{'ü' * 64}.test/"),
        ("http://a.test%2F@b.test/", "http://a.test%2F@b.test/"),
        ("http://a%2Fb.test/", "http://a%2Fb.test/"),
        ("not a url", "not a url"),
        ("http://[broken", "http://[broken"),
        ("http://example.com:port/", "http://example.com:port/"),
    ],
)
def test_url_is_canonicalized(url: str, expected: str) -> None:
    assert canonicalize_url(url) == expected


@given(
    st.from_regex(r"https?://[a-zA-Z.:\[\]@0-9]{1,20}(/[ -~]{0,20})?", fullmatch=True)
    | st.from_regex(r"https?://[a-z.üß例%]{1,9}/[%0-9a-fA-F./&;?=+üß ]{0,30}", fullmatch=True)
    | st.text(max_size=40).map("https://a.test/".__add__)
)
def test_canonical_url_is_unchanged(url: str) -> None:
    assert canonicalize_url(canonicalize_url(url)) == canonicalize_url(url)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Read https://example.com/a?b=1, please.", ["https://example.com/a?b=1"]),
        ("Compare example.com/prices (and www.b.org).", ["https://example.com/prices", "https://www.b.org/"]),
        ("请读https://example.com/a。谢谢", ["https://example.com/a"]),
        ('{"site": "HTTPS://A.test"}', ["https://a.test/"]),
        ("See http://a.test/?to=https://b.test/", ["http://a.test/?to=https://b.test/"]),
        ("It grew by 3.5 percent, e.g. in Q1... Why?", []),
    ],
)  # fmt: skip
def test_urls_in_human_text_are_found(text: str, named: list[str]) -> None:
    assert find_named_urls([text]) == named


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("https://en.test/wiki/Mercury_(planet).", ["https://en.test/wiki/Mercury_(planet)"]),
        ("(see https://en.test/wiki/Mercury_(planet))", ["https://en.test/wiki/Mercury_(planet)"]),
        ("en.test/wiki/Mercury_(planet), b.test", ["https://en.test/wiki/Mercury_(planet)", "https://b.test/"]),
        ("https://a.test/b(c)d", ["https://a.test/b(c)d"]),
        ("https://a.test/b(c(d))e)f", ["https://a.test/b(c(d))e"]),
        ("[b](https://a.test/b)(https://c.test/d)", ["https://a.test/b", "https://c.test/d"]),
        ("the ministry(health.test)", ["https://health.test/"]),
        ("https://a.test(see b.test/c(d", ["https://a.test/", "https://b.test/c"]),
    ],
)  # fmt: skip
def test_parentheses_belong_to_a_path_that_closes_them(text: str, named: list[str]) -> None:
    assert find_named_urls([text]) == named


def test_number_of_named_urls_is_bounded() -> None:
    many = " ".join(f"https://example.com/{n}" for n in range(MAX_NAMED_URLS + 1))
    assert len(find_named_urls([many])) == MAX_NAMED_URLS


def test_urls_in_pages_require_a_scheme() -> None:
    text = "Buy at pumps.example.com or <https://example.com/pumps>. HTTP://A.test!"
    assert list(find_urls(text)) == ["https://example.com/pumps", "http://a.test/"]


def test_spellings_of_a_url_have_one_key() -> None:
    spellings = ("http://www.A.test/b/", "https://a.test/b", "https://a.test/b#c")
    assert {compute_url_key(url) for url in spellings} == {"a.test/b"}
    cities = (
        "https://a.test/Köln",
        "http://a.test/K%c3%b6ln/",
        "https://a.test/./K%C3%B6ln?gclid=1",
    )
    assert len({compute_url_key(url) for url in cities}) == 1
    assert compute_url_key("https://a.test/b?d=1") != compute_url_key("https://a.test/b")


@pytest.mark.parametrize(
    "text",
    ["a" * 200_000, "a." * 100_000, "http://" * 30_000, "(" * 200_000, "a.b/" + "()" * 99_999],
)
def test_urls_in_a_long_text_are_found_in_linear_time(text: str) -> None:
    begun = time.thread_time()
    find_named_urls([text])
    list(find_urls(text))
    assert time.thread_time() - begun < 1


@pytest.mark.parametrize(
    ("url", "words"),
    [
        (
            "https://a.test/pages/zambia-transportation.html?d=1#x",
            "pages zambia transportation html",
        ),
        ("https://a.test/%C3%96l_2024/", "Öl"),
        ("https://a.test", "a.test"),
        ("http://[", "["),
        ("a.test/" + "long " * 100, ("long " * 100)[:MAX_NAME_CHARS]),
    ],
)
def test_page_is_named_by_the_words_of_its_address(url: str, words: str) -> None:
    assert name_page(url) == words

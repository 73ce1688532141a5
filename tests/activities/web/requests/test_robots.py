"""What a robots.txt says to us, by RFC 9309."""

import time

import pytest

from activities.integrations.http.robots_txt_and_crawl_delay import (
    AGENT,
    MAX_CRAWL_DELAY_SECONDS,
    crawl_delay,
    parse_robots,
)

GROUPS = """\ufeff# a comment
User-agent: *
Disallow: /

USER-AGENT: other
user-agent: GreenLight/2  # by name
Disallow:
Disallow: /private
Allow: /private/open
Sitemap: https://example.org/map.xml
Disallow: /*.cgi$
Disallow: /a*b*c
Disallow: /caf\u00e9
nonsense
"""


def allows(text: str, path: str) -> bool:
    return parse_robots(text).can_fetch(f"https://example.org{path}", AGENT)


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/", True),
        ("/private", False),
        ("/privately?x=1", False),
        ("/private/open/door", True),
        ("/x/y.cgi", False),
        ("/x/y.cgi?q=1", True),
        ("/a--b--c--", False),
        ("/a--c--b", True),
        ("/caf%c3%a9/menu", False),
        ("/cafe", True),
    ],
)
def test_the_longest_rule_of_our_own_group_decides(path: str, allowed: bool) -> None:
    assert allows(GROUPS.removeprefix("\ufeff"), path) is allowed


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("", True),
        ("<html>not found</html>", True),
        ("Disallow: /", True),
        ("User-agent: *\nDisallow: /", False),
        ("User-agent: *\nDisallow: /\nUser-agent: greenlight\n", True),
        ("User-agent: greenlightly\nDisallow: /", True),
        ("User-agent: *\r\nDisallow: /a\r\nAllow: /a", True),
    ],
)
def test_without_a_group_of_ours_that_for_all_counts(text: str, allowed: bool) -> None:
    assert allows(text, "/a") is allowed


@pytest.mark.parametrize(
    ("value", "pause"), [("2.5", 2.5), ("86400", MAX_CRAWL_DELAY_SECONDS), ("nan", 0), ("-1", 0)]
)
def test_a_pause_is_kept_within_reason(value: str, pause: float) -> None:
    assert crawl_delay(parse_robots(f"User-agent: *\nCrawl-delay: {value}")) == pause


@pytest.mark.parametrize(
    "text",
    [
        "User-agent: *\nDisallow: /" + "a*" * 5_000 + "b$",
        "".join(f"User-agent: bot{n}\n" for n in range(14_000)) + "Disallow: /b\n" * 19_000,
        "".join(f"x\u2028User-agent: *bot{n}\n" for n in range(10_000)) * 2 + "Disallow: /b",
    ],
    ids=["pattern", "agents times rules", "agents again"],
)
def test_a_hostile_robots_txt_takes_no_time(text: str) -> None:
    started = time.thread_time()
    assert allows(text, "/" + "a" * 2_000)
    assert time.thread_time() - started < 2

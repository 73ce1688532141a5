"""How the fetcher behaves at sites that are not its operator's own: a real site under many names."""

import asyncio
from collections.abc import Callable
from typing import Any

import httpcore
import httpx
import pytest
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from activities.integrations.http import robots_txt_and_crawl_delay as robots_txt
from activities.integrations.http.page_fetcher import PageFetcher
from activities.integrations.http.robots_txt_and_crawl_delay import Politeness
from activities.integrations.http.site_policy import SitePolicy
from activities.integrations.http.ssrf_guard import GuardedNetwork
from contracts.errors import FetchFailed, FetchRefused
from settings import Settings
from tests.activities.web.site import Site
from tests.support.refusals import refused

Visit = Callable[..., PageFetcher]
BARRED = "User-agent: *\nDisallow: /private\nCrawl-delay: 0.6"


class Leading(httpcore.AsyncNetworkBackend):
    """Leads every connection to one server of this machine."""

    def __init__(self, pair: str) -> None:
        self._host, _, self._port = pair.partition(":")

    async def connect_tcp(self, _host: str, _port: int, *given: Any) -> httpcore.AsyncNetworkStream:
        return await httpcore.AnyIOBackend().connect_tcp(self._host, int(self._port), *given)


async def somewhere_public(_host: str, _port: int) -> list[str]:
    return ["93.184.216.34"]


@pytest.fixture
def visitor(site: Site) -> Visit:
    """Makes fetchers to which every name is the site."""

    def make(**given: Any) -> PageFetcher:
        network = GuardedNetwork(frozenset(), somewhere_public, Leading(site.host))
        return PageFetcher(timeout_seconds=3, network=network, **given)

    return make


async def test_connection_is_kept_for_a_host_and_each_new_one_is_checked(site: Site) -> None:
    """A name that leads into the private network since gets no connection of its own."""
    site.puts("/robots.txt", "")
    site.puts("/page")
    addresses = {"a.test": "93.184.216.34", "b.test": "10.0.0.1"}
    asked: list[str] = []

    async def resolve(host: str, _port: int) -> list[str]:
        asked.append(host)
        return [addresses[host]]

    network = GuardedNetwork(frozenset(), resolve, Leading(site.host))
    fetcher = PageFetcher(timeout_seconds=3, network=network)
    for _ in range(2):
        await fetcher.fetch("http://a.test/page")
    assert asked == ["a.test"]
    addresses["a.test"] = "127.0.0.1"
    await fetcher.aclose()
    for url in ("http://a.test/page", "http://b.test/page"):
        with refused(FetchRefused, "host-private"):
            await fetcher.fetch(url)


def by_host(**bodies: str) -> Callable[[Request], Response]:
    """Serve another robots.txt under each name."""
    return lambda request: Response(bodies[request.headers["host"].partition(".")[0]])


async def test_robots_txt_is_read_once_and_kept_to(site: Site, visitor: Visit) -> None:
    """Also where a redirect leads; a probe asks no less than a fetch."""
    site.does("/robots.txt", by_host(open="", barred=BARRED))
    site.puts("/page")
    site.does("/away", lambda _: RedirectResponse("http://barred.test/private"))
    fetcher = visitor()
    began = asyncio.get_running_loop().time()
    assert (await fetcher.fetch("http://barred.test/page")).url == "http://barred.test/page"
    assert asyncio.get_running_loop().time() - began >= robots_txt.PAUSE_SECONDS
    for url in ("http://barred.test/private?x", "http://open.test/away"):
        with refused(FetchRefused, "fetch-robots", host="barred.test"):
            await fetcher.fetch(url)
    with refused(FetchRefused, "fetch-robots"):
        await fetcher.probe("http://barred.test/private")
    assert site.paths == ["/robots.txt", "/page", "/robots.txt", "/away"]


@pytest.mark.parametrize(("status", "fails"), [(404, False), (403, False), (503, True)])
async def test_without_a_robots_txt_all_is_allowed_unless_it_may_come_back(
    site: Site, visitor: Visit, status: int, fails: bool
) -> None:
    site.does("/robots.txt", lambda _: Response(status_code=status))
    site.puts("/page")
    if fails:
        with refused(FetchFailed, "fetch-status", host="one.test/robots.txt", status=status):
            await visitor().fetch("http://one.test/page")
        assert site.paths == ["/robots.txt"]
    else:
        assert (await visitor().fetch("http://one.test/page")).body


async def test_a_robots_txt_may_be_elsewhere(site: Site, visitor: Visit) -> None:
    site.does("/robots.txt", lambda _: RedirectResponse("/static/robots"))
    site.puts("/static/robots", BARRED)
    with refused(FetchRefused, "fetch-robots"):
        await visitor().fetch("http://one.test/private")


async def test_a_host_is_asked_twice_at_once_and_holds_up_no_other(
    site: Site, visitor: Visit
) -> None:
    at_work, most, full, let_go = 0, 0, asyncio.Event(), asyncio.Event()

    async def slow(_: Request) -> Response:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        if at_work == robots_txt.AT_ONCE:
            full.set()
        await let_go.wait()
        at_work -= 1
        return Response("late", media_type="text/html")

    site.does("/slow", slow)
    site.puts("/page")
    fetcher = visitor()
    waiting = [asyncio.create_task(fetcher.fetch("http://slow.test/slow")) for _ in range(4)]
    await fetcher.fetch("http://quick.test/page")
    await asyncio.wait_for(full.wait(), 10)
    assert not any(task.done() for task in waiting)
    let_go.set()
    assert [page.body for page in await asyncio.gather(*waiting)] == [b"late"] * 4
    assert (most, site.paths.count("/robots.txt")) == (2, 2)


async def test_who_waits_too_long_for_a_turn_comes_back_later() -> None:
    line = Politeness(frozenset(), longest_wait_seconds=0.1)
    busy, other = (httpx.URL(f"http://{name}.test/") for name in ("busy", "other"))
    async with await line.turn(busy, None), await line.turn(other, None):
        with refused(FetchFailed, "fetch-busy", host="busy.test"):
            async with await line.turn(busy, None):
                raise AssertionError("the pause was not kept")
        await asyncio.sleep(0.1)  # the limit applies to the wait, not to the work in the turn


async def test_sites_are_forgotten_when_they_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robots_txt, "MAX_SITES", 3)
    line = Politeness(frozenset())
    for n in range(20):
        async with await line.turn(httpx.URL(f"http://{n}.test/"), None):
            pass
    assert len(line._sites) == 3


@pytest.mark.parametrize(
    ("allow", "deny", "url", "code"),
    [
        ("", "", "http://any.test/", None),
        ("a.test, b.test", "", "https://www.B.test./x", None),
        ("a.test", "", "http://nota.test/", "site-not-allowed"),
        ("a.test", "old.a.test", "http://x.old.a.test/", "site-denied"),
        ("", "a.test", "http://b.test/?a.test", None),
        ("", "b\u00fccher.test", "http://xn--bcher-kva.test/", "site-denied"),
        ("a.test", "", "http://b.test:port/", None),
    ],
)
def test_sites_are_allowed_and_denied_by_domain(
    allow: str, deny: str, url: str, code: str | None
) -> None:
    refusal = SitePolicy.of(allow, deny).refusal(url)
    assert (refusal and refusal.code) == code


@pytest.mark.parametrize("name", ["https://a.test", "a.test:80", "*.a.test", "a test", ".test"])
def test_a_setting_that_is_no_domain_is_refused(name: str) -> None:
    with pytest.raises(ValidationError, match="is not a domain; write"):
        Settings(greenlight_web_deny=f"b.test, {name}")


async def test_every_hop_is_held_against_the_lists(site: Site, visitor: Visit) -> None:
    site.does("/away", lambda _: RedirectResponse("http://www.denied.test/page"))
    site.puts("/page")
    fetcher = visitor(sites=SitePolicy.of("", "denied.test"))
    with refused(FetchRefused, "site-denied", host="www.denied.test"):
        await fetcher.fetch("http://open.test/away")
    assert "/page" not in site.paths

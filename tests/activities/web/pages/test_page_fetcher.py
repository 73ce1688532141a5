"""Reading pages of a real server, polite and hostile."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from activities.integrations.http import page_fetcher
from activities.integrations.http.page_fetcher import PageFetcher
from contracts.errors import FetchFailed, FetchRefused
from tests.activities.web.site import ARTICLE, Site
from tests.support.refusals import refused


async def test_a_page_comes_as_it_was_served(site: Site, fetcher: PageFetcher) -> None:
    url = site.puts("/a", media_type="text/html; charset=UTF-8")
    page = await fetcher.fetch(f"{url}?q=1#part")
    assert page.url == f"{url}?q=1"
    assert (page.media_type, page.charset, page.body) == ("text/html", "utf-8", ARTICLE.encode())


async def test_the_request_is_honest_and_carries_no_cookie(
    site: Site, fetcher: PageFetcher
) -> None:
    site.does("/", lambda _: RedirectResponse("/b", headers={"Set-Cookie": "a=b"}))
    site.puts("/b")
    await fetcher.fetch(site.url())
    headers = site.requests[-1].headers
    assert headers["user-agent"].startswith("Greenlight/")
    assert headers["host"] == site.host
    assert "cookie" not in headers


async def test_who_reads_is_told_where_it_is_asked_and_nowhere_else(
    site: Site, private_site: Site
) -> None:
    allow = [site.host, private_site.host]
    fetcher = PageFetcher(allow, contacts={site.host: "Acme ops@acme.example"})
    site.does("/", lambda _: RedirectResponse(private_site.url("/")))
    assert await fetcher.probe(site.url("/")) == 200
    assert site.requests[-1].headers["user-agent"].endswith(" Acme ops@acme.example")
    assert "acme" not in private_site.requests[-1].headers["user-agent"]


async def test_redirects_are_followed_and_the_last_url_is_named(
    site: Site, fetcher: PageFetcher
) -> None:
    site.does("/1", lambda _: RedirectResponse("2", 301))
    site.does("/2", lambda _: RedirectResponse(site.url("/3"), 307))
    site.puts("/3")
    assert (await fetcher.fetch(site.url("/1"))).url == site.url("/3")


async def test_a_sixth_redirect_is_not_followed(site: Site, fetcher: PageFetcher) -> None:
    for n in range(100):
        site.does(f"/{n}", lambda _, n=n: RedirectResponse(f"/{n + 1}"))  # type: ignore[misc]
    with refused(FetchRefused, "fetch-redirects", n=5):
        await fetcher.fetch(site.url("/0"))
    assert len(site.requests) == 6


async def test_a_redirect_to_itself_ends(site: Site, fetcher: PageFetcher) -> None:
    url = site.does("/", lambda _: RedirectResponse("/"))
    with refused(FetchRefused, "fetch-redirects", n=5):
        await fetcher.fetch(url)
    assert len(site.requests) == 6


@pytest.mark.parametrize(
    "target",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://[::ffff:127.0.0.1]/",
        "http://localhost/",
        "//127.0.0.1:1/",
        "file:///etc/passwd",
        "gopher://127.0.0.1/",
        "http://user:word@93.184.216.34/",
        "http://",
        "http://[broken/",
        "http://93.184.216.34/" + "a" * 3_000,
        "http://93.184.216.34:65536/",
        "http://xn--evil.com/",
        "//xn--evil.com/",
    ],
)
async def test_neither_a_url_nor_a_redirect_leads_where_it_must_not(
    site: Site, fetcher: PageFetcher, target: str
) -> None:
    site.does("/", lambda _: Response(status_code=302, headers={"Location": target}))
    with pytest.raises(FetchRefused):
        await fetcher.fetch(target)
    with pytest.raises(FetchRefused):
        await fetcher.fetch(site.url())
    assert set(site.paths) == {"/"}


async def test_a_redirect_does_not_reach_a_private_server(
    site: Site, fetcher: PageFetcher, private_site: Site
) -> None:
    site.does("/", lambda _: RedirectResponse(private_site.url()))
    for url in (site.url(), private_site.url()):
        with refused(FetchRefused, "host-private", host="127.0.0.1"):
            await fetcher.fetch(url)
    assert private_site.requests == []


async def test_an_allowed_host_before_an_at_sign_is_only_a_user_name(
    site: Site, fetcher: PageFetcher, private_site: Site
) -> None:
    with refused(FetchRefused, "url-user"):
        await fetcher.fetch(f"http://{site.host}@{private_site.host}/")
    assert private_site.requests == []


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 418, 304, 300])
async def test_a_status_that_will_not_change_refuses(
    site: Site, fetcher: PageFetcher, status: int
) -> None:
    url = site.does("/", lambda _: Response(status_code=status))
    with refused(FetchRefused, "fetch-status", status=status):
        await fetcher.fetch(url)


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
async def test_a_status_that_may_pass_is_worth_another_try(
    site: Site, fetcher: PageFetcher, status: int
) -> None:
    url = site.does("/", lambda _: Response(status_code=status, headers={"Retry-After": "7"}))
    with refused(FetchFailed, "fetch-status", status=status) as raised:
        await fetcher.fetch(url)
    assert raised.value.retry_after == 7


@pytest.mark.parametrize(
    "wait", ["", "-1", "nan", "soon", "9" * 400, "Wed, 21 Oct 2026 07:28:00 GMT"]
)
async def test_an_odd_retry_after_is_ignored(site: Site, fetcher: PageFetcher, wait: str) -> None:
    url = site.does("/", lambda _: Response(status_code=503, headers={"Retry-After": wait}))
    with pytest.raises(FetchFailed) as raised:
        await fetcher.fetch(url)
    assert raised.value.retry_after is None


@pytest.mark.parametrize("header", ["", "nonsense", ";;;", "text"])
async def test_a_page_without_a_type_is_still_read(
    site: Site, fetcher: PageFetcher, header: str
) -> None:
    url = site.puts("/", media_type=None, headers={"Content-Type": header})
    assert (await fetcher.fetch(url)).media_type == ""


async def test_a_silent_server_ends_at_the_time_limit() -> None:
    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    server = await asyncio.start_server(say_nothing, "127.0.0.1", 0)
    host = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    with refused(FetchFailed, "fetch-late", seconds=0.3):
        await PageFetcher(allow=[host], timeout_seconds=0.3).fetch(f"http://{host}/")
    server.close()


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ncut off",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * 200_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
)
async def test_what_is_not_http_or_cut_off_is_said_so(answer: bytes) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    host = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    with pytest.raises(FetchFailed, match=r"127\.0\.0\.1"):
        await PageFetcher(allow=[host], timeout_seconds=2).fetch(f"http://{host}/")
    server.close()


async def test_a_closed_port_is_worth_another_try(site: Site) -> None:
    fetcher = PageFetcher(allow=["127.0.0.1:1"])
    with refused(FetchFailed, "host-mute", port="1"):
        await fetcher.fetch("http://127.0.0.1:1/")


async def test_fetches_run_side_by_side(site: Site, fetcher: PageFetcher) -> None:
    async def slow() -> AsyncIterator[bytes]:
        await asyncio.sleep(0.3)
        yield ARTICLE.encode()

    def answer(_: Request) -> Response:
        return StreamingResponse(slow(), media_type="text/html")

    url = site.does("/", answer)
    started = asyncio.get_running_loop().time()
    await asyncio.gather(*(fetcher.fetch(url) for _ in range(10)))
    assert asyncio.get_running_loop().time() - started < 2


async def test_a_probe_asks_for_the_head_alone_where_that_is_enough(
    site: Site, fetcher: PageFetcher
) -> None:
    site.does("/old", lambda _: RedirectResponse("/new"))
    site.puts("/new")
    assert await fetcher.probe(site.url("/old")) == 200
    assert [request.method for request in site.requests] == ["HEAD", "HEAD"]
    assert await fetcher.probe(site.url("/gone")) == 404


async def test_a_probe_asks_again_where_a_server_knows_no_head(
    site: Site, fetcher: PageFetcher
) -> None:
    site.does("/", lambda r: Response(status_code=405 if r.method == "HEAD" else 200))
    assert await fetcher.probe(site.url("/")) == 200


@pytest.mark.parametrize("late", [True, False], ids=["hangs", "drops"])
async def test_probe_asks_by_get_where_head_hangs_or_drops(
    monkeypatch: pytest.MonkeyPatch, late: bool
) -> None:
    monkeypatch.setattr(page_fetcher, "HEAD_SECONDS", 0.3)
    asked = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append((await reader.readuntil(b"\r\n\r\n")).split()[0])
        if asked[-1] == b"GET":
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        elif late:
            await reader.read()  # until the client gives up
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    host = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        assert await PageFetcher([host], timeout_seconds=5).probe(f"http://{host}/") == 200
    assert asked == [b"HEAD", b"GET"]


async def test_a_probe_is_as_guarded_as_a_fetch(
    site: Site, private_site: Site, fetcher: PageFetcher
) -> None:
    site.does("/", lambda _: RedirectResponse(private_site.url("/")))
    with pytest.raises(FetchRefused):
        await fetcher.probe(site.url("/"))
    assert not private_site.requests

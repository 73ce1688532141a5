"""How much is read of a page: endless, packed, damaged and slow bodies."""

import asyncio
import gzip
import tracemalloc
import zlib
from collections.abc import AsyncIterator

import pytest
from starlette.responses import StreamingResponse

from activities.integrations.http.page_fetcher import PageFetcher
from contracts.errors import FetchFailed, FetchRefused
from tests.activities.web.site import ARTICLE, Site
from tests.support.refusals import refused

BOMB = gzip.compress(bytes(50_000_000), 1)


def in_two(text: bytes) -> bytes:
    """Pack as a log that was written to twice."""
    return gzip.compress(text[:50]) + gzip.compress(text[50:])


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress, in_two])
async def test_a_packed_page_is_unpacked(site: Site, fetcher: PageFetcher, pack: object) -> None:
    encoding = "deflate" if pack is zlib.compress else "gzip"
    body = pack(ARTICLE.encode())  # type: ignore[operator]
    url = site.puts("/z", body, headers={"Content-Encoding": encoding})
    assert (await fetcher.fetch(url)).body == ARTICLE.encode()


@pytest.mark.parametrize("media_type", ["image/png", "video/mp4", "text/css", "font/woff2"])
async def test_an_unreadable_type_is_refused_before_its_body(
    site: Site, fetcher: PageFetcher, media_type: str
) -> None:
    url = site.does("/", lambda _: StreamingResponse(_endless(), media_type=media_type))
    with refused(FetchRefused, "fetch-media", media=media_type):
        await fetcher.fetch(url)


async def _endless(pause: float = 0) -> AsyncIterator[bytes]:
    while True:
        yield b"<p>and so on</p>" * 1_000
        await asyncio.sleep(pause)


@pytest.mark.parametrize("length", [None, "10"])
async def test_an_endless_body_is_cut_at_the_limit(
    site: Site, fetcher: PageFetcher, length: str | None
) -> None:
    url = site.does("/", lambda _: StreamingResponse(_endless(), media_type="text/html"))
    with refused(FetchRefused, "fetch-large", mb=0.1):
        await fetcher.fetch(url)


async def test_a_file_may_be_larger_than_a_page(site: Site, fetcher: PageFetcher) -> None:
    url = site.puts("/", b"%PDF-" + bytes(150_000), media_type="application/pdf")
    assert len((await fetcher.fetch(url)).body) == 150_005
    url = site.puts("/", b"%PDF-" + bytes(400_000), media_type="application/pdf")
    with refused(FetchRefused, "fetch-large", mb=0.4):
        await fetcher.fetch(url)


async def test_a_bomb_does_not_unfold(site: Site, fetcher: PageFetcher) -> None:
    """Fifty megabytes in fifty kilobytes: never more of it in memory than the limit."""
    url = site.puts("/", BOMB, headers={"Content-Encoding": "gzip"})
    tracemalloc.start()
    with refused(FetchRefused, "fetch-large"):
        await fetcher.fetch(url)
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 5_000_000


EMPTY = b"\x00\x00\x00\xff\xff" * 10_000
"""Blocks of a packing that hold nothing."""


@pytest.mark.parametrize(
    ("start", "rest"),
    [(gzip.compress(ARTICLE.encode()), bytes(50_000)), (BOMB[:10], EMPTY)],
    ids=["after its end", "nothing in it"],
)
async def test_a_packing_that_goes_on_without_end_is_cut(
    site: Site, fetcher: PageFetcher, start: bytes, rest: bytes
) -> None:
    async def sent() -> AsyncIterator[bytes]:
        yield start
        while True:
            yield rest
            await asyncio.sleep(0)

    headers = {"Content-Encoding": "gzip"}
    url = site.does("/", lambda _: StreamingResponse(sent(), 200, headers, "text/html"))
    with refused(FetchRefused, "fetch-large", mb=0.1):
        await fetcher.fetch(url)


@pytest.mark.parametrize("encoding", ["br", "zstd", "compress", "gzip, gzip"])
async def test_a_packing_we_did_not_ask_for_is_refused(
    site: Site, fetcher: PageFetcher, encoding: str
) -> None:
    url = site.puts("/", BOMB, headers={"Content-Encoding": encoding})
    with refused(FetchRefused, "fetch-packed"):
        await fetcher.fetch(url)


@pytest.mark.parametrize("body", [b"not gzip at all", gzip.compress(ARTICLE.encode())[:-20]])
async def test_a_damaged_packing_is_worth_another_try(
    site: Site, fetcher: PageFetcher, body: bytes
) -> None:
    url = site.puts("/", body, headers={"Content-Encoding": "gzip"})
    with refused(FetchFailed, "fetch-damaged"):
        await fetcher.fetch(url)


async def test_a_slow_body_ends_at_the_time_limit(site: Site) -> None:
    fetcher = PageFetcher(allow=[site.host], timeout_seconds=0.5)
    url = site.does("/", lambda _: StreamingResponse(_endless(0.2), media_type="text/html"))
    with refused(FetchFailed, "fetch-late", seconds=0.5):
        await fetcher.fetch(url)

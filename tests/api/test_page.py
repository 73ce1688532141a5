"""The gateway serves the page as it was built, and says so until it is."""

from pathlib import Path

import pytest

from api import page
from tests.api.conftest import Site


@pytest.fixture
def dist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(page, "DIST", tmp_path)
    monkeypatch.setattr(page.assets, "all_directories", [tmp_path / "assets"])
    return tmp_path


async def test_until_it_is_built_the_page_says_so_and_names_what_is_ready(
    site: Site, dist: Path
) -> None:
    shown = await site.http.get("/")
    assert shown.status_code == 200
    assert "being built" in shown.text
    assert all(path in shown.text for path in ("/openapi.json", "/v1/runs", "/readyz"))
    assert 'http-equiv="refresh"' in shown.text


async def test_every_view_is_the_page_under_a_strict_policy(site: Site, dist: Path) -> None:
    (dist / "index.html").write_text("<p>built</p>")
    for path in (
        "/",
        "/inbox",
        "/runs",
        "/runs/run-1/work",
        "/compare/a/b",
        "/compose",
        "/settings",
    ):
        shown = await site.http.get(path)
        assert (shown.status_code, shown.text) == (200, "<p>built</p>")
        policy = shown.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy


async def test_an_address_of_nothing_is_the_page_for_a_browser_and_a_problem_for_others(
    site: Site, dist: Path
) -> None:
    (dist / "index.html").write_text("<p>built</p>")
    browser = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
    shown = await site.http.get("/nosuch/page", headers=browser)
    assert (shown.status_code, shown.text) == (404, "<p>built</p>")
    assert "default-src 'none'" in shown.headers["content-security-policy"]
    for path, headers in (
        ("/nosuch/page", {}),
        ("/nosuch/page", {"Accept": "application/json, text/html"}),
        ("/v1/nosuch", browser),
        ("/assets/nosuch.js", browser),
    ):
        told = await site.http.get(path, headers=headers)
        assert told.status_code == 404
        assert told.headers["content-type"] == "application/problem+json"


async def test_assets_are_kept_for_ever_and_travel_compressed(site: Site, dist: Path) -> None:
    (dist / "assets").mkdir()
    (dist / "assets" / "index-1.js").write_text("1;" * 5_000)
    found = await site.http.get("/assets/index-1.js")
    assert found.text == "1;" * 5_000
    assert found.headers["content-encoding"] == "gzip"
    assert "immutable" in found.headers["cache-control"]
    plain = await site.http.get("/assets/index-1.js", headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    again = {"If-None-Match": plain.headers["etag"]}
    assert (await site.http.get("/assets/index-1.js", headers=again)).status_code == 304
    (dist / "assets" / "font-1.woff2").write_bytes(bytes(5_000))
    font = await site.http.get("/assets/font-1.woff2")
    assert (len(font.content), "content-encoding" in font.headers) == (5_000, False)


async def test_until_it_is_built_the_page_has_no_assets(site: Site, dist: Path) -> None:
    assert (await site.http.get("/assets/index-1.js")).status_code == 404


@pytest.mark.parametrize(
    "name", ["", "none.js", "deep", "..%2Findex.html", "%2e%2e%2fbuilt-from", "%00"]
)
async def test_only_assets_are_served_as_assets(site: Site, dist: Path, name: str) -> None:
    (dist / "assets" / "deep").mkdir(parents=True)
    (dist / "index.html").write_text("<p>built</p>")
    (dist / "built-from").write_text("a hash")
    assert (await site.http.get(f"/assets/{name}")).status_code == 404

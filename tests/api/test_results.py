"""What a run found, as it is served."""

import pytest

from api.report import page
from tests.api.conftest import PAGE, Site
from tests.api.test_forms import told


@pytest.fixture(scope="module")
async def run(site: Site) -> str:
    return await site.complete()


async def test_the_report_is_markdown_and_a_page(site: Site, run: str) -> None:
    markdown = await site.get(f"{run}/report")
    assert markdown.headers["content-type"].startswith("text/markdown")
    assert markdown.text.startswith("# Pumps, compared")
    html = await site.get(f"{run}/report", format="html")
    assert html.headers["content-type"].startswith("text/html")
    assert "<h1>Pumps, compared</h1>" in html.text
    assert "[1]" in html.text
    policy = html.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    told(await site.get(f"{run}/report", format="exe"), 422, "invalid-input")


def test_a_page_runs_and_loads_nothing() -> None:
    """HTML in a report shows as text, and so does a link that is none."""
    html = page(
        "<b>", "<script>x</script> [a](javascript:x) ![b](http://t.example/x.gif)\n\n|a|\n|-|\n|b|"
    )
    assert "<script>" not in html
    assert "<title>&lt;b&gt;</title>" in html
    assert 'href="javascript' not in html
    assert "<table>" in html


async def test_sources_are_numbered_and_kept(site: Site, run: str) -> None:
    sources = (await site.get(f"{run}/sources")).json()["items"]
    assert [s["url"] for s in sources] == ["https://example.org/0"]
    snapshot = await site.get(f"{run}/sources/1/snapshot")
    assert snapshot.text == PAGE
    assert snapshot.headers["content-type"].startswith("text/plain")
    assert snapshot.headers["content-security-policy"] == "sandbox"
    assert snapshot.headers["x-content-type-options"] == "nosniff"
    told(await site.get(f"{run}/sources/2/snapshot"), 404, "not-found")
    told(await site.get(f"{run}/sources/0/snapshot"), 422, "invalid-input")


async def test_a_run_without_a_report_says_so(site: Site) -> None:
    fresh = await site.start()
    told(await site.get(f"{fresh}/report"), 404, "not-found")
    assert (await site.get(f"{fresh}/sources")).json()["items"] == []
    await site.post(f"{fresh}/cancel")

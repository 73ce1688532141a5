"""Sources as tests know them."""

from typing import Any

from contracts.documents import PageSection
from contracts.evidence.sources import Source


def page(url: str = "https://example.org/1", **more: Any) -> Source:
    """Return a page that was read."""
    given = {"url": url, "retrieved_at": "2026-01-01T00:00:00+00:00", "content_hash": url}
    kept = {"text_key": "default/x/0", "raw_key": "default/x/1", "chars": 100}
    return Source.model_validate(given | kept | more)


def page_of(chars: int) -> Source:
    """Return a page of `chars` characters, with a section in its middle."""
    section = PageSection(heading="Prices", start=12_000, end=12_400)
    return page("http://a.test/", title="Pumps", chars=chars, sections=[section])

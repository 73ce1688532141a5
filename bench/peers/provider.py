"""A simulated provider: the stand-in's answers, searches and pages, each with a fixed latency.

The pages are made of the sample library: of each country four pages of about 1,500 words.
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from bench.replay import Pace, Scripted
from offline import edgar, messages, pages, search
from offline.filings.filing_store import Cabinet
from offline.library.document import LibraryDocument, LibraryPage, render
from offline.library.index import Library, Shelf
from offline.library.sample import PUBLISHER, load_countries, load_notices, make_text
from offline.recordings.recording import Body, RequestForm, list_judged

PACE = Pace(first_seconds=1.0, tokens_per_second=100.0)
SEARCH_SECONDS, PAGE_SECONDS = 0.5, 0.3
COUNTRIES = (
    *("Kenya", "Ethiopia", "Tanzania", "Uganda", "Rwanda", "Zambia", "Malawi", "Mozambique"),
    *("Ghana", "Nigeria", "Senegal", "Morocco", "Egypt", "India", "Vietnam"),
)
THEMES = {
    "land, water and energy": ("Geography", "Environment", "Energy", "Space"),
    "people and history": ("People and Society", "Introduction"),
    "economy and trade": ("Economy", "Transportation", "Communications", "Military and Security"),
    "government": ("Government", "Transnational Issues"),
}
PAGE_WORDS = 1_500
REWORDED = 3
"""Every third sentence is reworded so that a judge is needed; 0 rewords none."""


def list_pages() -> Iterator[LibraryDocument]:
    """Yield the corpus: a page for each country and theme, and the sample's notices of results."""
    countries = load_countries()
    for country in COUNTRIES:
        for theme, sections in THEMES.items():
            texts = (make_text(country, countries[country].get(name, {})) for name in sections)
            lines = "\n".join(texts).splitlines()
            yield LibraryDocument(
                slug="-".join(re.findall(r"\w+", f"{country} {theme}".lower())),
                title=f"{country}: {theme}",
                text=_cut("\n".join(dict.fromkeys(lines))),
                publisher=PUBLISHER,
                published="2025-01-01",
            )
    yield from load_notices()


def _cut(text: str) -> str:
    """Return the lines of a text that fit a page."""
    kept, words = list[str](), 0
    for line in text.splitlines():
        words += len(line.split())
        if kept and words > PAGE_WORDS:
            break
        kept.append(line)
    return "\n".join(kept)


class Corpus:
    """A shelf with the pages of the corpus."""

    name = "corpus"

    def __init__(self) -> None:
        self._documents: dict[str, LibraryDocument] = {}

    def scan(self) -> Iterator[tuple[str, LibraryDocument | None]]:
        """Yield every page on the first call, and nothing afterwards."""
        if not self._documents:
            self._documents = {each.slug: each for each in list_pages()}
            yield from self._documents.items()

    def get_page(self, slug: str) -> LibraryPage | None:
        """Return one page as HTML."""
        if (document := self._documents.get(slug)) is None:
            return None
        return LibraryPage(render(document).encode(), "text/html; charset=utf-8", document)


class SubjectLibrary(Library):
    """Finds the pages of the countries that a query names before others, as search engines do."""

    def rank(self, query: str, terms: list[str]) -> list[LibraryDocument]:
        """Return the documents that match, those of a named country first."""
        named = tuple(f"{country}:" for country in COUNTRIES if country in query)
        return sorted(super().rank(query, terms), key=lambda each: not each.title.startswith(named))


class Services:
    """Search, pages and filings over a shelf; keeps the paths that were asked for."""

    def __init__(self, shelf: Shelf) -> None:
        self.requests: list[str] = []
        library = SubjectLibrary(shelf)
        library.refresh()  # index now, outside the measured runs
        self.routes: list[BaseRoute] = [
            *(self._delay(route, SEARCH_SECONDS) for route in search.routes(library)),
            *(self._delay(route, PAGE_SECONDS) for route in pages.routes(library)),
            *(self._delay(route, PAGE_SECONDS) for route in edgar.routes(Cabinet())),
        ]

    def _delay(self, route: BaseRoute, seconds: float) -> BaseRoute:
        """Return the route with its answer delayed by `seconds`."""
        if not isinstance(route, Route):
            return route
        answer: Callable[[Request], Awaitable[Response]] = route.endpoint

        async def delayed(request: Request) -> Response:
            self.requests.append(request.url.path)
            await asyncio.sleep(seconds)
            return await answer(request)

        return Route(route.path, delayed, methods=["GET"])


class StandIn(Scripted):
    """The stand-in model, except that some sentences do not repeat their quote verbatim."""

    def __init__(self, pace: Pace = PACE, reworded: int = REWORDED) -> None:
        super().__init__(pace)
        self._reworded = reworded
        self._sentences = 0

    async def reply(self, body: Body, call: str = "") -> Body:
        """Return the stand-in's answer; a judge's call gets every sentence supported."""
        if RequestForm.of(body).of_sentences == "verdicts":
            held = {"verdicts": [], "supported": [each["claim"] for each in list_judged(body)]}
            return {"content": [{"type": "text", "text": json.dumps(held)}]}
        message = await asyncio.to_thread(messages.answer, body, "")
        blocks = [self._reword(block) for block in message["content"]]
        return {"content": blocks, "stop_reason": message["stop_reason"]}

    def _reword(self, value: Any) -> Any:
        """Return a tool call with each third of its sentences in other words."""
        if isinstance(value, list):
            return [self._reword(each) for each in value]
        if not isinstance(value, dict):
            return value
        changed = {name: self._reword(each) for name, each in value.items()}
        if value.get("citations") and value.get("text"):
            self._sentences += 1
            if self._reworded and self._sentences % self._reworded == 0:
                changed["text"] = f"As the source puts it, {value['text']}"
        return changed

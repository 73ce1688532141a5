"""Anthropic's server-side web fetch: the text of a page whose server refuses our own request."""

import base64
import binascii
from typing import Any

from activities.integrations.http.page_fetcher import MAX_BYTES, FetchedPage
from activities.integrations.search.anthropic_tool import MAX_TOKENS, AnthropicTool, OnPaid
from contracts.errors import SearchRefused
from contracts.models.usage import Usage

TOOL = "web_fetch_20250910"
MAX_CONTENT_TOKENS = 25_000
"""Limit of a page's text, which is billed as input; the rest of it is cut off."""
MOST_INPUT_TOKENS = MAX_CONTENT_TOKENS + 5_000
PROMPT = "Fetch this page once, then reply with the one word: done.\n\n{url}"


class AnthropicFetch(AnthropicTool):
    """Reads a page through the Messages API's tool `web_fetch`, which costs its tokens alone."""

    @property
    def most_usd(self) -> float:
        """The most that one page costs."""
        return self._price.compute_most_usd(MOST_INPUT_TOKENS, MAX_TOKENS)

    async def read(self, url: str, on_paid: OnPaid) -> tuple[FetchedPage, Usage]:
        """Return the page as the provider read it, as text or PDF, and the cost.

        Raises:
            SearchFailed, SearchRefused: It returned no page.
        """
        tool = {
            "type": TOOL,
            "name": "web_fetch",
            "max_uses": 1,
            "max_content_tokens": MAX_CONTENT_TOKENS,
        }
        blocks, usage = await self.use(tool, PROMPT.format(url=url), on_paid)
        results = [part.content for part in blocks if part.type == "web_fetch_tool_result"]
        pages = [each for each in results if each.type == "web_fetch_result"]
        if not pages:
            codes = [str(getattr(each, "error_code", "")) for each in results]
            raise SearchRefused(self._tell("fetch-tool-error", name=", ".join(codes) or "no fetch"))
        return self._to_page(pages[0], url), usage

    def _to_page(self, found: Any, url: str) -> FetchedPage:
        source = found.content.source
        if source.type == "text":
            body, kind = str(source.data).encode("utf-8", "replace"), "text/plain"
        else:
            try:
                body, kind = base64.b64decode(source.data, validate=True), "application/pdf"
            except (binascii.Error, ValueError) as error:
                raise SearchRefused(self._tell("fetch-tool-error", name="damaged")) from error
        return FetchedPage(url, kind, "utf-8" if kind == "text/plain" else "", body[:MAX_BYTES])

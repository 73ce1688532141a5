"""The provider's server tools in the Messages API, `web_search` and `web_fetch`, over the library."""

import hashlib
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from offline import wire
from offline.library.index import Library

HITS = 10
"""Results per search, as many as the provider returns."""
ENCRYPTED = "bm90aGluZyBhIGNsaWVudCBjYW4gcmVhZA=="
PAGES = "/pages/"

Content = dict[str, Any]


def find_server_tool(body: dict[str, Any]) -> str:
    """Return the name of the first server tool that a request offers, or an empty string."""
    kinds = [str(tool.get("type", "")) for tool in body.get("tools") or []]
    return next((n for n in ("web_search", "web_fetch") if any(k.startswith(n) for k in kinds)), "")


def use_server_tool(body: dict[str, Any], library: Library, base: str, size: int) -> dict[str, Any]:
    """Return the message of a model that used the tool once, on the last line it was sent."""
    name = find_server_tool(body)
    asked = _read_last_line(body)
    find: Callable[[str, Library, str], Content] = _search if name == "web_search" else _fetch
    used = hashlib.sha256(f"{name} {asked}".encode()).hexdigest()[:24]
    content: list[Content] = [
        {
            "type": "server_tool_use",
            "id": f"srvtoolu_{used}",
            "name": name,
            "input": {"query": asked} if name == "web_search" else {"url": asked},
        },
        {
            "type": f"{name}_tool_result",
            "tool_use_id": f"srvtoolu_{used}",
            "content": find(asked, library, base),
        },
        {"type": "text", "text": "done"},
    ]
    whole = wire.build_message(body["model"], content, "end_turn", size)
    counts = dict.fromkeys(("web_search_requests", "web_fetch_requests"), 0)
    whole["usage"]["server_tool_use"] = counts | {f"{name}_requests": 1}
    return whole


def _read_last_line(body: dict[str, Any]) -> str:
    content = body["messages"][0]["content"]
    text = content if isinstance(content, str) else content[-1].get("text", "")
    return str(text).strip().rpartition("\n")[2]


def _search(query: str, library: Library, base: str) -> Any:
    return [
        {
            "type": "web_search_result",
            "url": f"{base}{PAGES.removeprefix('/')}{quote(document.slug)}",
            "title": document.title,
            "page_age": document.published or None,
            "encrypted_content": ENCRYPTED,
        }
        for document, _ in library.search(query, HITS)
    ]


def _fetch(url: str, library: Library, base: str) -> Content:
    path = unquote(urlsplit(url).path)
    page = library.get_page(path.removeprefix(PAGES)) if path.startswith(PAGES) else None
    if page is None:
        return {"type": "web_fetch_tool_result_error", "error_code": "url_not_accessible"}
    source = {"type": "text", "media_type": "text/plain", "data": page.document.text}
    return {
        "type": "web_fetch_result",
        "url": url,
        "retrieved_at": "2026-01-01T00:00:00Z",
        "content": {"type": "document", "source": source, "title": page.document.title},
    }

"""Brave's web and news search, in its wire format, over the library."""

from typing import Any
from urllib.parse import quote
from uuid import uuid4

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from offline.library.document import LibraryDocument
from offline.library.index import Library

MOST_WORDS, MOST_CHARS = 50, 400


def routes(library: Library) -> list[Route]:
    """Return the two search endpoints."""

    async def web(request: Request) -> JSONResponse:
        return await answer(request, library, largest=20, news=False)

    async def news(request: Request) -> JSONResponse:
        return await answer(request, library, largest=50, news=True)

    return [Route("/res/v1/web/search", web), Route("/res/v1/news/search", news)]


async def answer(request: Request, library: Library, largest: int, news: bool) -> JSONResponse:
    """Answer one query as Brave does, form errors included."""
    if not request.headers.get("x-subscription-token"):
        return build_error(
            422, "SUBSCRIPTION_TOKEN_INVALID", "The provided subscription token is invalid."
        )
    query = request.query_params.get("q", "").strip()
    problem = find_problem(query, request.query_params, largest)
    if problem:
        return build_error(422, "VALIDATION", problem)
    count, offset = (int(request.query_params.get(k, d)) for k, d in (("count", 20), ("offset", 0)))
    hits = await run_in_threadpool(library.search, query, count, offset * count)
    kind = "news_result" if news else "search_result"
    results = [format_hit(*hit, kind, str(request.base_url)) for hit in hits]
    if news:
        return JSONResponse({"type": "news", "query": {"original": query}, "results": results})
    body: dict[str, Any] = {"type": "search", "query": {"original": query}}
    return JSONResponse(body | ({"web": {"type": "search", "results": results}} if hits else {}))


def find_problem(query: str, given: Any, largest: int) -> str:
    """Describe what is wrong with a query, or return an empty string."""
    if not query or len(query) > MOST_CHARS or len(query.split()) > MOST_WORDS:
        return f"q must have 1 to {MOST_CHARS} characters and at most {MOST_WORDS} words"
    for name, low, high in (("count", 1, largest), ("offset", 0, 9)):
        value = given.get(name, str(low))
        if not value.isdecimal() or not low <= int(value) <= high:
            return f"{name} must be a number from {low} to {high}"
    return ""


def build_error(status: int, code: str, detail: str) -> JSONResponse:
    """Return an error in Brave's shape."""
    error = {"id": str(uuid4()), "status": status, "code": code, "detail": detail}
    return JSONResponse({"type": "ErrorResponse", "error": error}, status)


def format_hit(document: LibraryDocument, excerpt: str, kind: str, base: str) -> dict[str, Any]:
    """Return a hit as Brave lists it."""
    day = document.published
    return {
        "type": kind,
        "title": document.title,
        "url": f"{base}pages/{quote(document.slug)}",
        "description": excerpt,
        "profile": {"name": document.publisher},
        "language": "en",
    } | ({"age": day, "page_age": f"{day}T00:00:00"} if day else {})

"""The pages that search results point to, over HTTP."""

from datetime import UTC, datetime
from email.utils import format_datetime

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from greenlight.offline.library.document import Page
from greenlight.offline.library.index import Library

NOT_FOUND = "<!DOCTYPE html><html><head><title>404</title></head><body>No such page.</body></html>"


def routes(library: Library) -> list[Route]:
    """Return the pages and the library's own description."""

    async def page(request: Request) -> Response:
        found = await run_in_threadpool(library.page, request.path_params["slug"])
        if found is None:
            return HTMLResponse(NOT_FOUND, 404)
        return Response(found.body, headers=headers(found))

    async def describe(_: Request) -> JSONResponse:
        documents = await run_in_threadpool(library.count)
        return JSONResponse(
            {"name": library.name, "documents": documents, "warnings": library.warnings}
        )

    return [Route("/pages/{slug:path}", page), Route("/library", describe)]


def headers(page: Page) -> dict[str, str]:
    """Return a page's type and, where it states one, its date."""
    published = page.document.published
    dated = {"last-modified": http_date(published)} if published else {}
    return {"content-type": page.content_type, "x-content-type-options": "nosniff"} | dated


def http_date(day: str) -> str:
    """Return an ISO date as HTTP writes it."""
    return format_datetime(datetime.fromisoformat(day).replace(tzinfo=UTC), usegmt=True)

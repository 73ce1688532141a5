"""The pages that search results point to, over HTTP."""

from datetime import UTC, datetime
from email.utils import format_datetime

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from offline.library.document import LibraryPage, render
from offline.library.index import Library

NOT_FOUND = "<!DOCTYPE html><html><head><title>404</title></head><body>No such page.</body></html>"


def routes(library: Library) -> list[Route]:
    """Return the routes of the pages and of the library's description."""

    async def page(request: Request) -> Response:
        found = await run_in_threadpool(library.get_page, request.path_params["slug"])
        if found is None:
            return HTMLResponse(NOT_FOUND, 404)
        return build_response(found, request.headers.get("accept", "*/*"))

    async def describe(_: Request) -> JSONResponse:
        count = await run_in_threadpool(library.count_documents)
        return JSONResponse({"name": library.shelf.name, "documents": count})

    return [Route("/pages/{slug:path}", page), Route("/library", describe)]


def build_response(page: LibraryPage, accept: str) -> Response:
    """Return a page as its file, or as text in HTML to who asks for HTML and cannot read the file."""
    published = page.document.published
    day = datetime.fromisoformat(published).replace(tzinfo=UTC) if published else None
    headers = {"last-modified": format_datetime(day, usegmt=True)} if day else {}
    media_type = page.content_type.partition(";")[0]
    if media_type.startswith("application/") and "text/html" in accept and media_type not in accept:
        return HTMLResponse(render(page.document), headers=headers)
    return Response(page.body, headers=headers | {"content-type": page.content_type})

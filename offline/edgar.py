"""SEC EDGAR's public JSON and closing prices, over the filings of a folder or the sample."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from offline.filings.filing_store import SAMPLE, Cabinet

_CONTACT = re.compile(r"(?<![^\s@])[^\s@]+@[^\s@]+\.[^\s@]+")
_MISSING = "<Error><Code>NoSuchKey</Code></Error>"
_UNDECLARED = (
    "<!DOCTYPE html><html><head><title>SEC.gov | Request refused</title></head><body><h1>Undeclared"
    " automated tool</h1><p>Say in your User-Agent who asks, with a mail address.</p></body></html>"
)


def routes(cabinet: Cabinet) -> list[BaseRoute]:
    """Return EDGAR's endpoints, the list of tickers, submissions, facts and filings, and the sample's prices."""

    def by_exchange() -> Any:
        rows = [[c.cik, c.name, c.ticker, c.exchange] for c in cabinet.list_companies()]
        return {"fields": ["cik", "name", "ticker", "exchange"], "data": rows}

    return [
        Mount("/closes", StaticFiles(directory=SAMPLE / "closes")),
        Route("/files/company_tickers_exchange.json", make_endpoint(by_exchange)),
        Route("/Archives/edgar/data/{cik:int}/{folder}/{name}", make_endpoint(cabinet.document)),
        Route("/submissions/CIK{cik:int}.json", make_endpoint(cabinet.submissions)),
        Route(
            "/submissions/CIK{cik:int}-submissions-{page:int}.json",
            make_endpoint(cabinet.older_submissions),
        ),
        Route("/api/xbrl/companyfacts/CIK{cik:int}.json", make_endpoint(cabinet.facts)),
    ]


def make_endpoint(find: Callable[..., Any]) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint that serves the result of `find`: bytes unchanged, other data as JSON."""

    async def answer(request: Request) -> Response:
        if not _CONTACT.search(request.headers.get("user-agent", "")):
            return HTMLResponse(_UNDECLARED, 403)
        body = await run_in_threadpool(find, **request.path_params)
        if body is None:
            return Response(_MISSING, 404, media_type="application/xml")
        is_page = request.url.path.startswith("/Archives/")
        media_type = "text/html" if is_page else "application/json"
        is_file = isinstance(body, bytes)
        return Response(body, media_type=media_type) if is_file else JSONResponse(body)

    return answer

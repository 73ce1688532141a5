"""SEC EDGAR's public JSON, in its wire format, over the filings of a folder or the sample."""

import re
from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from offline.filings.cabinet import Cabinet

_CONTACT = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+")
_UNDECLARED = (
    "<!DOCTYPE html><html><head><title>SEC.gov | Request refused</title></head><body>"
    "<h1>Undeclared automated tool</h1>"
    "<p>Say in your User-Agent who asks, with a mail address.</p></body></html>"
)
_NO_SUCH_KEY = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    "<Error><Code>NoSuchKey</Code><Message>There is no such key.</Message></Error>"
)


def routes(cabinet: Cabinet) -> list[Route]:
    """Return EDGAR's endpoints: the two lists of tickers, submissions, facts."""

    async def by_exchange(request: Request) -> Response:
        return await _answer(request, lambda: _by_exchange(cabinet))

    async def by_number(request: Request) -> Response:
        return await _answer(request, lambda: _by_number(cabinet))

    async def submissions(request: Request) -> Response:
        cik = int(request.path_params["cik"])
        return await _answer(request, lambda: _file(cabinet.submissions(cik)))

    async def facts(request: Request) -> Response:
        cik = int(request.path_params["cik"])
        return await _answer(request, lambda: _file(cabinet.facts(cik)))

    return [
        Route("/files/company_tickers_exchange.json", by_exchange),
        Route("/files/company_tickers.json", by_number),
        Route("/submissions/CIK{cik:int}.json", submissions),
        Route("/api/xbrl/companyfacts/CIK{cik:int}.json", facts),
    ]


async def _answer(request: Request, make: Callable[[], Response]) -> Response:
    if not _CONTACT.search(request.headers.get("user-agent", "")):
        return HTMLResponse(_UNDECLARED, 403)
    return await run_in_threadpool(make)


def _by_exchange(cabinet: Cabinet) -> Response:
    rows = [[c.cik, c.name, c.ticker, c.exchange] for c in cabinet.listed()]
    return JSONResponse({"fields": ["cik", "name", "ticker", "exchange"], "data": rows})


def _by_number(cabinet: Cabinet) -> Response:
    rows = [{"cik_str": c.cik, "ticker": c.ticker, "title": c.name} for c in cabinet.listed()]
    return JSONResponse({str(number): row for number, row in enumerate(rows)})


def _file(body: bytes | None) -> Response:
    if body is None:
        return Response(_NO_SUCH_KEY, 404, media_type="application/xml")
    return Response(body, media_type="application/json")

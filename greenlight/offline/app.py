"""The four services as one ASGI application."""

from starlette.applications import Starlette
from starlette.middleware import Middleware

from greenlight.offline import control, edgar, log, messages, pages, search
from greenlight.offline.filings.cabinet import Cabinet
from greenlight.offline.front import Front
from greenlight.offline.library.index import Library


def create_app(
    library: Library, cabinet: Cabinet, latency: float = 0.0, pace: float = 0.0
) -> Starlette:
    """Return the services over a library and the filings of companies."""
    requests, switches = log.RequestLog(), control.Control(latency, pace)
    return Starlette(
        routes=[
            *messages.routes(switches),
            *search.routes(library),
            *pages.routes(library),
            *edgar.routes(cabinet),
            *control.routes(switches),
            *log.routes(requests),
        ],
        middleware=[Middleware(Front, log=requests, control=switches)],
    )

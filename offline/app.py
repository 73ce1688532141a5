"""The four services as one ASGI application."""

from starlette.applications import Starlette
from starlette.middleware import Middleware

from offline import control, edgar, messages, pages, request_log, search
from offline.access import AccessControl
from offline.faults import Faults
from offline.filings.cabinet import Cabinet
from offline.library.index import Library


def create_app(library: Library, cabinet: Cabinet, faults: control.Control, key: str) -> Starlette:
    """Return the services over a library and the filings of companies."""
    log = request_log.RequestLog()
    return Starlette(
        routes=[
            *messages.routes(faults),
            *search.routes(library),
            *pages.routes(library),
            *edgar.routes(cabinet),
            *control.routes(faults),
            *request_log.routes(log),
        ],
        middleware=[
            Middleware(AccessControl, key=key),
            Middleware(Faults, log=log, control=faults),
        ],
    )

"""The three services as one ASGI application."""

from starlette.applications import Starlette
from starlette.middleware import Middleware

from greenlight.offline import control, log, messages, pages, search
from greenlight.offline.front import Front
from greenlight.offline.library.index import Library


def create_app(library: Library, latency: float = 0.0, pace: float = 0.0) -> Starlette:
    """Return the services over a library."""
    requests, switches = log.RequestLog(), control.Control(latency, pace)
    return Starlette(
        routes=[
            *messages.routes(switches),
            *search.routes(library),
            *pages.routes(library),
            *control.routes(switches),
            *log.routes(requests),
        ],
        middleware=[Middleware(Front, log=requests, control=switches)],
    )

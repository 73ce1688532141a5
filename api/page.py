"""Serves the page built from `web/`, with a policy that allows no other code or content."""

from http import HTTPStatus
from pathlib import Path
from typing import Any

from fastapi import Request, Response
from fastapi.responses import FileResponse, HTMLResponse
from starlette.staticfiles import StaticFiles

from api.json_bodies import Router

DIST = Path(__file__).parent.parent / "web" / "dist"
VIEWS = (
    *("/", "/settings", "/schedules", "/inbox", "/inbox/{id}", "/compose", "/compose/{view:path}"),
    *("/collections", "/collections/{view:path}"),
    "/shared/{view:path}",
    *("/runs", "/runs/{view:path}", "/compare/{view:path}"),
)
"""Paths that the page itself understands; each may be opened and reloaded."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
FOR_EVER = "public, max-age=31536000, immutable"
"""An asset's name contains a hash of its content."""
UNBUILT = """<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="2">
<meta name="viewport" content="width=device-width"><title>Greenlight</title>
<h1>Greenlight</h1><p>The page is being built: half a minute, once. It opens here by itself.
If it does not, <code>logs/page.log</code> in Greenlight's home says why.</p>
<p>The terminal and the API are ready: <a href="/docs">its operations</a>,
<a href="/openapi.json">its description</a>, <a href="/v1/runs">runs</a>, <a href="/readyz">health</a>.</p></html>"""

router = Router(include_in_schema=False)


def is_looked_at(request: Request) -> bool:
    """Return whether a browser shows to a human what it is answered."""
    path = request.url.path
    if request.method != "GET" or path.startswith(("/v1/", "/assets/")):
        return False
    wanted = request.headers.get("accept", "").partition(",")[0]
    return wanted.partition(";")[0].strip() == "text/html"


async def show_page() -> Response:
    """Return the page, which finds its view by the path."""
    return show_view()


def show_view(status: int = HTTPStatus.OK) -> Response:
    """Return the page with a status; until it is built, say so."""
    if not (DIST / "index.html").exists():
        policy = "default-src 'none'; frame-ancestors 'none'"
        return HTMLResponse(UNBUILT, status, {"Content-Security-Policy": policy})
    return FileResponse(DIST / "index.html", status, {"Content-Security-Policy": POLICY})


for path in VIEWS:
    router.add_api_route(path, show_page)


class PageAssets(StaticFiles):
    """The page's scripts, styles, fonts and pictures, which browsers keep."""

    async def check_config(self) -> None:
        """Serve nothing, rather than fail, until the page is built."""

    def file_response(self, *file: Any, **status: Any) -> Response:
        """Return a file."""
        response = super().file_response(*file, **status)
        response.headers["Cache-Control"] = FOR_EVER
        return response


assets = PageAssets(directory=DIST / "assets", check_dir=False)

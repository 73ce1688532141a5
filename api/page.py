"""The page, as `web/` was built: its files, under a policy that lets nothing else run or load."""

from pathlib import Path
from typing import Any

from fastapi import APIRouter, Response
from fastapi.responses import FileResponse, HTMLResponse
from starlette.staticfiles import StaticFiles

DIST = Path(__file__).parent.parent / "web" / "dist"
VIEWS = (
    *("/", "/settings", "/compose", "/compose/{view:path}"),
    "/shared/{view:path}",
    *("/runs", "/runs/{view:path}", "/compare/{view:path}"),
)
"""Paths that the page itself understands; each may be opened and reloaded."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
FOR_EVER = "public, max-age=31536000, immutable"
"""An asset's name holds a hash of what is in it."""
UNBUILT = """<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="2">
<meta name="viewport" content="width=device-width"><title>Greenlight</title>
<h1>Greenlight</h1><p>The page is being built: half a minute, once. It opens here by itself.
If it does not, <code>logs/page.log</code> in Greenlight's home says why.</p>
<p>The terminal and the API are ready: <a href="/docs">its operations</a>,
<a href="/openapi.json">its description</a>, <a href="/v1/runs">runs</a>, <a href="/readyz">health</a>.</p></html>"""

router = APIRouter(include_in_schema=False)


async def show_view() -> Response:
    """Return the page, which finds its view by the path; until it is built, say so."""
    if not (DIST / "index.html").exists():
        policy = {"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'"}
        return HTMLResponse(UNBUILT, headers=policy)
    return FileResponse(DIST / "index.html", headers={"Content-Security-Policy": POLICY})


for path in VIEWS:
    router.add_api_route(path, show_view)


class PageAssets(StaticFiles):
    """The page's scripts, styles, fonts and pictures, which browsers keep."""

    async def check_config(self) -> None:
        """Have no file, rather than fail, until the page is built."""

    def file_response(self, *file: Any, **status: Any) -> Response:
        """Return a file."""
        response = super().file_response(*file, **status)
        response.headers["Cache-Control"] = FOR_EVER
        return response


assets = PageAssets(directory=DIST / "assets", check_dir=False)

"""The page, as `web/` was built: its files, under a policy that lets nothing else run or load."""

import gzip
import mimetypes
from functools import cache
from pathlib import Path

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from contracts.errors import NotFound

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
MIN_ZIPPED_BYTES = 1_000
UNBUILT = """<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="2">
<meta name="viewport" content="width=device-width"><title>Greenlight</title>
<h1>Greenlight</h1><p>The page is being built: half a minute, once. It opens here by itself.
If it does not, <code>logs/page.log</code> in Greenlight's home says why.</p>
<p>The terminal and the API are ready: <a href="/docs">its operations</a>,
<a href="/openapi.json">its description</a>, <a href="/v1/runs">runs</a>, <a href="/readyz">health</a>.</p></html>"""

router = APIRouter(include_in_schema=False)


async def show_view(request: Request) -> Response:
    """Return the page, which finds its view by the path; until it is built, say so."""
    if not (DIST / "index.html").exists():
        policy = {"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'"}
        return HTMLResponse(UNBUILT, headers=policy)
    return _respond(request, "index.html", {"Content-Security-Policy": POLICY})


for path in VIEWS:
    router.add_api_route(path, show_view)


@router.get("/assets/{name}")
async def get_asset(request: Request, name: str) -> Response:
    """Return a script, style, font or picture of the page."""
    if name not in {file.name for file in (DIST / "assets").glob("*")}:
        raise NotFound(f"the page has no asset {name!r}")
    return _respond(request, f"assets/{name}", {"Cache-Control": FOR_EVER})


def _respond(request: Request, name: str, headers: dict[str, str]) -> Response:
    """Return a built file, compressed where the browser takes that."""
    file = DIST / name
    body = file.read_bytes()
    media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
    is_text = not media_type.startswith("font/")
    if (
        is_text
        and len(body) > MIN_ZIPPED_BYTES
        and "gzip" in request.headers.get("accept-encoding", "")
    ):
        body, headers = (
            _compress(body),
            {**headers, "Content-Encoding": "gzip", "Vary": "Accept-Encoding"},
        )
    return Response(body, media_type=media_type, headers=headers)


@cache
def _compress(body: bytes) -> bytes:
    return gzip.compress(body, mtime=0)

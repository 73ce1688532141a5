"""A page that lists all operations, for reading the API in a browser."""

from collections.abc import Iterator
from html import escape
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse

from api.json_bodies import Router

router = Router(include_in_schema=False)


@router.get("/docs")
async def show_operations(request: Request) -> HTMLResponse:
    """Return a page of all operations, generated from the OpenAPI description."""
    body = "".join(_list_operations(request.app.openapi()))
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Operations</title>'
    return HTMLResponse(f"{head}<body><h1>Operations</h1>{body}</body></html>")


def _list_operations(description: dict[str, Any]) -> Iterator[str]:
    tag = ""
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            [heading] = operation["tags"]
            if heading != tag:
                tag = heading
                yield f"<h2>{escape(tag)}</h2>"
            yield f"<p><code>{method.upper()} {escape(path)}</code><br>{escape(operation['description'])}"
            told = [(p["name"], p.get("description", "")) for p in operation.get("parameters", ())]
            items = [f"<li><code>{escape(name)}</code> {escape(about)}" for name, about in told]
            yield f"<ul>{''.join(items)}</ul>" if items else ""

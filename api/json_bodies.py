"""JSON bodies: requests are parsed once and strictly, responses are without the keys of blobs."""

import json
import re
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel
from pydantic_core import from_json

from contracts.blobs import KEY_FIELDS, hide_blob_keys

_BOM = b"\xef\xbb\xbf"


def parse_json(body: bytes) -> Any:
    """Parse a UTF-8 body, refusing NaN, infinities, lone surrogates, deep nesting and a name given twice.

    The search for such names parses it again: a body of a megabyte takes 0.15 s in all.

    Raises:
        json.JSONDecodeError: It contains one of these, or is not JSON.
    """
    text = body.removeprefix(_BOM)
    try:
        value = from_json(text, allow_inf_nan=False)
        json.loads(text, object_pairs_hook=_require_names_once)
    except ValueError as error:
        _find_place(text)
        raise json.JSONDecodeError(str(error), text.decode(errors="replace"), 0) from None
    return value


def _require_names_once(pairs: list[tuple[str, Any]]) -> None:
    """Raise ValueError if an object has a name twice: readers differ in which of its values counts."""
    names: set[str] = set()
    for name, _ in pairs:
        if name in names:
            raise ValueError(f"the name {name[:80]!r} is given twice")
        names.add(name)


def _find_place(text: bytes) -> None:
    """Raise the error that says at which character a text stops being JSON, if it does."""
    try:
        json.loads(text)
    except json.JSONDecodeError:
        raise
    except (ValueError, RecursionError):
        return


class StrictRequest(Request):
    """A request that accepts only strict UTF-8 JSON; anything else raises the error that names the fault."""

    async def json(self) -> Any:
        """Return the value of the body."""
        return parse_json(await self.body())


class StrictRoute(APIRoute):
    """A route that reads strict JSON."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler, which gets a strict request."""
        handle = super().get_route_handler()

        async def handle_strictly(request: Request) -> Response:
            return await handle(StrictRequest(request.scope, request.receive, request._send))

        return handle_strictly


Router = partial(APIRouter, route_class=StrictRoute)
"""Makes the router of all our endpoints."""

MAY_HOLD_KEYS = re.compile(rb'"(' + b"|".join(name.encode() for name in KEY_FIELDS) + rb')"')
"""Looked for first, since few answers hold a key field."""


class PublicJSONResponse(JSONResponse):
    """The response of every JSON route."""

    def render(self, content: Any) -> bytes:
        """Return the content as JSON, without key fields."""
        body = bytes(super().render(content))
        return body if not MAY_HOLD_KEYS.search(body) else super().render(hide_blob_keys(content))


def dump_public_json(contract: BaseModel) -> str:
    """Return a contract as JSON, without key fields."""
    text = contract.model_dump_json()
    if not MAY_HOLD_KEYS.search(text.encode()):
        return text
    return bytes(PublicJSONResponse(contract.model_dump(mode="json")).body).decode()

"""Definitions that tests save."""

from typing import Any

import httpx

from contracts.base import Json
from tests.api.conftest import Site

ALL = "/v1/workflows"


MINE = f"{ALL}/mine"


GATED: list[Any] = [{"kind": "planning"}, {"kind": "hitl_checkpoint"}]


BODY: Json = {"id": "mine", "title": "First", "phases": GATED}


async def put(site: Site, body: object, if_match: str | None, path: str = MINE) -> httpx.Response:
    headers = {"If-Match": if_match} if if_match is not None else {}
    return await site.http.put(path, json=body, headers=headers)

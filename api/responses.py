"""JSON as clients get it: without the keys of blobs."""

import re
from typing import Any

from fastapi.responses import JSONResponse
from pydantic import BaseModel

from contracts.blobs import KEY_FIELDS, hide_blob_keys

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

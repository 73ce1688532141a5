"""Documents of users' own, for runs to search."""

import hashlib
from pathlib import PurePosixPath
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query, Request

from activities.parsing.document import Unreadable, line
from activities.web import store_page
from api.auth import Caller
from api.dependencies import Deps
from api.errors import responses
from api.guard import BYTES, MAX_UPLOAD_BYTES
from contracts.errors import InvalidInput
from contracts.evidence.sources import OWN_FILE, OwnFile
from contracts.media_types import SUFFIXES
from contracts.models.call import Scope

router = APIRouter(prefix="/v1/files", tags=["files"], responses=responses(422, 503))

ALLOWED = f"{', '.join(SUFFIXES)}, with text in it, up to {MAX_UPLOAD_BYTES // 10**6} MB"
UPLOAD = {"requestBody": {"content": {BYTES: {"schema": {"type": "string", "format": "binary"}}}}}


@router.post("", status_code=201, responses=responses(409, 413, 415), openapi_extra=UPLOAD)
async def upload_file(
    request: Request,
    deps: Deps,
    caller: Caller,
    name: Annotated[str, Query(min_length=1, max_length=200, description="e.g. `budget.pdf`")],
) -> OwnFile:
    """Read a document and keep it for a run to come; the same one twice is one.

    A run that is given it searches it as it searches the web. It is removed with its run, or after a
    week without one.
    """
    name = line(name.replace("\\", "/").rpartition("/")[2])
    media_type = SUFFIXES.get(PurePosixPath(name).suffix.lower())
    if media_type is None:
        raise _refuse(name, "is of a kind that cannot be read")
    body = await request.body()
    try:
        parsed = await deps.parser.read(body, media_type, tenant=caller.tenant_id)
    except Unreadable as error:
        raise _refuse(name, str(error)) from error
    seed = f"{caller.user_id or ''}\n{name}\n".encode() + body
    file_id = f"file-{hashlib.sha256(seed).hexdigest()[:32]}"
    place = Scope(tenant_id=caller.tenant_id, run_id=file_id, phase_id="", attempt=1, name=name)
    known = {"url": OWN_FILE + quote(name), "title": parsed.title or name, "publisher": name}
    file = await store_page(deps.blobs, place, body, parsed, **known)
    await deps.files.save(caller, file_id, file)
    return OwnFile(id=file_id, name=name, title=file.title, bytes=file.bytes, chars=file.chars)


def _refuse(name: str, reason: str) -> InvalidInput:
    return InvalidInput(f"name: {name!r} {reason}; allowed are {ALLOWED}")

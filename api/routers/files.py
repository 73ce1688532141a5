"""Users' uploaded documents, which runs can search."""

import asyncio
import hashlib
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Annotated
from urllib.parse import quote

from fastapi import Query, Request

from activities.collections.rows import build_rows
from activities.parsing.document import Unreadable, line
from activities.web.web_activities import store_page
from api.access.auth import Caller
from api.body_limits import BYTES, MAX_UPLOAD_BYTES
from api.dependencies import Dependencies, Deps
from api.errors import responses
from api.json_bodies import Router
from contracts.access.principal import Principal
from contracts.errors import InvalidInput, StoreUnavailable
from contracts.evidence.sources import OWN_FILE, OwnFile
from contracts.media_types import SUFFIXES
from contracts.models.call import Scope
from contracts.notices import Notice
from contracts.problems import Problem
from domain.retrieval.document_names import name_documents

router = Router(prefix="/v1/files", tags=["files"], responses=responses(422, 503))

NAMES = f"e.g. `budget.pdf`; read are {', '.join(SUFFIXES)}"
UPLOAD = {"requestBody": {"content": {BYTES: {"schema": {"type": "string", "format": "binary"}}}}}


@router.post("", status_code=201, responses=responses(409, 413, 415, 429), openapi_extra=UPLOAD)
async def upload_file(
    request: Request,
    deps: Deps,
    caller: Caller,
    name: Annotated[str, Query(min_length=1, max_length=200, description=NAMES)],
) -> OwnFile:
    """Read a document and keep it for a run to come; the same one twice is one.

    Its bytes decide its format, regardless of its name.

    A run that is given it searches it as it searches the web. It is removed with its run, or after a
    week without one.
    """
    name = line(name.replace("\\", "/").rpartition("/")[2])
    media_type = SUFFIXES.get(PurePosixPath(name).suffix.lower(), "")
    user = caller.tenant_id, caller.user_id
    # Few bodies are in memory at once: the others wait at the client until they are read.
    async with deps.limits.uploads.take(user), deps.limits.all_uploads.take("all"):
        body = await request.body()
        return await _keep_file(deps, caller, name, media_type, body)


async def _keep_file(
    deps: Dependencies, caller: Principal, name: str, media_type: str, body: bytes
) -> OwnFile:
    """Read a document and save it; a refused one leaves nothing behind.

    Raises:
        Conflict: The user's files would exceed a quota.
        InvalidInput: The document cannot be read.
    """
    seed = f"{caller.user_id or ''}\n{name}\n".encode() + body
    file_id = f"file-{hashlib.sha256(seed).hexdigest()[:32]}"
    await deps.files.check_quota(caller, file_id, len(body))
    try:
        parsed = await deps.parser.read(body, media_type, tenant=caller.tenant_id)
    except Unreadable as error:
        told = Notice.of(
            "file-unreadable",
            name=name,
            why=error.failure,
            allowed=list(SUFFIXES),
            most=MAX_UPLOAD_BYTES // 10**6,
        )
        raise InvalidInput(Problem.told("name", told)) from error
    place = Scope(tenant_id=caller.tenant_id, run_id=file_id, phase_id="", attempt=1, name=name)
    known = {
        "url": OWN_FILE + quote(name),
        "title": name_documents([(name, parsed.title)])[0],
        "publisher": name,
    }
    try:
        file = await store_page(deps.blobs, place, body, parsed, **known)
        rows = await deps.sandbox.run(
            build_rows,
            *(parsed.text, file.sections, name, file.title),
            task="indexing a document",
            tenant=caller.tenant_id,
        )
        await deps.files.save(caller, file_id, file, rows)
    except BaseException:
        await asyncio.shield(_remove_unreferenced(deps, caller.tenant_id, file_id))
        raise
    shown = {name: getattr(file, name) for name in ("title", "bytes", "chars", "unread")}
    return OwnFile(id=file_id, name=name, **shown)


async def _remove_unreferenced(deps: Dependencies, tenant_id: str, file_id: str) -> None:
    """Remove what was stored for a file that was not saved; a run that was given it keeps it."""
    with suppress(StoreUnavailable):
        keys = await deps.blobs.list_keys(tenant_id, file_id)
        await deps.blobs.delete(tenant_id, await deps.files.list_unreferenced(tenant_id, keys))

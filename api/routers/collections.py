"""Collections of users' documents, which many runs can search."""

from pathlib import PurePosixPath
from typing import Annotated

from fastapi import Path, Query, Request, Response

from activities.collections.storage import NewDocument
from api.access.auth import Caller
from api.body_limits import BYTES
from api.dependencies import Dependencies, Deps
from api.errors import responses
from api.json_bodies import Router
from contracts.access.principal import Principal
from contracts.base import Page
from contracts.collections import (
    MAX_NAME_CHARS,
    MAX_PATH_CHARS,
    Collection,
    CollectionDocument,
    CollectionRequest,
    DocumentPath,
    DocumentStatus,
    normalize_path,
)
from contracts.errors import Conflict, InvalidInput, NotFound
from contracts.evidence.read_failures import describe_failure
from contracts.media_types import SUFFIXES
from contracts.notices import Notice
from contracts.problems import Problem

router = Router(
    prefix="/v1/collections", tags=["collections"], responses=responses(403, 404, 422, 503)
)

NAMES = f"e.g. `reports/2023.pdf`; read are {', '.join(SUFFIXES)}"
UPLOAD = {"requestBody": {"content": {BYTES: {"schema": {"type": "string", "format": "binary"}}}}}
MAX_LISTED = 500

CollectionPath = Annotated[str, Path(min_length=1, max_length=MAX_NAME_CHARS)]
DocumentName = Annotated[str, Path(min_length=1, max_length=MAX_PATH_CHARS)]
UploadName = Annotated[DocumentPath, Query(max_length=MAX_PATH_CHARS, description=NAMES)]


@router.get("")
async def list_collections(
    deps: Deps, caller: Caller, folder: Annotated[str | None, Query(max_length=4_096)] = None
) -> Page[Collection]:
    """List the caller's collections by name, with how far each is read; of a `folder`, its mirror alone."""
    return Page(items=await deps.collections.list_all(caller, folder))


@router.post("", status_code=201, responses=responses(409))
async def create_collection(body: CollectionRequest, deps: Deps, caller: Caller) -> Collection:
    """Make a collection; an existing collection of that name is returned unchanged."""
    await deps.collections.make(caller, body.name)
    return await deps.collections.get(caller, body.name)


@router.get("/{collection}")
async def get_collection(collection: CollectionPath, deps: Deps, caller: Caller) -> Collection:
    """Return a collection, with how far it is read."""
    return await deps.collections.get(caller, collection)


@router.delete("/{collection}", status_code=204)
async def delete_collection(collection: CollectionPath, deps: Deps, caller: Caller) -> None:
    """Delete a collection for good, with its documents; runs keep what they have read of it."""
    await deps.collections.delete(caller, collection)
    await deps.documents.delete_loose_blobs(caller.tenant_id)


@router.get("/{collection}/documents")
async def list_documents(  # noqa: PLR0913 - each a parameter of the request
    collection: CollectionPath,
    deps: Deps,
    caller: Caller,
    status: DocumentStatus | None = None,
    cursor: Annotated[str, Query(max_length=MAX_PATH_CHARS)] = "",
    limit: Annotated[int, Query(ge=1, le=MAX_LISTED)] = 100,
) -> Page[CollectionDocument]:
    """List the documents of a collection by name: which are read, which wait, and why one failed."""
    items = await deps.collections.list_documents(caller, collection, status, cursor, limit)
    return Page(items=items, next_cursor=items[-1].name if len(items) == limit else None)


@router.put(
    "/{collection}/documents",
    status_code=202,
    responses={200: {"model": CollectionDocument}, **responses(409, 413, 415, 429)},
    openapi_extra=UPLOAD,
)
async def put_document(  # noqa: PLR0913 - each a part of the request
    request: Request,
    response: Response,
    collection: CollectionPath,
    name: UploadName,
    deps: Deps,
    caller: Caller,
) -> CollectionDocument:
    """Add a document, or replace the one with this name; it is indexed in the background.

    Its bytes decide its format, regardless of its name. 200: it already exists with the same content.
    """
    key = await _find_fillable(deps, caller, collection)
    async with (
        deps.limits.uploads.take((caller.tenant_id, caller.user_id)),
        deps.limits.all_uploads.take("all"),
    ):
        body = await request.body()
        if not body:
            empty = describe_failure("empty")
            raise InvalidInput(Problem.at("name", "document-unreadable", name=name, why=empty))
        document = NewDocument(name, SUFFIXES.get(PurePosixPath(name).suffix.lower(), ""), body)
        is_new = await deps.documents.add(caller.tenant_id, key, document)
    if is_new:
        await deps.documents.index(caller.tenant_id)
    else:
        response.status_code = 200
    return await deps.collections.get_document(caller, collection, name)


@router.delete("/{collection}/documents/{document:path}", status_code=204, responses=responses(409))
async def delete_document(
    collection: CollectionPath, document: DocumentName, deps: Deps, caller: Caller
) -> None:
    """Delete a document of a collection for good; runs keep what they have read of it."""
    key = await _find_fillable(deps, caller, collection)
    try:
        name = normalize_path(document)
    except ValueError as error:
        raise _refuse_document(collection, document) from error
    if not await deps.collections.delete_documents(caller.tenant_id, key, [name]):
        raise _refuse_document(collection, document)
    await deps.documents.delete_loose_blobs(caller.tenant_id)


def _refuse_document(collection: str, document: str) -> NotFound:
    return NotFound(Notice.of("document-unknown", collection=collection, document=document))


async def _find_fillable(deps: Dependencies, caller: Principal, collection: str) -> str:
    """Return the id of a collection whose documents the caller may change.

    Raises:
        NotFound: The caller has no collection with this name.
        Conflict: It mirrors a folder.
    """
    if (await deps.collections.get(caller, collection)).is_folder:
        raise Conflict(Notice.of("collection-mirrors", collection=collection))
    return await deps.collections.find(caller, collection)

"""The folder that `--library` names: a collection that mirrors it, searched in the web's place."""

import asyncio
import logging
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from activities.collections.storage import NewDocument
from contracts.collections import MAX_NAME_CHARS, CollectionUse, normalize_path
from contracts.errors import NotFound, StoreUnavailable
from contracts.evidence.read_failures import describe_failure
from contracts.media_types import SUFFIXES
from contracts.runs.start import Opened

if TYPE_CHECKING:
    from activities.collections.storage import DocumentStorage

LARGEST_BYTES = 20_000_000
MAX_TITLES = 60
"""Larger collections are not listed for the planner, which then plans as for the web."""
RETRY_SECONDS = 1.0
_FACTS = re.compile(r"(?:submissions-)?CIK\d{1,10}\.json")
"""Files with a company's EDGAR data, which are not documents."""
logger = logging.getLogger(__name__)


class FolderMirror:
    """Mirrors a folder as a collection, if configured, and adds it to the collections of runs."""

    def __init__(self, folder: Path | None, documents: "DocumentStorage") -> None:
        self._folder = folder.resolve() if folder else None
        self._documents = documents
        self._turn = asyncio.Lock()

    async def add_to(self, tenant_id: str, opened: Opened, own: CollectionUse | None) -> Opened:
        """Return a start with its collections, their titles and their indexing status.

        The folder's collection comes first, even if the start does not name it, and replaces the web.
        """
        collections = self._documents.collections
        chosen = [use for use in opened.collections if own is None or use.id != own.id]
        used = [*([own] if own else []), *chosen]
        used = await collections.describe(tenant_id, used, MAX_TITLES)
        titles = [title for use in used if use.replaces_web for title in use.titles]
        states = await collections.inspect(tenant_id, used) if used else []
        return opened.model_copy(
            update={"collections": used, "collection_states": states, "library": titles}
        )

    async def warm(self, tenant_id: str) -> None:
        """Mirror the folder before the first run needs it, waiting for the store."""
        while True:
            try:
                await self.synchronise(tenant_id)
            except StoreUnavailable:
                await asyncio.sleep(RETRY_SECONDS)
            else:
                return

    async def synchronise(self, tenant_id: str) -> CollectionUse | None:
        """Bring a tenant's mirror of the folder up to date; its documents are read in the background."""
        folder = self._folder
        if folder is None:
            return None
        async with self._turn:
            name = name_folder(folder)
            mirror = await self._documents.collections.mirror(tenant_id, name, str(folder))
            collection = mirror.id
            found = await asyncio.to_thread(lambda: dict(list_files(folder)))
            known = await self._documents.collections.list_stamps(tenant_id, collection)
            gone = [path for path in known if path not in found]
            await self._documents.collections.delete_documents(tenant_id, collection, gone)
            for path, stamp in found.items():
                if known.get(path) != stamp:
                    await self._add(tenant_id, collection, path, stamp)
        await self._documents.index(tenant_id)
        return mirror.model_copy(update={"replaces_web": True})

    async def _add(self, tenant_id: str, collection: str, path: str, stamp: str) -> None:
        assert self._folder
        file = self._folder / path
        new = NewDocument(path, SUFFIXES.get(file.suffix.lower(), ""), b"", stamp)
        try:
            if file.stat().st_size > LARGEST_BYTES:
                most = LARGEST_BYTES // 10**6
                too_large = describe_failure("too_large", most=most)
                await self._documents.refuse(tenant_id, collection, new, too_large)
                return
            body = await asyncio.to_thread(file.read_bytes)
            if not body:
                await self._documents.refuse(tenant_id, collection, new, describe_failure("empty"))
                return
        except OSError as error:
            unopened = describe_failure("unopened", reason=error.strerror or "")
            await self._documents.refuse(tenant_id, collection, new, unopened)
            return
        try:
            whole = NewDocument(new.name, new.content_type, body, stamp)
            await self._documents.add(tenant_id, collection, whole)
        except NotFound:
            logger.warning("the mirror of the folder was deleted; the next run makes it again")


def name_folder(folder: Path) -> str:
    """Return the default name of the collection that mirrors a folder."""
    plain = " ".join(re.sub(r"[^\w .-]+", " ", folder.name).split()) or "documents"
    return plain[:MAX_NAME_CHARS].strip()


def list_files(root: Path) -> Iterator[tuple[str, str]]:
    """Yield the documents of a folder and those below by their paths, with when each was written.

    Hidden files, links that lead out of the folder and names that no document may have are left out.
    """
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(folder, name)
            is_known = path.suffix.lower() in SUFFIXES and not _FACTS.fullmatch(name)
            if name.startswith(".") or not is_known:
                continue
            try:
                slug = path.relative_to(root).as_posix()
                if normalize_path(slug) == slug and path.resolve().is_relative_to(root):
                    status = path.stat()
                    yield slug, f"{status.st_mtime_ns}-{status.st_size}"
            except (OSError, ValueError):
                continue

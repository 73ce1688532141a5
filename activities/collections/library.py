"""The folder that `--library` names: a collection that mirrors it, searched in the web's place."""

import asyncio
import logging
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from activities.collections.folder import FolderFile, FolderListing, describe_unopened, list_folder
from activities.collections.storage import NewDocument
from contracts.collections import MAX_NAME_CHARS, CollectionUse
from contracts.errors import NotFound, StoreUnavailable
from contracts.evidence.read_failures import describe_failure
from contracts.media_types import SUFFIXES
from contracts.notices import Notice
from contracts.runs.start import Opened

if TYPE_CHECKING:
    from activities.collections.storage import DocumentStorage

LARGEST_BYTES = 20_000_000
MAX_TITLES = 60
"""Larger collections are not listed for the planner, which then plans as for the web."""
RETRY_SECONDS = 1.0
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
        """Bring a tenant's mirror of the folder up to date; its documents are read in the background.

        Documents that could not be looked at stay as they were read before, and the collection says so.
        """
        folder, collections = self._folder, self._documents.collections
        if folder is None:
            return None
        async with self._turn:
            mirror = await collections.mirror(tenant_id, name_folder(folder), str(folder))
            listing = await asyncio.to_thread(list_folder, folder)
            known = await collections.list_stamps(tenant_id, mirror.id)
            identity = await collections.get_folder_identity(tenant_id, mirror.id)
            if known and listing.is_empty and listing.identity not in ("", identity):
                listing = FolderListing(unlisted={"": describe_failure("folder_replaced")})
            gone = [name for name in known if name not in listing.files and not listing.hides(name)]
            await collections.delete_documents(tenant_id, mirror.id, gone)
            for name, file in listing.files.items():
                if known.get(name) != file.stamp:
                    unopened = await self._add(tenant_id, mirror.id, name, file, known.get(name))
                    listing.unlisted |= {name: unopened} if unopened else {}
            await collections.note_listing(
                tenant_id, mirror.id, listing.identity, listing.describe(mirror.name)
            )
        await self._documents.index(tenant_id)
        return mirror.model_copy(update={"replaces_web": True})

    async def _add(
        self, tenant_id: str, collection: str, name: str, file: FolderFile, known: str | None
    ) -> Notice | None:
        """Add a new or changed file; return why it cannot be opened if what was read of it before is kept."""
        new = NewDocument(name, SUFFIXES.get(file.path.suffix.lower(), ""), b"", file.stamp)
        refusal = file.refusal
        try:
            if not refusal and file.path.stat().st_size > LARGEST_BYTES:
                refusal = describe_failure("too_large", most=LARGEST_BYTES // 10**6)
            if not refusal:
                new = replace(new, body=await asyncio.to_thread(file.path.read_bytes))
                refusal = None if new.body else describe_failure("empty")
        except OSError as error:
            refusal = describe_unopened(error)
            if known:
                return refusal
            new = replace(new, stamp="")  # so that the next start tries it again
        try:
            if refusal:
                await self._documents.refuse(tenant_id, collection, new, refusal)
            else:
                await self._documents.add(tenant_id, collection, new)
        except NotFound:
            logger.warning("the mirror of the folder was deleted; the next run makes it again")
        return None


def name_folder(folder: Path) -> str:
    """Return the default name of the collection that mirrors a folder."""
    plain = " ".join(re.sub(r"[^\w .-]+", " ", folder.name).split()) or "documents"
    return plain[:MAX_NAME_CHARS].strip()

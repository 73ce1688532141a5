"""Blobs, addressed by content: in a folder, or in an object store by URL."""

import hashlib
import re

import obstore
from cachetools import TTLCache
from obstore.exceptions import BaseError, NotFoundError
from obstore.store import from_url

from contracts.errors import NotFound, StoreUnavailable

SEGMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
KEY = re.compile(rf"{SEGMENT.pattern}/{SEGMENT.pattern}/[0-9a-f]{{64}}")

CACHE_BYTES, CACHE_SECONDS = 32 * 1024 * 1024, 600
MAX_CACHED_BYTES = 256 * 1024


class BlobStore:
    """Puts and gets bytes under `tenant/run/sha256`, with a cache in memory.

    A model reads a page turn after turn. No entry can go stale, since a key names its content; a
    blob that another process removes is served from the cache for up to ten minutes.
    """

    PAYLOADS = "payloads"
    """In place of a tenant: payloads too large for Temporal's histories."""

    def __init__(self, url: str) -> None:
        folder = url.startswith("file:")
        self._store = from_url(url, mkdir=True, automatic_cleanup=True) if folder else from_url(url)
        self._cache: TTLCache[str, bytes] = TTLCache(CACHE_BYTES, CACHE_SECONDS, getsizeof=len)

    async def put(self, tenant_id: str, run_id: str, data: bytes) -> str:
        """Write bytes atomically and return their key; idempotent.

        Raises:
            StoreUnavailable: They could not be written, e.g. to a full disk.
        """
        key = f"{_segment(tenant_id)}/{_segment(run_id)}/{hashlib.sha256(data).hexdigest()}"
        try:
            await obstore.put_async(self._store, key, data)
        except (BaseError, OSError) as error:
            raise StoreUnavailable(f"the blob store took no {len(data)} bytes: {error}") from error
        self._cache_small(key, data)
        return key

    async def get(self, key: str) -> bytes:
        """Return the bytes of a key.

        Raises:
            NotFound: The key is malformed, or has no blob.
        """
        if not KEY.fullmatch(key):
            raise NotFound(f"{key!r} is no key of a blob")
        if (cached := self._cache.get(key)) is not None:
            return cached
        try:
            found = await obstore.get_async(self._store, key)
            data = bytes(await found.bytes_async())
        except (NotFoundError, FileNotFoundError) as error:
            raise NotFound(f"there is no blob {key!r}") from error
        except (BaseError, OSError) as error:
            raise StoreUnavailable(f"the blob store gave no {key!r}: {error}") from error
        self._cache_small(key, data)
        return data

    def _cache_small(self, key: str, data: bytes) -> None:
        if len(data) <= MAX_CACHED_BYTES:
            self._cache[key] = data

    async def list_keys(self, tenant_id: str, run_id: str) -> list[str]:
        """Return the keys of a run's blobs."""
        prefix = f"{_segment(tenant_id)}/{_segment(run_id)}"
        try:
            pages = [page async for page in obstore.list(self._store, prefix)]
        except (BaseError, OSError) as error:
            raise StoreUnavailable(f"the blob store does not list {prefix!r}: {error}") from error
        return [blob["path"] for page in pages for blob in page]

    async def delete(self, keys: list[str]) -> None:
        """Delete blobs; idempotent."""
        for key in keys:
            self._cache.pop(key, None)
            try:
                await obstore.delete_async(self._store, key)
            except (NotFoundError, FileNotFoundError):
                continue
            except (BaseError, OSError) as error:
                raise StoreUnavailable(f"the blob store kept {key!r}: {error}") from error


def _segment(name: str) -> str:
    """Return a name as one part of a path; one that cannot be one is hashed."""
    return name if SEGMENT.fullmatch(name) else hashlib.sha256(name.encode()).hexdigest()

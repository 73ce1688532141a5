"""Blobs, addressed by content: in a folder, or in an object store by URL."""

import hashlib
from collections.abc import Iterable

import obstore
from cachetools import TTLCache
from obstore.exceptions import BaseError, NotFoundError
from obstore.store import from_url

from contracts.blobs import KEY, SEGMENT
from contracts.errors import NotFound, StoreUnavailable
from contracts.notices import Notice

CACHE_BYTES, CACHE_SECONDS = 32 * 1024 * 1024, 600
MAX_CACHED_BYTES = 256 * 1024


class BlobStore:
    """Puts and gets a tenant's bytes under `tenant/holder/sha256`, with a cache in memory.

    A key is `holder/sha256`, where the holder is a run or a file. It is only valid together with a
    tenant, so no key reaches another tenant's blobs. A model reads a page turn after turn. No cache
    entry can go stale, since a key names its content; a blob that another process removes is served
    from the cache for up to ten minutes.
    """

    PAYLOADS = "_payloads"
    """Tenant of payloads that are too large for histories; a real tenant cannot have this name."""

    def __init__(self, url: str) -> None:
        folder = url.startswith("file:")
        self._store = from_url(url, mkdir=True, automatic_cleanup=True) if folder else from_url(url)
        self._cache: TTLCache[str, bytes] = TTLCache(CACHE_BYTES, CACHE_SECONDS, getsizeof=len)

    async def put(self, tenant_id: str, holder: str, data: bytes) -> str:
        """Write bytes atomically and return their key; idempotent.

        Raises:
            StoreUnavailable: They could not be written, e.g. to a full disk.
        """
        key = f"{_segment(holder)}/{hashlib.sha256(data).hexdigest()}"
        path = _locate(tenant_id, key)
        try:
            await obstore.put_async(self._store, path, data)
        except (BaseError, OSError) as error:
            told = Notice.of("blob-unwritten", n=len(data), reason=str(error))
            raise StoreUnavailable(told) from error
        self._cache_small(path, data)
        return key

    async def get(self, tenant_id: str, key: str) -> bytes:
        """Return the bytes stored under a tenant's key.

        Raises:
            NotFound: The key is malformed, or the tenant has no such blob.
        """
        path = _locate(tenant_id, key)
        if (cached := self._cache.get(path)) is not None:
            return cached
        try:
            found = await obstore.get_async(self._store, path)
            data = bytes(await found.bytes_async())
        except (NotFoundError, FileNotFoundError) as error:
            raise NotFound(Notice.of("blob-unknown")) from error
        except (BaseError, OSError) as error:
            raise StoreUnavailable(Notice.of("blob-unread", reason=str(error))) from error
        self._cache_small(path, data)
        return data

    def _cache_small(self, path: str, data: bytes) -> None:
        if len(data) <= MAX_CACHED_BYTES:
            self._cache[path] = data

    async def list_keys(self, tenant_id: str, holder: str) -> list[str]:
        """Return the keys of a holder's blobs."""
        tenant = _name_tenant(tenant_id)
        prefix = f"{tenant}/{_segment(holder)}"
        try:
            pages = [page async for page in obstore.list(self._store, prefix)]
        except (BaseError, OSError) as error:
            told = Notice.of("blob-unlisted", prefix=prefix, reason=str(error))
            raise StoreUnavailable(told) from error
        return [blob["path"].removeprefix(f"{tenant}/") for page in pages for blob in page]

    async def delete(self, tenant_id: str, keys: Iterable[str]) -> None:
        """Delete a tenant's blobs; idempotent.

        Raises:
            NotFound: A key is malformed; nothing is deleted.
        """
        for path in [_locate(tenant_id, key) for key in keys]:
            self._cache.pop(path, None)
            try:
                await obstore.delete_async(self._store, path)
            except (NotFoundError, FileNotFoundError):
                continue
            except (BaseError, OSError) as error:
                told = Notice.of("blob-kept", path=path, reason=str(error))
                raise StoreUnavailable(told) from error


def _locate(tenant_id: str, key: str) -> str:
    if not KEY.fullmatch(key):
        raise NotFound(Notice.of("blob-unknown"))
    return f"{_name_tenant(tenant_id)}/{key}"


def _name_tenant(tenant_id: str) -> str:
    return tenant_id if tenant_id == BlobStore.PAYLOADS else _segment(tenant_id)


def _segment(name: str) -> str:
    """Return a name as one part of a path; one that cannot be one is hashed."""
    return name if SEGMENT.fullmatch(name) else hashlib.sha256(name.encode()).hexdigest()

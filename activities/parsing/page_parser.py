"""Parser of pages and files in sandboxed processes: no document holds up or harms the worker."""

import dataclasses
from urllib.parse import urlsplit

from activities.confined.call_pool import READING, CallFailed, CallPool
from activities.confined.memory_and_time_limits import CALL_SECONDS
from activities.parsing.document import Parsed, Unreadable
from activities.parsing.parser_process_entry import read_file
from contracts.errors import FetchRefused, TooCostly
from contracts.notices import Notice


class PageParser:
    """Extracts the text of documents, in a pool that others may share."""

    def __init__(self, max_seconds: float = CALL_SECONDS, pool: CallPool | None = None) -> None:
        self._max_seconds = max_seconds
        self._pool = pool or CallPool(*READING)

    async def parse(
        self, body: bytes, media_type: str, charset: str, url: str, tenant: str = ""
    ) -> Parsed:
        """Extract the text of a fetched page; its host becomes the publisher if it names none.

        Raises:
            FetchRefused: It cannot be read, or not within the limits.
        """
        host = urlsplit(url).hostname or ""
        try:
            parsed = await self.read(body, media_type, charset, url, tenant)
        except Unreadable as error:
            raise FetchRefused(Notice.of("fetch-unread", host=host, why=error.failure)) from error
        return dataclasses.replace(parsed, publisher=parsed.publisher or host)

    async def close(self) -> None:
        """Stop the processes."""
        await self._pool.close()

    async def read(
        self, body: bytes, media_type: str, charset: str = "", url: str = "", tenant: str = ""
    ) -> Parsed:
        """Extract the text of a document.

        Raises:
            Unreadable: It cannot be read, or not within the limits.
        """
        about = (media_type, charset, url)
        try:
            read = await self._pool.run(
                read_file,
                body,
                *about,
                task="reading a document",
                tenant=tenant,
                seconds=self._max_seconds,
            )
        except TooCostly as error:
            raise Unreadable(error.limit, **error.params) from error
        except CallFailed as error:
            raise Unreadable("crashed") from error
        if isinstance(read, Notice):
            raise Unreadable(read)
        return read

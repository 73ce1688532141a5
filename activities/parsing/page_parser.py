"""Parser of pages and files in sandboxed processes: no document holds up or harms the worker."""

import dataclasses
import json
from urllib.parse import urlsplit

from activities.parsing.document import ANSWER, Parsed, Unreadable
from activities.subprocess_sandbox import SandboxDied, SubprocessSandbox
from contracts.errors import FetchRefused

MAX_SECONDS = 20
MAX_MEMORY_BYTES = 1_000_000_000
MAX_PROCESSES = 2


class PageParser:
    """Extracts the text of documents, `MAX_PROCESSES` at a time."""

    def __init__(self, max_seconds: float = MAX_SECONDS) -> None:
        self._max_seconds = max_seconds
        self._sandbox = SubprocessSandbox(
            "activities.parsing.formats", size=MAX_PROCESSES, seconds=max_seconds
        )

    async def parse(self, body: bytes, media_type: str, charset: str, url: str) -> Parsed:
        """Return the readable text of what was fetched; its host is the publisher if it names none.

        Raises:
            FetchRefused: It cannot be read, or not within the bounds.
        """
        host = urlsplit(url).hostname or ""
        try:
            parsed = await self.read(body, media_type, charset, url)
        except Unreadable as error:
            raise FetchRefused(f"The page at {host!r} {error}.") from error
        return dataclasses.replace(parsed, publisher=parsed.publisher or host)

    async def close(self) -> None:
        """End the processes."""
        await self._sandbox.close()

    async def read(self, body: bytes, media_type: str, charset: str = "", url: str = "") -> Parsed:
        """Return the readable text of a document.

        Raises:
            Unreadable: It cannot be read, or not within the bounds.
        """
        request = json.dumps([media_type, charset, url]).encode() + b"\n" + body
        try:
            answer = ANSWER.validate_json(await self._sandbox.run(request))
        except TimeoutError as error:
            raise Unreadable(f"takes longer than {self._max_seconds:g} s to read") from error
        except (SandboxDied, ValueError) as error:
            raise Unreadable("ended the process that read it; it cannot be read") from error
        if isinstance(answer, str):
            raise Unreadable(answer)
        return answer

"""Limits of a request's body: its size and the time that it may take, and those of an uploaded file."""

import asyncio
import re

from starlette.types import Message, Receive

from api.errors import BodyTooLarge, BodyTooSlow
from contracts.notices import Notice

MAX_BODY_BYTES = 1_000_000
BODY_SECONDS = 10
MAX_UPLOAD_BYTES = 20_000_000
UPLOAD_SECONDS = 60
BYTES = "application/octet-stream"
"""Media type of an uploaded file."""
UPLOAD_PATHS = re.compile(r"/v1/files|/v1/collections/[^/]+/documents")


def is_upload(method: str, path: str) -> bool:
    """Return whether the body of a request is a document, which may be large."""
    return method in {"POST", "PUT"} and UPLOAD_PATHS.fullmatch(path) is not None


async def read_body(receive: Receive) -> bytes:
    """Read the whole body.

    Raises:
        BodyTooLarge, BodyTooSlow
    """
    receive = bound_body(receive, MAX_BODY_BYTES, BODY_SECONDS)
    body, more = bytearray(), True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return bytes(body)


def bound_body(receive: Receive, max_bytes: int, seconds: float) -> Receive:
    """Return a `receive` that raises BodyTooLarge or BodyTooSlow at the bound.

    The time counts from the first call: an upload may have to wait for its turn.
    """
    read, deadline = 0, 0.0

    async def receive_bounded() -> Message:
        nonlocal read, deadline
        deadline = deadline or asyncio.get_running_loop().time() + seconds
        try:
            async with asyncio.timeout_at(deadline):
                message = await receive()
        except TimeoutError:
            raise BodyTooSlow(Notice.of("body-slow", n=seconds)) from None
        read += len(message.get("body", b""))
        if read > max_bytes:
            raise BodyTooLarge(Notice.of("body-large", n=max_bytes))
        return message

    return receive_bounded


def replay_body(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that yields the body again, then the messages after it."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return pending.pop() if pending else await receive()

    return receive_again

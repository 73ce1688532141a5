"""A sandboxed process that parses documents: a JSON list about each, a line break, its bytes."""

import json

from activities.parsing.document import Unreadable
from activities.parsing.formats import read_document
from activities.parsing.page_parser import MAX_MEMORY_BYTES, MAX_SECONDS
from activities.subprocess_sandbox import serve


def answer(request: bytes) -> bytes:
    """Return a document as JSON, or why it cannot be read."""
    about, _, body = request.partition(b"\n")
    return json.dumps(_read(body, *json.loads(about)), ensure_ascii=False, default=vars).encode()


def _read(body: bytes, media_type: str, charset: str, url: str) -> dict[str, object]:
    try:
        return {"parsed": read_document(body, media_type, charset, url)}
    except Unreadable as error:
        return {"unreadable": str(error)}
    except MemoryError:
        return {"unreadable": f"takes more than {MAX_MEMORY_BYTES // 10**6} MB of memory to read"}


if __name__ == "__main__":
    serve(answer, MAX_SECONDS, MAX_MEMORY_BYTES)

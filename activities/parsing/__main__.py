"""A process that reads one file from its input and may die of it: `-m activities.parsing TYPE`."""

import json
import sys
from dataclasses import asdict
from typing import Any

from activities.apart import confine
from activities.parsing.document import Unreadable
from activities.parsing.files import MAX_MEMORY_BYTES, MAX_SECONDS, read_file


def answer(body: bytes, media_type: str) -> dict[str, Any]:
    """Return what is in a file, or why it cannot be read."""
    try:
        return {"parsed": asdict(read_file(body, media_type))}
    except Unreadable as error:
        return {"unreadable": str(error)}
    except MemoryError:
        return {"unreadable": f"takes more than {MAX_MEMORY_BYTES // 10**6} MB of memory to read"}


if __name__ == "__main__":
    confine(MAX_SECONDS, MAX_MEMORY_BYTES)
    json.dump(answer(sys.stdin.buffer.read(), sys.argv[1]), sys.stdout)

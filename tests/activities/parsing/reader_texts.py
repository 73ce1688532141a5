"""What the readers give of the fidelity set, by version: `-m tests.activities.parsing.reader_texts` records it."""

import asyncio
import hashlib
import json

from bench.documents.parsing_fidelity import FIXTURES, ReadCase, read_cases
from contracts.documents import READER_VERSION

RECORDED = FIXTURES / "reader_texts.json"


def digest(case: ReadCase) -> str:
    """Return a short hash of a case's title and text."""
    return hashlib.sha256(case.text.encode()).hexdigest()[:16]


async def record() -> None:
    """Record what the readers of this version give."""
    texts = {case.name: digest(case) for case in await read_cases([FIXTURES])}
    recorded = {"version": READER_VERSION, "texts": dict(sorted(texts.items()))}
    RECORDED.write_text(json.dumps(recorded, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    asyncio.run(record())

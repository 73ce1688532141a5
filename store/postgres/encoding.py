"""JSON as PostgreSQL takes it."""

import json
import re

from pydantic import BaseModel

UNSTORABLE = re.compile(
    r"(?P<kept>\\\\|\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2})|\\u0000|\\ud[89a-f][0-9a-f]{2}"
)
SUSPECT = re.compile(r"\\u(?:0000|d[89a-f])")
"""Looked for first, since few texts have anything to replace."""


def encode(value: object) -> str:
    """Return a contract or plain data as JSON, without what jsonb cannot hold.

    NUL and halves of surrogate pairs become U+FFFD, numbers beyond all others (`1e999`) null:
    pages and models do send them.
    """
    try:
        text = json.dumps(value, default=_plain, allow_nan=False)
    except ValueError:
        finite = json.loads(json.dumps(value, default=_plain), parse_constant=lambda _: None)
        text = json.dumps(finite)
    if not SUSPECT.search(text):
        return text
    return UNSTORABLE.sub(lambda found: found["kept"] or r"\ufffd", text)


def _plain(value: object) -> object:
    assert isinstance(value, BaseModel), f"{value!r} is no contract"
    return value.model_dump(mode="json")

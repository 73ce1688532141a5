"""Keys of blobs: the fields that hold them, and documents without these fields."""

import re
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import BaseModel

SEGMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
KEY = re.compile(rf"{SEGMENT.pattern}/[0-9a-f]{{64}}")
"""`holder/sha256`: the run or file that stored the blob, and the hash of its content."""


class IsBlobKey:
    """Marks a field that holds the key of a blob."""


BlobKey = Annotated[str, IsBlobKey()]
"""Key of a blob within a tenant, used only inside the store.

Clients neither send nor see keys, except in an archive, whose log is verbatim.
"""

KEY_FIELDS = frozenset({"text_key", "raw_key", "rows_key", "blob_key"})
"""Names of all fields of type `BlobKey`, which are removed from documents at the gateway."""


def list_blob_keys(document: Any) -> set[str]:
    """Return the keys in the key fields of a contract, a list of contracts, or an output."""
    fields = (value for _, value in find_key_fields(document))
    return {key for key in fields if isinstance(key, str) and KEY.fullmatch(key)}


def find_key_fields(document: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the path and the value of each key field in a document."""
    if isinstance(document, BaseModel):
        document = dict(document)
    if isinstance(document, list):
        for n, item in enumerate(document):
            yield from find_key_fields(item, f"{path}[{n}]")
    elif isinstance(document, dict):
        for name, value in document.items():
            if name in KEY_FIELDS:
                yield f"{path}.{name}", value
            else:
                yield from find_key_fields(value, f"{path}.{name}")


def hide_blob_keys(document: Any) -> Any:
    """Return a document without its key fields, as clients see it."""
    if isinstance(document, list):
        return [hide_blob_keys(item) for item in document]
    if isinstance(document, dict):
        return {n: hide_blob_keys(v) for n, v in document.items() if n not in KEY_FIELDS}
    return document

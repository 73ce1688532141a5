"""Reads a document in a sandboxed process, which alone imports the parsers."""

from importlib import import_module
from typing import Any

from activities.parsing.document import Parsed, Unreadable
from contracts.notices import Notice


def read_file(body: bytes, media_type: str, charset: str, url: str) -> Parsed | Notice:
    """Return a document, or why it cannot be read."""
    formats: Any = import_module("activities.parsing.read_document")
    try:
        parsed: Parsed = formats.read_document(body, media_type, charset, url)
    except Unreadable as error:
        return error.failure
    return parsed

"""JSON as quotable text: one line per value with its path, one table per list of similar objects."""

import json
from collections.abc import Iterator
from typing import Any

from activities.parsing.document import MAX_TEXT_CHARS, Parsed, clean, row
from contracts.documents import UnreadPart
from contracts.media_types import JSON, JSON_LINES

_MAX_COLUMNS = 40
_TITLES = ("title", "name", "headline")
Members = list[tuple[str, Any]]
"""An object: its members in their order, and one that is named twice, twice."""


class _Object:
    """A JSON object, as opposed to an array."""

    def __init__(self, members: Members) -> None:
        self.members = members


def parse_json(text: str) -> Any:
    """Parse a JSON document or JSON Lines; None if the text is neither.

    Numbers keep their spelling.
    """
    text = text.lstrip("\ufeff \t\r\n")
    if not text.startswith(("{", "[")):
        return None
    try:
        return _load(text)
    except (ValueError, RecursionError):
        pass
    lines = [each for each in text.split("\n") if each.strip()]
    try:
        return [_load(each) for each in lines] if len(lines) > 1 else None
    except (ValueError, RecursionError):
        return None


def read_json(value: Any, media_type: str) -> Parsed:
    """Return what a JSON document says."""
    members = value.members if isinstance(value, _Object) else []
    titles = (each for name, each in members if name in _TITLES and isinstance(each, str))
    kind = media_type if media_type in {JSON, JSON_LINES} else JSON
    lines: list[str] = []
    chars, cut = 0, 0
    for each in _write(value, ""):
        chars += len(each) + 1
        if chars > MAX_TEXT_CHARS:
            cut += len(each) + 1
        else:
            lines.append(each)
    unread = (UnreadPart(code="text_cut", count=cut, of=chars),) if cut else ()
    return Parsed(clean("\n".join(lines)), kind, title=next(titles, ""), unread=unread)


def _load(text: str) -> Any:
    return json.loads(
        text, object_pairs_hook=_Object, parse_int=str, parse_float=str, parse_constant=str
    )


def _write(value: Any, path: str) -> Iterator[str]:
    """Yield the lines of a value; tables are separated by blank lines."""
    if isinstance(value, _Object):
        for name, member in value.members:
            yield from _write(member, f"{path}.{name}" if path else name)
    elif not isinstance(value, list):
        yield f"{path}: {_show(value)}" if path else _show(value)
    elif columns := _find_columns(value):
        yield from ("", path, row(columns), *_write_rows(value, columns), "")
    elif all(not isinstance(each, _Object | list) for each in value):
        yield f"{path}: {', '.join(map(_show, value))}" if path else ", ".join(map(_show, value))
    else:
        for number, each in enumerate(value, start=1):
            yield from _write(each, f"{path}[{number}]")


def _find_columns(values: list[Any]) -> list[str]:
    """Return the names of a table's columns, if the values are objects of plain values."""
    columns: dict[str, None] = {}
    for each in values:
        if not isinstance(each, _Object) or len(each.members) > _MAX_COLUMNS:
            return []
        for name, member in each.members:
            if isinstance(member, _Object | list) or len(columns) > _MAX_COLUMNS:
                return []
            columns[name] = None
        if len({name for name, _ in each.members}) < len(each.members):
            return []
    return list(columns) if len(values) > 1 else []


def _write_rows(values: list[_Object], columns: list[str]) -> Iterator[str]:
    for each in values:
        members = dict(each.members)
        yield row(_show(members[name]) if name in members else "" for name in columns)


def _show(value: Any) -> str:
    names = {None: "null", True: "true", False: "false"}
    return value if isinstance(value, str) else names[value]

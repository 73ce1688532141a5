"""Schemas without references: what a part of a schema says, as far down as anyone looks."""

from typing import Any

DEEPEST = 4
"""How many references within one another are followed."""


def inlined(part: Any, root: dict[str, Any], depth: int = 0) -> Any:
    """Return a part of a schema with the local references in it replaced by what they name."""
    if isinstance(part, list):
        return [inlined(item, root, depth) for item in part]
    if not isinstance(part, dict):
        return part
    if isinstance(reference := part.get("$ref"), str) and depth < DEEPEST:
        depth += 1
        rest = {key: value for key, value in part.items() if key != "$ref"}
        whole = target(reference, root)
        part = {**whole, **rest} if isinstance(whole, dict) else rest
    return {key: inlined(value, root, depth) for key, value in part.items()}


def target(reference: str, root: dict[str, Any]) -> Any:
    """Return what a local reference names, or nothing."""
    found: Any = root
    for key in reference.removeprefix("#").split("/")[1:]:
        name = key.replace("~1", "/").replace("~0", "~")
        found = found.get(name) if isinstance(found, dict) else None
    return found

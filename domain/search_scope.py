"""What a run's agents search: the user's own files and collections, and a library or the web."""

from collections.abc import Sequence

from contracts.collections import CollectionState


def describe_scope(files: int, collections: Sequence[CollectionState], place: str) -> str:
    """Return what is searched in words, e.g. `your 5 files, your collection “notes”, and the web`."""
    own = {0: "", 1: "your file"}.get(files, f"your {files} files")
    names = [f"“{each.name}”" for each in collections if not each.replaces_web]
    kept = f"your collection{'s' * (len(names) > 1)} {', '.join(names)}" if names else ""
    *first, last = filter(None, (own, kept, place or "the web"))
    return ", and ".join(filter(None, (", ".join(first), last)))

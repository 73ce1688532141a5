"""Description of what a run's agents search: the user's files and collections, and a library or the web."""

from collections.abc import Sequence

from contracts.collections import CollectionState
from contracts.notices import Notice


def describe_scope(
    files: int, collections: Sequence[CollectionState], place: Notice | None
) -> Notice:
    """Describe what is searched, e.g. `your 5 files, your collection “notes”, and the web`."""
    names: list[str | Notice] = [
        Notice.of("quoted", text=each.name) for each in collections if not each.replaces_web
    ]
    own = [
        *([Notice.of("scope-files", n=files)] if files else []),
        *([Notice.of("scope-collections", n=len(names), names=names)] if names else []),
    ]
    last = place or Notice.of("scope-web")
    return Notice.of("scope-and", parts=own, last=last) if own else last

"""What is searched, in words: own files are named as such."""

import pytest

from contracts.collections import CollectionState
from domain.search_scope import describe_scope


@pytest.mark.parametrize(
    ("files", "collections", "place", "told"),
    [
        (0, [], "", "the web"),
        (0, [], "the sample library", "the sample library"),
        (1, [], "", "your file, and the web"),
        (5, [], "the sample library", "your 5 files, and the sample library"),
        (0, ["notes"], "", "your collection “notes”, and the web"),
        (2, ["a", "b"], "", "your 2 files, your collections “a”, “b”, and the web"),
    ],
)
def test_own_documents_are_named_before_the_library_or_the_web(
    files: int, collections: list[str], place: str, told: str
) -> None:
    searched = [CollectionState(name=name) for name in collections]
    folder = CollectionState(name="plans", replaces_web=True)
    assert describe_scope(files, [folder, *searched], place) == told

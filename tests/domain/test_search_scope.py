"""What is searched, in words: own files are named as such."""

import pytest

from domain.search_scope import describe_scope


@pytest.mark.parametrize(
    ("files", "place", "told"),
    [
        (0, "", "the web"),
        (0, "the sample library", "the sample library"),
        (1, "", "your file, and the web"),
        (5, "the sample library", "your 5 files, and the sample library"),
    ],
)
def test_own_files_are_named_before_the_library_or_the_web(
    files: int, place: str, told: str
) -> None:
    assert describe_scope(files, place) == told

"""The description of the searched sources: own files are named as such."""

import pytest

from contracts.collections import CollectionState
from contracts.notices import Notice
from domain.agents.search_scope import describe_scope

WEB, SAMPLE = Notice.of("scope-web"), Notice.of("searched-sample")


def within(*own: Notice, last: Notice = WEB) -> Notice:
    return Notice.of("scope-and", parts=list(own), last=last)


def keep(*names: str) -> Notice:
    quoted = [Notice.of("quoted", text=name) for name in names]
    return Notice.of("scope-collections", n=len(names), names=quoted)


@pytest.mark.parametrize(
    ("files", "collections", "place", "told"),
    [
        (0, [], None, WEB),
        (0, [], SAMPLE, SAMPLE),
        (1, [], None, within(Notice.of("scope-files", n=1))),
        (5, [], SAMPLE, within(Notice.of("scope-files", n=5), last=SAMPLE)),
        (0, ["notes"], None, within(keep("notes"))),
        (2, ["a", "b"], None, within(Notice.of("scope-files", n=2), keep("a", "b"))),
    ],
)
def test_own_documents_are_named_before_the_library_or_the_web(
    files: int, collections: list[str], place: Notice | None, told: Notice
) -> None:
    searched = [CollectionState(name=name) for name in collections]
    folder = CollectionState(name="plans", replaces_web=True)
    assert describe_scope(files, [folder, *searched], place) == told

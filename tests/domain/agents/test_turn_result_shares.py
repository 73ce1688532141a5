"""The room that the results of one turn's calls share."""

import json
from collections.abc import Sequence
from dataclasses import replace

from contracts.evidence.sources import FoundPassage, OpenedPart, SearchHit, SearchResult, Source
from contracts.models.call import Block
from domain.agents.agent_tools import SourceParts
from domain.agents.turn_result_shares import FIRST_CHARS, PARTS_CHARS, PASSAGES_CHARS, share_turn
from domain.evidence.quotes import Span
from domain.sources.source_registry import SourceRegistry
from tests.support.sources import page

CALL = Block(type="tool_use", id="1", name="parse_content")


def source(name: str) -> Source:
    made = page(f"http://{name}.test/", title=name, chars=300_000)
    return made.model_copy(update={"text_key": name, "content_hash": name})


def opened(name: str, *parts: OpenedPart) -> SourceParts:
    return SourceParts(source(name), parts, pages=90)


def ranked(*sizes: int, start: int = 0) -> list[OpenedPart]:
    """Parts with gaps between them; the last is the best."""
    places = [start + sum(sizes[:n]) + 500 * n for n in range(len(sizes))]
    return [
        OpenedPart(start=at, end=at + size, page=n, shows=[n], rank=len(sizes) - n)
        for n, (at, size) in enumerate(zip(places, sizes, strict=True), start=1)
    ]


def spans(shown: SourceParts) -> list[Span]:
    return [(part.start, part.end) for part in shown.parts]


def chars(results: Sequence[SourceParts]) -> int:
    return sum(end - start for shown in results for start, end in spans(shown))


def test_calls_of_a_turn_share_its_room_by_need_and_keep_their_best_parts() -> None:
    half = PARTS_CHARS // 2
    few, many = opened("a", *ranked(2_000)), opened("b", *ranked(9_000, half, half))
    first, second = share_turn([few, many], {})
    assert spans(first) == spans(few), "who needs little is not cut"
    assert [part.page for part in second.parts] == [1, 3], "the best one, then what still fits"
    assert [part.page for part in second.left_out] == [2]
    assert chars([first, second]) <= PARTS_CHARS
    alone = opened("b", *ranked(9_000, half))
    assert share_turn([alone], {}) == [alone]


def test_a_turn_that_opens_a_document_first_has_more_room() -> None:
    parts = ranked(FIRST_CHARS // 2, FIRST_CHARS // 2)
    first = replace(opened("a", *parts), outline="Prices (p. 4)")
    assert share_turn([first], {}) == [first]
    assert share_turn([opened("a", *parts)], {})[0].left_out


def test_a_section_is_cut_at_the_end_of_a_line_and_its_rest_is_named() -> None:
    cuts = [*range(1_000, 60_000, 1_000)]
    long = OpenedPart(start=0, end=60_000, page=7, shows=[7, 8], cuts=cuts)
    [cut] = share_turn([opened("a", long)], {})
    assert spans(cut) == [(0, PARTS_CHARS)]
    own = SourceRegistry([], [], 1)
    told = own.answer(CALL, cut).inputs
    assert told[-1].text == f"left_out: {PARTS_CHARS}-60000 of 300000 characters"
    assert own.opened == {}, "its pages are not read to their end"
    assert own.shown == {"a": [(0, PARTS_CHARS)]}


def test_pages_without_room_are_named_and_stay_unread() -> None:
    [cut] = share_turn([opened("a", *ranked(PARTS_CHARS, 12_000, 10_000))], {})
    own = SourceRegistry([], [], 1)
    assert own.answer(CALL, cut).inputs[-1].text == "left_out: p. 1"
    assert own.opened == {"1": [2, 3]}


def test_what_the_conversation_shows_needs_no_room() -> None:
    parts = ranked(PARTS_CHARS, 20_000)
    shown = opened("a", *parts)
    known = {"a": [(parts[0].start, parts[0].end)]}
    assert share_turn([shown], known) == [shown]
    half = ranked(PARTS_CHARS // 2, PARTS_CHARS // 3)
    twice = share_turn([opened("a", *half), opened("a", *half)], {})
    assert [each.left_out for each in twice] == [(), ()], "an earlier call of the turn shows it"
    too_long = share_turn([opened("a", parts[0]), shown], {})
    assert [part.page for part in too_long[1].parts] == [], "what that call left out is not known"


def search(query: str, *hits: tuple[str, int], size: int = 700) -> SearchResult:
    def passage(start: int) -> FoundPassage:
        return FoundPassage(page=start, start=start, text=f"{query} {start} ".ljust(size, "x"))

    found = [SearchHit(url=url, title=url, passages=[passage(at)]) for url, at in hits]
    return SearchResult(query=query, hits=found)


def test_searches_of_a_turn_show_their_best_passages_and_the_pages_of_the_others() -> None:
    searches = [
        search(f"q{n}", *((f"file:///{n}-{hit}.pdf", 1 + hit) for hit in range(5)))
        for n in range(8)
    ]
    shared = share_turn(searches, {})
    texts = [[hit.passages[0].text for hit in found.hits] for found in shared]
    assert 0 < sum(len(text) for each in texts for text in each) <= PASSAGES_CHARS
    for each in texts:
        assert each[0]
        assert not each[-1], "best first"
    own = SourceRegistry([], [], 1)
    [told] = own.answer(CALL, shared[0]).inputs
    assert json.loads(told.text)[-1]["passages"] == [{"page": 5}]
    [again] = own.answer(CALL, searches[0]).inputs
    assert "q0 5" in again.text, "a passage that was only named is shown by a later search"


def test_what_an_earlier_search_of_the_turn_shows_needs_no_room() -> None:
    hits = [(f"file:///{n}.pdf", 1) for n in range(PASSAGES_CHARS // 800)]
    same = [search("q", *hits) for _ in range(9)]
    assert share_turn(same, {}) == same

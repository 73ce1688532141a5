"""What an agent is shown of a page, and how it reads on."""

import json
from typing import Any

from contracts.agents.tool_definitions import FetchUrlArgs, ParseContentArgs
from contracts.documents import UnreadPart
from contracts.evidence.sources import (
    FoundPassage,
    ListedPage,
    OpenedPart,
    OpenedParts,
    SearchHit,
    SearchResult,
)
from contracts.models.call import Block, Scope
from contracts.notices import Notice
from contracts.runs.lost_inputs import LossCause
from domain.agents.agent_tools import (
    NO_PAGE_LEFT,
    SourceParts,
    ToolError,
    take_parts,
)
from domain.sources.page_inputs import build_page_inputs
from domain.sources.source_registry import SourceRegistry, list_citable_pages
from tests.support.sources import page, page_of
from tests.support.words import en

SCOPE = Scope(run_id="r", phase_id="p", attempt=1, name="n")
CALL = Block(type="tool_use", id="1", name="parse_content")


def registry(chars: int = 30_000) -> SourceRegistry:
    return SourceRegistry([page_of(chars)], [], 1)


def test_a_page_that_another_agent_read_counts_for_that_one_and_is_shown_without_a_page_left() -> (
    None
):
    own = SourceRegistry([], [], may_read=0)
    [refused] = own.answer(CALL, page_of(900)).inputs
    assert (refused.name, own.sources) == ("error", [])
    shared = page_of(900).model_copy(update={"is_shared": True})
    [shown] = own.answer(CALL, shared).inputs
    assert (shown.name, own.sources, own.may_read) == ("source-1", [shared], 0)


def test_a_page_longer_than_is_shown_says_so() -> None:
    [told] = registry().answer(CALL, page_of(30_000)).inputs
    assert told.blob
    assert (told.name, told.blob.start, told.blob.chars) == ("source-1", 0, 12_000)
    assert (
        "length: 30000 characters\nsections: Prices\npart: 0-12000 of 30000 characters\n"
        in told.text
    )
    [whole] = registry(22_000).answer(CALL, page_of(22_000)).inputs
    assert "part: " not in whole.text


def test_each_opened_part_stands_under_the_documents_name_and_its_place() -> None:
    own = registry()
    parts = [
        OpenedPart(start=9_000, end=9_900, page=4, heading="Prices"),
        OpenedPart(start=20_000, end=21_000, page=9),
    ]
    shown = own.answer(CALL, SourceParts(page_of(30_000), parts, pages=12)).inputs
    assert [(i.name, i.blob.start, i.blob.chars) for i in shown if i.blob] == [
        ("source-1", 9_000, 900),
        ("source-1", 20_000, 1_000),
    ]
    assert "length: 30000 characters on 12 pages\n" in shown[0].text
    assert shown[0].text.endswith("\nheading: Prices\n\n")
    assert shown[1].text == ""
    assert own.may_read == 1


def test_parts_that_agents_saw_are_kept_once() -> None:
    own, source = registry(), page_of(30_000)
    for spans in ([(500, 900)], [(0, 600), (2_000, 3_000)]):
        parts = [OpenedPart(start=start, end=end) for start, end in spans]
        own.answer(CALL, SourceParts(source, parts))
    assert own.shown == {source.content_hash: [(0, 900), (2_000, 3_000)]}
    own.answer(CALL, page("http://short.test/", chars=100))
    assert len(own.shown) == 1


def show(own: SourceRegistry, *parts: OpenedPart) -> list[tuple[str, tuple[int, int] | None]]:
    opened = SourceParts(page_of(30_000), parts, pages=12, outline="Prices (p. 4)")
    return [
        (i.text, (i.blob.start, i.blob.start + i.blob.chars) if i.blob else None)
        for i in own.answer(CALL, opened).inputs
    ]


def test_stretch_that_stands_in_the_conversation_is_named_and_not_shown_again() -> None:
    own = registry()
    page_four = OpenedPart(start=9_000, end=9_900, page=4)
    [(about, first)] = show(own, page_four)
    assert ("sections: Prices (p. 4)" in about, first) == (True, (9_000, 9_900))
    assert show(own, page_four) == [("shown_above: p. 4", None)]
    passage = OpenedPart(start=9_100, end=9_400, page=4)
    other = OpenedPart(start=20_000, end=20_500, page=9)
    assert show(own, passage, other) == [("", (20_000, 20_500)), ("shown_above: p. 4", None)]
    later = OpenedPart(start=9_500, end=10_400, page=4)
    assert show(own, later) == [("", (9_900, 10_400))], "its new rest alone"
    wide = OpenedPart(start=20_400, end=22_000, page=9)
    assert show(own, wide) == [("", (20_400, 22_000))], "most of it is new"


def test_stretch_that_left_the_conversation_is_shown_again() -> None:
    own = registry()
    part = OpenedPart(start=9_000, end=9_900, page=4, shows=[4, 5])
    show(own, part, OpenedPart(start=20_000, end=20_400, page=9))
    own.visible = {}
    [(about, again)] = show(own, part)
    assert ("title: Pumps" in about, again) == (True, (9_000, 9_900))
    assert own.opened == {"1": [4, 5]}, "a passage does not count"


def test_part_that_is_not_there_is_refused_and_a_fetched_page_shows_its_beginning() -> None:
    assert registry().find_numbered(2) == "source: 1 were read so far, not 2"
    nothing = OpenedParts(problem="page: the document has 3 pages")
    refused = take_parts(page_of(30_000), ParseContentArgs(source=1, page=9), nothing)
    assert isinstance(refused, ToolError)
    assert refused == nothing.problem
    fetched = take_parts(page_of(30_000), FetchUrlArgs(url="http://a.test/"), nothing)
    assert fetched == page_of(30_000)


def test_citable_pages_carry_the_stretches_that_agents_were_shown() -> None:
    told = [page_of(9), page("http://b.test/", title="Pipes", content_hash="b" * 64)]
    citable = list_citable_pages(told, {"b" * 64: [(100, 200)]})
    assert [each.shown for each in citable] == [[], [(100, 200)]]


def test_citable_pages_keep_the_index_of_their_figures() -> None:
    [indexed, plain] = list_citable_pages([page(rows_key="run/1"), page()])
    assert (indexed.rows_key, plain.rows_key) == ("run/1", "")


def test_new_passage_of_a_listed_document_is_shown() -> None:
    own = SourceRegistry([], [], may_read=5)

    def search(query: str, *starts: int) -> list[dict[str, Any]]:
        call = Block(type="tool_use", id=query, name="web_search", input={"query": query})
        passages = [FoundPassage(page=n, start=9 * n, text=f"text {n}") for n in starts]
        hit = SearchHit(url="file:///a.pdf", title="A", file_name="a.pdf", passages=passages)
        told: list[dict[str, Any]] = json.loads(
            own.answer(call, SearchResult(query=query, hits=[hit])).inputs[0].text
        )
        return told

    [first] = search("pumps", 1, 5)
    found = [{"page": 1, "text": "text 1"}, {"page": 5, "text": "text 5"}]
    assert first == {"url": "file:///a.pdf", "title": "A", "passages": found}
    [again] = search("wells", 5, 9)
    told = {"url": "file:///a.pdf", "passages": [{"page": 9, "text": "text 9"}]}
    assert again == told, "what is known of a document is listed once"
    assert search("dams", 1, 9) == [{"repeated": 1}]


def test_found_pages_are_remembered_but_for_those_that_failed_to_be_read() -> None:
    own = SourceRegistry([], [], may_read=0)
    hits = [SearchHit(url=f"http://{name}.test/", snippet="Pumps.") for name in "abc"]
    query = Block(type="tool_use", id="1", name="web_search", input={"query": "pumps"})
    own.answer(query, SearchResult(query="pumps", hits=hits))
    broken = ToolError.of(Notice.of("text", text="no answer"), LossCause(reason="fetch-failed"))
    for url, error in (("http://a.test/", broken), ("http://b.test/", NO_PAGE_LEFT)):
        own.answer(Block(type="tool_use", id="2", name="fetch_url", input={"url": url}), error)
    assert [page.url for page in own.found.values()] == ["http://b.test/", "http://c.test/"]


def test_heading_of_a_passage_is_listed_where_its_text_does_not_begin_with_it() -> None:
    own = SourceRegistry([], [], may_read=5)
    heads = ["Cash flows of all companies together in 2022 …", "Notes"]
    passages = [
        FoundPassage(
            page=n,
            start=n,
            heading=head,
            text="## Cash flows\n\nof all companies together in 2022, tables",
        )
        for n, head in enumerate(heads, start=1)
    ]
    hit = SearchHit(url="file:///a.pdf", passages=passages)
    call = Block(type="tool_use", id="1", name="web_search", input={"query": "cash"})
    told = own.answer(call, SearchResult(query="cash", hits=[hit])).inputs[0].text
    assert [p.get("heading") for p in json.loads(told)[0]["passages"]] == [None, "Notes"]


def test_page_is_listed_once_over_all_searches_of_an_agent() -> None:
    """Omitted pages are counted, and each search reports its number of hits."""
    registry = SourceRegistry([], [], may_read=5)

    def search(query: str, *urls: str) -> list[dict[str, Any]]:
        call = Block(type="tool_use", id=query, name="web_search", input={"query": query})
        found = SearchResult(query=query, hits=[SearchHit(url=url) for url in urls])
        told: list[dict[str, Any]] = json.loads(registry.answer(call, found).inputs[0].text)
        return told

    assert [hit["url"] for hit in search("pumps", "https://a.test/", "https://b.test/")] == [
        *("https://a.test/", "https://b.test/")
    ]
    again = search("wells", "https://b.test/", "https://c.test/")
    assert (again[0]["url"], again[1:]) == ("https://c.test/", [{"repeated": 1}])
    assert search("dams", "https://a.test/") == [{"repeated": 1}]
    assert [made.hits for made in registry.searches] == [2, 2, 1]


def test_page_that_is_known_already_is_named_and_not_listed_again() -> None:
    """A known page is recognized by any spelling of its URL and any snippet."""
    registry = SourceRegistry([page("https://read.test/a", title="Read")], [], may_read=5)

    def search(query: str, *hits: SearchHit, again: str = "") -> list[dict[str, Any]]:
        call = Block(type="tool_use", id=query, name="web_search", input={"query": query})
        repeated = [ListedPage(url=again, title="Before")] if again else []
        found = SearchResult(query=query, hits=list(hits), repeated=repeated)
        told: list[dict[str, Any]] = json.loads(registry.answer(call, found).inputs[0].text)
        return told

    read = SearchHit(url="http://www.read.test/a/", title="Read", snippet="of pumps")
    other = "https://other.test/b"
    assert search("pumps", read, again=other) == [
        {"url": read.url, "title": "Read", "read_as_source": 1},
        {"url": other, "title": "Before", "listed_before": True},
    ]
    listed = [SearchHit(url=f"{other}/", title="B", snippet="other words"), read]
    assert search("wells", *listed, again="http://other.test/b") == [{"repeated": 3}]
    assert [made.hits for made in registry.searches] == [2, 3]


def test_agents_see_what_a_source_does_not_hold() -> None:
    scans = UnreadPart(code="pages_without_text", count=3, of=40)
    source = page("file:///budget.pdf", title="Budget", chars=300, unread=[scans])
    [told] = SourceRegistry([source], [], 1).answer(CALL, source).inputs
    [written] = build_page_inputs({1: source}, 1_000)
    for shown in (told, written):
        unread = en("unread-pages-without-text", name="budget.pdf", n=3, of=40)
        assert f"unread: {unread}" in shown.text

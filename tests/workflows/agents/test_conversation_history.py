"""What stays in an agent's conversation, and what leaves it."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from temporalio.client import Client

from contracts.evidence.claims import Citation, Claim
from contracts.models.call import BlobRef, Block, Input, Message, ModelRequest, to_input
from tests.support.sources import page
from tests.workflows.agents.test_report_editor import LIVING, started, update
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.run_harness import Harness, harness
from workflows.agents.conversation_history import (
    MAX_FOUND,
    MAX_HISTORY_CHARS,
    MAX_QUOTE_CHARS,
    MAX_RESULT_CHARS,
    SHOWN_TO_OTHERS,
    count_chars,
    drop_oldest_results,
    drop_written,
    keep_cited_pages,
    leave_out_hits,
    list_found,
    list_new_pages,
    list_opened,
    list_quotes,
    list_visible,
)


def answer(*inputs: Input, block_id: str = "1") -> Message:
    block = Block(type="tool_result", id=block_id, inputs=[*inputs])
    return Message(role="user", content=[block])


def show(chars: int, start: int = 0) -> Input:
    page = BlobRef(blob_key="k", start=start, chars=chars)
    return Input(name="source-1", text="title: x\n\n", blob=page)


def list_hits(chars: int) -> Input:
    hits = [{"url": "http://a.test/", "title": "A", "passages": [{"text": "x" * chars}]}]
    return Input(name="results", text=json.dumps([*hits, {"repeated": 2}]))


def test_count_includes_calls_results_and_pages() -> None:
    call = Block(type="tool_use", id="1", name="update_report", input={"add": "x" * 1_000})
    said = Message(role="assistant", content=[call])
    assert count_chars([said]) > 1_000
    assert count_chars([answer(show(5_000))]) == 5_010
    assert count_chars([said, answer(show(5_000))]) == count_chars([said]) + 5_010


@pytest.mark.parametrize("make", [show, list_hits])
def test_oldest_results_are_dropped_beyond_the_bound_whatever_their_tool(make: Any) -> None:
    share = MAX_RESULT_CHARS // 4 - 500
    fitting = [answer(make(share)) for _ in range(4)]
    assert drop_oldest_results(fitting) == fitting
    kept = drop_oldest_results([*fitting, answer(make(share))])
    assert [count_chars([each]) > 1_000 for each in kept] == [False] * 3 + [True] * 2


def test_dropped_result_says_what_it_was_and_how_to_open_it_again() -> None:
    long = [answer(show(MAX_RESULT_CHARS)), answer(list_hits(MAX_RESULT_CHARS)), answer(show(9))]
    told, hits, _ = (each.content[0].inputs[0].text for each in drop_oldest_results(long))
    assert told.startswith("title: x\n")
    assert "parse_content" in told
    assert json.loads(hits) == [{"url": "http://a.test/", "title": "A"}, {"repeated": 2}]


def test_visible_stretches_are_those_of_the_messages() -> None:
    messages = [answer(show(500)), answer(show(300, 400), show(10, 9_000))]
    assert list_visible(messages) == {"k": [(0, 700), (9_000, 9_010)]}
    assert list_visible(drop_oldest_results([*messages, answer(show(MAX_RESULT_CHARS))])) == {}


def test_quotes_of_the_report_are_listed_once_under_their_source() -> None:
    sources = [page("http://a.test/", title="A"), page("http://b.test/", title="B")]
    long = "x" * (MAX_QUOTE_CHARS + 1)
    cited = [Citation(source=1, quote=quote) for quote in ("one", "one", long, "two")]
    told = list_quotes(sources, {"1": [4, 9]}, [Claim(text="t", citations=cited)])
    assert told == [
        {
            "source": 1,
            "title": "A",
            "url": "http://a.test/",
            "opened": [4, 9],
            "quotes": ["one", "two"],
        },
        {"source": 2, "title": "B", "url": "http://b.test/"},
    ]


def test_pages_that_sentences_quote_count_as_opened() -> None:
    cited = [Citation(source=n, quote="q", page=p) for n, p in ((1, 13), (1, 9), (2, 7), (3, None))]
    opened = list_opened({"1": [9, 15]}, [Claim(text="t", citations=cited)])
    assert opened == {"1": [9, 13, 15], "2": [7]}


def change(block_id: str, **result: Any) -> tuple[Block, Block]:
    told = Input(name="result" if "written" in result else "error", text=json.dumps(result))
    call = Block(type="tool_use", id=block_id, name="update_report", input={"section": "Market"})
    return call, Block(type="tool_result", id=block_id, inputs=[told])


def test_changes_that_were_made_leave_a_turn_and_those_that_were_doubted_stay() -> None:
    made, moved = change("1", written=2), change("2", written=1, taken_out=1)
    doubted, failed = change("3", written=1, partly=[{"sentence": "A."}]), change("4", why="no")
    fetch = Block(type="tool_use", id="5", name="fetch_url")
    page = answer(show(500), block_id="5").content[0]
    left = Block(type="inputs", inputs=[Input(name="left", text="{}")])

    def drop(*turn: tuple[Block, Block]) -> list[list[str]]:
        said = Message(role="assistant", content=[call for call, _ in turn])
        heard = Message(role="user", content=[*(result for _, result in turn), left])
        return [[block.id for block in m.content] for m in drop_written(said, heard)]

    assert drop(made, doubted, (fetch, page), moved, failed) == [
        ["3", "5", "4"],
        ["3", "5", "4", ""],
    ]
    assert drop(made, moved) == [[""]], "a turn without a call is no turn"


def test_who_mends_a_sentence_keeps_the_parts_of_pages_that_it_quotes() -> None:
    inputs = [Input(name="plan", text="p")]
    parts = [("source-1", 0), ("source-2", 0), ("source-2", 100), ("source-3", 100)]
    inputs += [show(50, start).model_copy(update={"name": name}) for name, start in parts]
    stated = Claim(text="A.", citations=[Citation(source=2, quote="a", start=120, end=121)])
    concluded = Claim(text="B.", citations=[], rests_on=["a"])
    assert keep_cited_pages(inputs, [stated, concluded]) == [inputs[0], inputs[3]]
    assert keep_cited_pages(inputs, [concluded]) == inputs[:1]


def test_hits_that_were_not_read_and_pages_that_were_not_opened_stay_listed() -> None:
    sources = [page("http://a.test/", title="A")]

    def search(*hits: Any) -> Message:
        return answer(Input(name="results", text=json.dumps(hits)))

    known: Any = {"url": "http://a.test/", "passages": [{"page": 4, "text": "x"}, {"page": 9}]}
    second = {"url": "http://c.test/", "title": "C", "snippet": "long"}
    first = {"url": "http://b.test/", "title": "B"}
    dropped = [search(known, second, {"repeated": 3}), search(first)]
    found = list_found(dropped, sources, {"1": [4]}, ())
    assert found == [{"source": 1, "pages": [9]}, first, {"url": "http://c.test/", "title": "C"}]
    again = Message(role="user", content=[Block(type="inputs", inputs=[to_input("found", found)])])
    assert list_found([again], sources, {"1": [4]}) == found
    assert list_found([again], sources, {"1": [4, 9]}, ["http://b.test/"]) == found[2:]
    many = [{"url": f"http://{n}.test/", "title": str(n)} for n in range(MAX_FOUND + 1)]
    assert list_found([search(*many)], [], {}) == many[:MAX_FOUND]
    assert list_found([search({"repeated": 2})], [], {}) is None


class Reading(Fakes):
    """A researcher who reads a page in each of three turns and writes down its content."""

    page_chars = MAX_HISTORY_CHARS + 1_000

    def _tool_calls(self, request: ModelRequest) -> list[Block]:
        if request.role != "researcher":
            return super()._tool_calls(request)
        turn = int(request.scope.name.rpartition("-")[2])
        fetch = Block(
            type="tool_use",
            id=f"f{turn}",
            name="fetch_url",
            input={"url": f"https://example.org/{turn}"},
        )
        return [*([update(f"Fact {turn}.")] if turn > 1 else []), fetch] if turn < 5 else []


@pytest.fixture
async def runs(temporal: Client) -> AsyncIterator[Harness]:
    async with harness(temporal, Reading(LIVING)) as made:
        yield made


async def test_answered_turns_leave_the_conversation_and_the_report_with_its_quotes_stays(
    runs: Harness,
) -> None:
    output = await (await started(runs)).result()
    assert output.status == "completed"
    turns = [request for request in runs.fakes.requests if request.role == "researcher"]
    for request in turns:
        shown = [i for m in request.messages for b in m.content for i in b.inputs if i.blob]
        assert len(shown) <= 2, "the newest page, and one before it at most"
    last = turns[-1]
    assert [message.role for message in last.messages] == ["user", "assistant", "user"]
    told, heard = (
        {i.name: i.text for b in message.content for i in b.inputs}
        for message in last.messages[::2]
    )
    assert "Fact 2." in heard["report"], "it stands behind the results"
    read = json.loads(told["pages_read"])
    assert any(one.get("quotes") for one in read)
    assert "searched" in told
    assert len(last.pages or []) == len(read), "all of them can be cited to the last turn"


def test_repeated_hits_are_not_told_where_the_search_was_for_others() -> None:
    hits = [{"url": "a"}, {"repeated": 2}]
    call = Block(type="tool_use", id="1", name="web_search")
    result = Block(type="tool_result", id="1", inputs=[to_input("results", hits)])
    opened = [Message(role="assistant", content=[call]), Message(role="user", content=[result])]
    [told] = leave_out_hits(opened, {"a"})[1].content
    assert json.loads(told.inputs[0].text) == [{SHOWN_TO_OTHERS: 1}]
    [told] = leave_out_hits(opened, set())[1].content
    assert json.loads(told.inputs[0].text) == hits


@pytest.mark.parametrize(
    ("urls", "left"),
    [
        (set(), {"1": ["a", "b"], "2": ["c"]}),
        ({"a"}, {"1": ["b"], "2": ["c"]}),
        ({"c"}, {"1": ["a", "b"]}),
        ({"a", "b", "c"}, {"1": [2], "2": [1]}),
    ],
)
def test_hits_of_others_are_left_out_with_searches_that_found_nothing_else(
    urls: set[str], left: dict[str, list[Any]]
) -> None:
    found = {"1": ["a", "b"], "2": ["c"]}
    calls = [Block(type="tool_use", id=id, name="web_search") for id in found]
    results = [
        Block(type="tool_result", id=id, inputs=[to_input("results", [{"url": u} for u in hits])])
        for id, hits in found.items()
    ]
    opened = [Message(role="assistant", content=calls), Message(role="user", content=results)]
    called, heard = leave_out_hits(opened, urls)
    assert [block.id for block in called.content] == [*left]
    shown = {
        b.id: [hit.get("url") or hit[SHOWN_TO_OTHERS] for hit in json.loads(b.inputs[0].text)]
        for b in heard.content
    }
    assert shown == left


def test_a_page_that_several_searches_found_keeps_its_title() -> None:
    """Only a page's first hit says its title; without it the page would be no country's."""
    first = to_input("results", [{"url": "u:people", "title": "Ghana: People"}])
    again = to_input("results", [{"url": "u:ports", "title": "Ghana: Ports"}, {"url": "u:people"}])
    blocks = [
        Block(type="tool_result", id=str(n), inputs=[i]) for n, i in enumerate((first, again))
    ]
    found = list_new_pages([Message(role="user", content=blocks)], {})
    assert found == {"u:people": "Ghana: People", "u:ports": "Ghana: Ports"}

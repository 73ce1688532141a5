"""Tools that write a report and read on in a page, as the offline model uses them."""

from typing import Any

from contracts.agents.tools import tools_of, update_report
from greenlight.offline.model.conversation import Conversation
from greenlight.offline.model.reply import reply
from tests.offline.asking import body, fence

OUTLINE = ["In short", "Pump prices"]
PLAN = {"outline": OUTLINE, "geographical_scope": "Kenya", "search_terms": []}
PAGE = "url: http://a.test/1\ntitle: Pumps in Kenya\n\n"
TEXT = "A solar pump costs 612 dollars in Kenya in 2024. Pump prices in Kenya fell by 14% in 2024."


def asked(tools: list[Any], inputs: dict[str, Any], turns: list[Any] = []) -> list[dict[str, Any]]:  # noqa: B006
    given: dict[str, Any] = body(fence(inputs))
    given["tools"] = [tool.model_dump() for tool in tools]
    given["messages"] += turns
    content, _ = reply(Conversation.of(given))
    return [block["input"] for block in content if block["type"] == "tool_use"]


def turn(name: str, arguments: dict[str, Any], result: str) -> list[dict[str, Any]]:
    use = {"type": "tool_use", "id": name, "name": name, "input": arguments}
    text = [{"type": "text", "text": result}]
    answer = {"type": "tool_result", "tool_use_id": name, "content": text}
    return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [answer]}]


RESEARCHER = [*tools_of("researcher"), update_report(OUTLINE)]
SYNTHESIZER = [update_report(OUTLINE)]
ASKED = {"question": "What do solar pumps cost in Kenya?", "plan": PLAN}


def read(page: str = TEXT, head: str = PAGE) -> list[dict[str, Any]]:
    searched = turn("web_search", {"query": "solar pumps cost kenya"}, fence({"results": "[]"}))
    fetched = turn("fetch_url", {"url": "http://a.test/1"}, fence({"source-1": head + page}))
    return [*searched, *fetched]


def test_what_a_page_says_is_written_in_pieces_of_the_size_that_is_told() -> None:
    calls = asked(RESEARCHER, {**ASKED, "max_update_size": "60"}, read())
    written = [call for call in calls if call.get("add")]
    assert {call["section"] for call in written} <= set(OUTLINE)
    assert written
    for call in written:
        assert sum(len(claim["text"]) for claim in call["add"]) <= 60
        assert all(c["quote"] in TEXT for claim in call["add"] for c in claim["citations"])


def test_what_is_written_is_not_written_again() -> None:
    first = asked(RESEARCHER, ASKED, read())
    done = [t for n, call in enumerate(first) for t in turn("update_report", call, f"ok {n}")]
    sentences = [c["text"] for call in first for c in call.get("add", ())]
    again = asked(RESEARCHER, ASKED, [*read(), *done])
    assert not [c for call in again for c in call.get("add", ()) if c["text"] in sentences]


def test_a_page_set_aside_is_known_by_what_was_taken_from_it() -> None:
    claim = {"text": "It costs 612 dollars.", "citations": [{"source": 1, "quote": TEXT[:48]}]}
    wrote = turn("update_report", {"section": OUTLINE[1], "add": [claim]}, "ok")
    aside = read("", f"{PAGE.rstrip()}\nread: before, in full\n\n")
    calls = asked(SYNTHESIZER, ASKED, [*aside, *wrote])
    quotes = {c["quote"] for call in calls for a in call.get("add", ()) for c in a["citations"]}
    assert quotes <= {TEXT[:48]}


def test_a_finished_report_is_left_alone() -> None:
    sections = [{"heading": h, "sentences": {"1": "All."}, "missing": ""} for h in OUTLINE]
    report = {"sections": sections, "table": []}
    assert asked(SYNTHESIZER, {**ASKED, "report": report, "source-1": "Weather\n\nIt rains."}) == []


def test_a_longer_page_is_read_on_in_where_its_sections_bear_on_the_question() -> None:
    head = PAGE.replace(
        "\n\n", "\npart: 0-80 of 9000 characters\nsections: Weather | Pump prices\n\n"
    )
    calls = asked(tools_of("researcher"), ASKED, read(head=head))
    assert calls == [{"source": 1, "section": "Pump prices"}]
    part = turn("parse_content", calls[0], fence({"source-1": f"{head}More on pump prices."}))
    assert asked(tools_of("researcher"), ASKED, [*read(head=head), *part]) == []
    assert asked(tools_of("researcher"), ASKED, read()) == []

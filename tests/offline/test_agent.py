"""An agent's turns: search what the plan says, read what bears on it, then tell what was found."""

import json
from typing import Any

import pytest

from contracts.agents.tools import tools_of
from contracts.base import get_answer_schema
from contracts.report.drafts import Findings
from greenlight.offline.model.conversation import Conversation
from greenlight.offline.model.reply import reply
from tests.offline.asking import Json, body, fence

QUESTION = "Is Peru or Chile better for olive presses?"
PLAN = {
    "search_terms": ["Peru olive presses", "Chile olive presses"],
    "geographical_scope": "Peru and Chile",
    "outline": ["Olive presses"],
}
TOOLS = [tool.model_dump() for tool in tools_of("researcher")]
PAGE = "{}\n\n{} has 30,000 ha of olive groves, and each press serves 40 farms."


def start(**inputs: Any) -> list[Json]:
    given = {"question": QUESTION, "plan": PLAN, "max_sources": "5", **inputs}
    return [{"role": "user", "content": [{"type": "text", "text": fence(given)}]}]


def turn(messages: list[Json], **options: Any) -> tuple[list[Json], str]:
    schema = get_answer_schema(Findings)
    request = body("", schema=schema, tools=TOOLS) | {"messages": messages} | options
    return reply(Conversation.of(request))


def calls(content: list[Json]) -> list[Json]:
    return [block["input"] for block in content if block["type"] == "tool_use"]


def after(messages: list[Json], content: list[Json], *results: Json, failed: bool = False) -> None:
    """Add a turn and what its calls came back with."""
    blocks = [
        {
            "type": "tool_result",
            "tool_use_id": use["id"],
            "content": [{"type": "text", "text": fence(result)}],
            "is_error": failed,
        }
        for use, result in zip(content, results, strict=True)
    ]
    messages += [{"role": "assistant", "content": content}, {"role": "user", "content": blocks}]


def hit(country: str) -> Json:
    name = country.lower()
    text = f"Olive presses in {country}"
    return {"url": f"http://host/{name}", "title": f"{country}: Olives", "snippet": text}


def searched(*, found: list[list[Json]]) -> list[Json]:
    messages = start()
    content, _ = turn(messages)
    after(messages, content, *({"results": hits} for hits in found))
    return messages


def test_the_plans_terms_are_searched_in_parallel() -> None:
    content, stop_reason = turn(start())
    assert stop_reason == "tool_use"
    assert [call["query"] for call in calls(content)] == PLAN["search_terms"]
    assert len({block["id"] for block in content}) == 2


def test_pages_that_bear_on_it_are_read_once() -> None:
    messages = searched(found=[[hit("Peru"), hit("Bolivia")], [hit("Chile"), hit("Peru")]])
    content, _ = turn(messages)
    assert [call["url"] for call in calls(content)] == ["http://host/peru", "http://host/chile"]
    after(
        messages,
        content,
        *({f"source-{n}": PAGE.format(c, c)} for n, c in ((1, "Peru"), (2, "Chile"))),
    )
    content, stop_reason = turn(messages)
    assert stop_reason == "end_turn"


def test_a_page_named_again_is_the_one_listed_before() -> None:
    again = {"url": hit("Peru")["url"], "seen": True}
    messages = searched(found=[[hit("Peru")], [again, hit("Chile")]])
    content, _ = turn(messages)
    assert [call["url"] for call in calls(content)] == ["http://host/peru", "http://host/chile"]


def test_no_more_pages_than_allowed() -> None:
    messages = start(max_sources="1")
    content, _ = turn(messages)
    after(messages, content, {"results": [hit("Peru")]}, {"results": [hit("Chile")]})
    content, _ = turn(messages)
    assert len(calls(content)) == 1


def test_findings_quote_the_pages() -> None:
    messages = searched(found=[[hit("Peru")], [hit("Chile")]])
    content, _ = turn(messages)
    after(
        messages,
        content,
        *({f"source-{n}": PAGE.format(c, c)} for n, c in ((1, "Peru"), (2, "Chile"))),
    )
    content, _ = turn(messages)
    found = Findings.model_validate_json(content[0]["text"])
    assert {c.source for finding in found.findings for c in finding.citations} == {1, 2}
    for finding in found.findings:
        [cited] = finding.citations
        assert cited.quote in PAGE.format("", ("Peru", "Chile")[cited.source - 1])
        assert finding.text


@pytest.mark.parametrize("found", [[[], []], [[hit("Bolivia")], [hit("Bolivia")]]])
def test_nothing_found_says_what_was_searched(found: list[list[Json]]) -> None:
    content, stop_reason = turn(searched(found=found))
    answer = Findings.model_validate_json(content[0]["text"])
    assert (stop_reason, answer.findings) == ("end_turn", [])
    assert "Peru olive presses" in answer.gaps[0]


def test_failed_pages_are_not_tried_again_and_say_nothing() -> None:
    messages = searched(found=[[hit("Peru")], []])
    content, _ = turn(messages)
    after(messages, content, {"error": "http://host/peru took too long"}, failed=True)
    content, stop_reason = turn(messages)
    assert stop_reason == "end_turn"
    assert json.loads(content[0]["text"])["findings"] == []


def test_a_search_that_failed_is_not_repeated() -> None:
    messages = start()
    content, _ = turn(messages)
    after(messages, content, {"error": "no answer"}, {"error": "no answer"}, failed=True)
    assert turn(messages)[1] == "end_turn"


def test_without_tools_the_answer_is_given_at_once() -> None:
    content, stop_reason = turn(searched(found=[[hit("Peru")], []]), tools=[])
    assert stop_reason == "end_turn"
    Findings.model_validate_json(content[0]["text"])


def test_guidance_on_the_way_is_searched_for() -> None:
    messages = searched(found=[[], []])
    messages[-1]["content"].append({"type": "text", "text": fence({"steering": "frost damage"})})
    content, _ = turn(messages)
    assert any("frost damage" in call["query"] for call in calls(content))


def test_findings_fit_the_room_there_is() -> None:
    messages = searched(found=[[hit("Peru")], []])
    content, _ = turn(messages)
    page = "\n".join(f"Olive presses in Peru, district {n}: {n} presses" for n in range(400))
    after(messages, content, {"source-1": f"title: Peru\n\n{page}"})
    content, stop_reason = turn(messages, max_tokens=300)
    assert stop_reason == "end_turn"
    assert len(content[0]["text"]) <= 300 * 4
    Findings.model_validate_json(content[0]["text"])


def test_tools_are_known_by_what_they_take_not_by_name() -> None:
    renamed = [tool | {"name": f"tool_{n}", "description": ""} for n, tool in enumerate(TOOLS)]
    content, _ = turn(start(), tools=renamed)
    assert {block["name"] for block in content} == {"tool_0"}

"""Recorded runs: each call gets its recorded answer, for any caller and any number of repetitions."""

import asyncio
import gzip
import json
from pathlib import Path

import pytest

from offline.recordings.answers import Answers, RecordedRuns
from offline.recordings.recording import (
    Body,
    Pages,
    Recording,
    RequestForm,
    cite_by_quote,
    list_pages,
)

ASKED: Body = {"messages": [{"role": "user", "content": [{"type": "text", "text": "?"}]}]}
FORM = RequestForm.of(ASKED)


@pytest.fixture
def runs(tmp_path: Path) -> RecordedRuns:
    said = {"research/a-turn-1": "of a", "research/b-turn-1": "of b"}
    answers = [
        (FORM._replace(call=call), {"content": [{"type": "text", "text": text}]})
        for call, text in said.items()
    ]
    kept = Recording(answers, verdicts=[{"sentence": "It rose.", "verdict": "supported"}])
    (tmp_path / "pumps.json.gz").write_bytes(gzip.compress(kept.dump().encode()))
    return RecordedRuns(tmp_path)


def say(reply: Body) -> str:
    return "".join(block["text"] for block in reply["content"])


async def test_agents_at_once_have_each_its_own_answer_however_often_they_ask(
    runs: RecordedRuns,
) -> None:
    for run in ("run-1", "run-2"):
        for agent in "baab":
            assert (
                say(await runs.reply(f"pumps {run} research/{agent}-turn-1", ASKED))
                == f"of {agent}"
            )


async def test_a_call_that_was_not_recorded_is_refused_and_named(runs: RecordedRuns) -> None:
    refused = await runs.reply("pumps run-1 research/c-turn-1", ASKED)
    assert "research/c-turn-1" in refused["error"]["message"]


async def test_a_turn_more_than_was_recorded_repeats_how_the_agent_ended_or_says_nothing(
    tmp_path: Path,
) -> None:
    asked: Body = ASKED | ask_for("gaps", {"type": "array"})
    ending: Body = {"content": [{"type": "text", "text": '{"gaps": ["price"]}'}]}
    form = RequestForm.of(asked)._replace(call="research/a-turn-2")
    (tmp_path / "pumps.json.gz").write_bytes(
        gzip.compress(Recording([(form, ending)]).dump().encode())
    )
    runs = RecordedRuns(tmp_path)
    given = [say(await runs.reply(f"pumps run-1 research/a-turn-{n}", asked)) for n in (2, 3)]
    assert [json.loads(text) for text in given] == [{"gaps": ["price"]}] * 2
    assert json.loads(say(await runs.reply("pumps run-1 research/b-turn-3", asked))) == {"gaps": []}


async def test_each_tool_call_has_a_name_of_its_own(tmp_path: Path) -> None:
    use = {"type": "tool_use", "id": "toolu_1", "name": "web_search", "input": {"query": "pumps"}}
    answers = [(FORM._replace(call=f"research/turn-{n}"), {"content": [use, use]}) for n in (1, 2)]
    one, other = Answers(Recording(answers)), Answers(Recording(answers))
    told = [each.reply(ASKED, f"research/turn-{n}") for each in (one, other) for n in (1, 2)]
    assert len({block["id"] for reply in told for block in reply["content"]}) == 8


def ask_for(field: str, schema: Body) -> Body:
    """Return the part of a request that asks for an answer of one field."""
    schema = {"type": "object", "properties": {field: schema}, "required": [field]}
    return {"output_config": {"format": {"schema": schema}}}


def show(number: int, url: str, words: str = "Find it.") -> Body:
    """Return a request that opens with some words and shows a page under a number."""
    page = f'<input name="source-{number}" about="a page">\nurl: {url}\n\nText.\n</input>'
    content = [{"type": "text", "text": text} for text in (words, page)]
    return {"messages": [{"role": "user", "content": content}]} | ask_for("claims", {})


def test_each_conversation_cites_pages_by_its_own_numbers_even_those_that_were_cut_off() -> None:
    pages = Pages()
    for number, url, words in (
        (1, "kenya", "Prices."),
        (1, "chad", "Rivals."),
        (2, "mali", "Prices."),
    ):
        pages.show(show(number, f"http://127.0.0.1:1/{url}", words))
    cut: Body = {"messages": [{"role": "user", "content": [{"type": "text", "text": "Prices."}]}]}
    assert [url[-5:] for url in pages.show(cut).values()] == ["kenya", "/mali"]


def test_a_mended_sentence_cites_the_source_that_has_its_quote_today() -> None:
    texts = {1: "It fell.", 2: "Rain: 3 mm."}
    mended = {"mends": [{"citations": [{"source": 1, "quote": "Rain: 3 mm."}]}]}
    assert cite_by_quote(mended, texts)["mends"][0]["citations"][0]["source"] == 2


async def test_an_answer_survives_other_words_of_a_prompt_and_cites_pages_by_todays_numbers(
    tmp_path: Path,
) -> None:
    asked = show(1, "http://127.0.0.1:1/kenya")
    text = json.dumps({"claims": [{"citations": [{"source": 1, "quote": "Text."}]}]})
    reply: Body = {"content": [{"type": "text", "text": text}], "pages": list_pages(asked)}
    form = RequestForm.of(asked)._replace(call="research/turn-1")
    kept = Recording([(form, reply)]).dump()
    (tmp_path / "pumps.json.gz").write_bytes(gzip.compress(kept.encode()))
    today = show(4, "http://127.0.0.1:2/kenya", "Look it up, by these rules.")
    answer = json.loads(
        say(await RecordedRuns(tmp_path).reply("pumps run-1 research/turn-1", today))
    )
    assert answer["claims"][0]["citations"][0]["source"] == 4


async def test_a_verdict_is_found_by_its_sentence_whatever_its_call(runs: RecordedRuns) -> None:
    schema: Body = {"properties": {"verdicts": {}}}
    claims = '<input name="claims">\n1. It fell.\n2. It rose.\n</input>'
    content = [{"type": "text", "text": claims}]
    body: Body = {"messages": [{"role": "user", "content": content}]}
    body |= {"output_config": {"format": {"schema": schema}}}
    answer = json.loads(say(await runs.reply("pumps run-1 research/judge-9", body)))
    assert answer == {"verdicts": [], "supported": [2]}


async def test_answers_wait_for_those_that_were_given_before(tmp_path: Path) -> None:
    places = {"a": 2, "b": 1}
    answers = [
        (FORM._replace(call=call), {"content": [{"type": "text", "text": call}], "place": place})
        for call, place in places.items()
    ]
    (tmp_path / "pumps.json.gz").write_bytes(gzip.compress(Recording(answers).dump().encode()))
    runs, given = RecordedRuns(tmp_path), list[str]()

    async def ask(call: str) -> None:
        given.append(say(await runs.reply(f"pumps run-1 {call}", ASKED)))

    await asyncio.gather(ask("a"), ask("b"))
    assert given == ["b", "a"]

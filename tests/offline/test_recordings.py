"""Recorded runs: each call has the answer that was recorded for it, whoever asks first and how often."""

import asyncio
import gzip
import json
from pathlib import Path

import pytest

from offline.recordings.answers import RecordedRuns
from offline.recordings.recording import Body, Recording, RequestForm, list_pages

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
    refused = await runs.reply("pumps run-1 research/a-turn-2", ASKED)
    assert "research/a-turn-2" in refused["error"]["message"]


def show(number: int, url: str, words: str = "Find it.") -> Body:
    """Return a request in some words that shows a page under a number."""
    page = f'{words}\n<input name="source-{number}" about="a page">\nurl: {url}\n\nText.\n</input>'
    schema: Body = {"properties": {"claims": {}}}
    body: Body = {"messages": [{"role": "user", "content": [{"type": "text", "text": page}]}]}
    return body | {"output_config": {"format": {"schema": schema}}}


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

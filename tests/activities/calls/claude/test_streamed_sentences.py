"""Sentences in a tool's input are emitted while it streams, for any split into pieces."""

import json
import random

import pytest

from activities.integrations.models.claude import ClaudeClient
from activities.integrations.models.streamed_sentences import StreamedSentences
from tests.activities.calls.claude.test_claude import BODY
from tests.activities.calls.claude.test_streams import CLOSE, START, STOP, delta, ends, sends
from tests.activities.calls.provider import Provider

CHANGE = {
    "section": "text",
    "add": [
        {"text": 'A "pump" \\ café 😀 end: {x}', "citations": [{"source": 1, "quote": "no"}]},
        {"text": "Two.", "id": "k", "rests_on": ["text", "missing"], "repeats": True},
    ],
    "missing": "What it costs.",
    "reason": "no",
    "after": 3,
}
WORDS = 'A "pump" \\ café 😀 end: {x} Two. What it costs. '


def read(text: str, most: int, seed: int = 0) -> str:
    """Return the emitted text for pieces of random sizes."""
    chance, words, said = random.Random(seed), StreamedSentences(), ""
    while text:
        size = chance.randint(1, most)
        said, text = said + words.read(text[:size]), text[size:]
    return said


@pytest.mark.parametrize("is_ascii", [True, False])
@pytest.mark.parametrize("indent", [None, 1])
def test_sentences_are_read_from_pieces_of_any_size(is_ascii: bool, indent: int | None) -> None:
    text = json.dumps(CHANGE, ensure_ascii=is_ascii, indent=indent)
    assert {read(text, most, seed) for most in (1, 3, 20) for seed in range(20)} == {WORDS}


def test_sentence_is_handed_out_before_it_has_ended() -> None:
    assert StreamedSentences().read('{"add": [{"text": "It costs') == "It costs"


def test_half_a_character_is_no_text_that_cannot_be_stored() -> None:
    said = read('{"text": "a\\ud83d\\u0041b"}', 5)
    said.encode()
    assert said.startswith("a")


async def test_client_hands_out_sentences_of_tools_as_they_stream(provider: Provider) -> None:
    use = {"type": "tool_use", "id": "t1", "name": "update_report", "input": {}}
    text = json.dumps(CHANGE)
    opened = ("content_block_start", {"index": 0, "content_block": use})
    pieces = [
        delta("input_json_delta", partial_json=text[n : n + 9]) for n in range(0, len(text), 9)
    ]
    provider.answers(sends(START, opened, *pieces, CLOSE, ends("tool_use"), STOP))
    said: list[str] = []
    reply = await ClaudeClient(provider.url, "key").stream(BODY, said.append)
    assert reply.content[0].input == CHANGE
    assert "".join(said) == WORDS
    assert len(list(filter(None, said))) > len(CHANGE["add"])  # type: ignore[arg-type]

"""The history of an agent's conversation: how long it is, what leaves it, and what is still visible."""

from collections.abc import Iterable, Mapping, Sequence

from pydantic_core import from_json, to_json

from contracts.base import Json
from contracts.evidence.claims import Claim
from contracts.evidence.sources import Source
from contracts.models.call import Block, Input, Message, to_input
from domain.evidence.quotes import Span
from domain.source_registry import list_pages_read, merge_spans

MAX_HISTORY_CHARS = 20_000
"""Characters of the turns before the newest one that stay with an agent who writes a report.

A turn is dropped after the agent has answered it: what it used stands in the report. In units of uncached
input, keeping a history of S characters costs 0.1 S in each of the n turns ahead. Dropping it writes the
report with its quotes, R characters, to the cache again: 1.25 R instead of 0.1 R. So it pays from
S = R (1 + 11.5 / n): with R = 6,000 and n = 5 from 20,000. A provider without a cache gains much more.
"""
MAX_RESULT_CHARS = 240_000
"""Characters of tool results that stay with an agent who answers at the end. Beyond it the older half is
dropped at once, so that what stays, and is read from the provider's cache, seldom changes."""
KEPT_INPUTS = frozenset({"steering", "unfinished"})
"""Inputs of a dropped turn that stay: what humans said, and what the agent is asked once."""
MAX_QUOTE_CHARS = 160
"""A longer quote of the report is not listed: its page is opened again for another sentence."""
DROPPED = "left out here: `parse_content` opens it again"


def count_chars(messages: Iterable[Message]) -> int:
    """Return how many characters messages take, with the calls of tools, their results and their pages."""
    return sum(_count_block(block) for message in messages for block in message.content)


def _count_block(block: Block) -> int:
    called = len(to_json(block.input)) if block.input else 0
    inputs = sum(len(i.text) + (i.blob.chars if i.blob else 0) for i in block.inputs)
    return len(block.text) + called + inputs


def list_visible(messages: Iterable[Message]) -> dict[str, list[Span]]:
    """Return the stretches of texts that messages show, by the keys of the texts."""
    visible: dict[str, list[Span]] = {}
    for message in messages:
        for block in message.content:
            for page in (i.blob for i in block.inputs if i.blob):
                spans = visible.get(page.blob_key, [])
                visible[page.blob_key] = merge_spans(
                    [*spans, (page.start, page.start + page.chars)]
                )
    return visible


def keep_inputs(messages: Iterable[Message]) -> list[Block]:
    """Return the blocks of dropped messages that stay in a conversation."""
    blocks = (block for message in messages for block in message.content)
    kept = ([i for i in b.inputs if i.name in KEPT_INPUTS] for b in blocks)
    return [Block(type="inputs", inputs=inputs) for inputs in kept if inputs]


def list_quotes(
    sources: Sequence[Source], opened: Mapping[str, Sequence[int]], claims: Iterable[Claim]
) -> list[Json] | None:
    """Return the pages read, each with the page numbers that were opened and the quotes that a report has of it, but the longest."""
    pages = list_pages_read(sources)
    quotes: dict[int, dict[str, None]] = {}
    for claim in claims:
        for citation in claim.citations:
            if len(citation.quote) <= MAX_QUOTE_CHARS:
                quotes.setdefault(citation.source, {})[citation.quote] = None
    for number, page in enumerate(pages or [], start=1):
        if numbers := opened.get(str(number)):
            page["opened"] = [*numbers]
        if number in quotes:
            page["quotes"] = [*quotes[number]]
    return pages


def drop_oldest_results(messages: list[Message]) -> list[Message]:
    """Return a conversation whose tool results fit their bound: beyond it, only those of the newer half stay."""
    results = [b for m in messages for b in m.content if b.type == "tool_result"]
    if sum(map(_count_block, results)) <= MAX_RESULT_CHARS:
        return messages
    room, kept = MAX_RESULT_CHARS // 2, []
    for message in reversed(messages):
        blocks = []
        for block in message.content:
            room -= _count_block(block) if block.type == "tool_result" else 0
            blocks.append(block if room >= 0 else _drop_result(block))
        kept.append(message.model_copy(update={"content": blocks}))
    return kept[::-1]


def _drop_result(block: Block) -> Block:
    """Return a block without the text of its pages and the passages of its hits; what they are of stays."""
    if block.type != "tool_result":
        return block
    return block.model_copy(update={"inputs": [_drop_text(i) for i in block.inputs]})


def _drop_text(item: Input) -> Input:
    if item.blob:
        return Input(name=item.name, text=f"{item.text.rstrip()}\n{DROPPED}")
    if item.name != "results":
        return item
    hits = [
        {name: value for name, value in hit.items() if name not in {"passages", "snippet"}}
        for hit in from_json(item.text)
    ]
    return to_input("results", hits)

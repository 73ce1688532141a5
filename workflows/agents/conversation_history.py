"""An agent's conversation history: its size limits, what is dropped, and what remains visible."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pydantic_core import from_json, to_json

from contracts.agents.tool_definitions import UPDATE_REPORT
from contracts.base import Json
from contracts.evidence.claims import Claim
from contracts.evidence.sources import FoundPage, Source
from contracts.models.call import BlobRef, Block, Input, Message, to_input
from domain.evidence.quotes import Span
from domain.sources.source_registry import list_pages_read, merge_spans
from domain.sources.urls import compute_url_key

MAX_HISTORY_CHARS = 20_000
"""How many characters of turns before the latest stay with an agent that writes a report.

A turn is dropped after the agent has answered it, because the report contains what it used. Kept turns are sent
again in every later turn, at a tenth of the price if the provider caches them. Dropping a turn sends the report
with its quotes uncached, and saves the quarter that writing the cache costs. Three annual reports read in seven
turns (docs/performance.md) took 130,000 tokens and $0.175 with 20,000 characters, 120,000 and $0.172 with 12,000,
and no less with 6,000. Short pages benefit more from the cache: the recorded comparison of filings took 76,900
tokens and $0.104 with 12,000 characters (33 % of the conversation read from the cache), 81,500 and $0.101 with
20,000 (50 %), 97,800 and $0.099 with 40,000 (71 %).
"""
MAX_RESULT_CHARS = 240_000
"""Characters of tool results that stay with an agent that answers at the end.

When exceeded, the older half is dropped at once, so that the cached prefix seldom changes.
"""
ENTERING = "entering"
FINDINGS = "findings"
KEPT_INPUTS = frozenset({"steering", "unfinished", "assignment", ENTERING, FINDINGS})
"""Inputs of a dropped turn that stay: human messages, one-time requests, the agent's part of the work, how to enter a text, and what that may rest on."""
MAX_QUOTE_CHARS = 160
"""A longer quote of the report is not listed: its page is opened again for another sentence."""
WRITTEN = frozenset({"written", "taken_out", "moved"})
"""Fields of the result of a change that was applied as requested."""
HITS = frozenset({"results", "found"})
"""Inputs that list hits: of a search, and of searches that were dropped."""
MAX_FOUND = 12
"""Hits of dropped searches, and pages of a source among them, that are listed at most."""
GAPS = "gaps"
"""Input with the lines on what was not found, and with the passages that may answer them."""
SHOWN_TO_OTHERS = "shown_to_agents_of_other_steps"
"""Replaces a search's hits if all belong to other agents; an empty list would mean "nothing found" to a model."""
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


def keep_cited_pages(inputs: Sequence[Input], claims: Iterable[Claim]) -> list[Input]:
    """Return the inputs needed to repair sentences: without gaps and without page parts that no claim quotes."""
    places = [(f"source-{c.source}", c.start) for claim in claims for c in claim.citations]

    def is_quoted(item: Input, part: BlobRef) -> bool:
        end = part.start + part.chars
        return any(item.name == name and part.start <= at < end for name, at in places)

    return [i for i in inputs if i.name != GAPS and (not i.blob or is_quoted(i, i.blob))]


def drop_written(said: Message, heard: Message) -> list[Message]:
    """Return a turn without the changes that were made as asked for: the report shows them.

    A change that was refused, or that holds in part, stays with its result.
    """
    asked = {block.id for block in said.content if block.name == UPDATE_REPORT}
    made = {block.id for block in heard.content if block.id in asked and _is_plain(block)}
    left = [block for block in said.content if block.id not in made]
    results = [block for block in heard.content if block.id not in made]
    kept = heard.model_copy(update={"content": results})
    return [said.model_copy(update={"content": left}), kept] if left else [kept]


def _is_plain(result: Block) -> bool:
    """Return True if a change was made as asked for: its result has counts alone."""
    told = [from_json(item.text) for item in result.inputs if item.name == "result"]
    return bool(told) and all(each.keys() <= WRITTEN for each in told)


def list_opened(
    opened: Mapping[str, Sequence[int]], claims: Iterable[Claim]
) -> dict[str, list[int]]:
    """Return the pages that an agent has opened or quotes, by the numbers of their sources."""
    pages = {number: {*found} for number, found in opened.items()}
    for citation in (citation for claim in claims for citation in claim.citations):
        if citation.page is not None:
            pages.setdefault(str(citation.source), set()).add(citation.page)
    return {number: sorted(found) for number, found in pages.items()}


def list_found(
    dropped: Iterable[Message],
    sources: Sequence[Source],
    opened: Mapping[str, Sequence[int]],
    failed: Container[str] = (),
) -> list[Json] | None:
    """Return what dropped searches found and is not read yet: hits, and pages of sources; the first hits come first.

    What an earlier drop listed as `found` is listed again.
    """
    numbers = {compute_url_key(source.url): n for n, source in enumerate(sources, start=1)}
    hits = sorted(_list_hits(dropped), key=lambda hit: hit.rank)
    titles, pages = dict[str, str](), dict[str, dict[int, None]]()
    for hit in hits:
        url = sources[hit.source - 1].url if hit.source else hit.url
        titles[url] = titles.get(url) or hit.title
        pages.setdefault(url, {}).update(dict.fromkeys(hit.pages))
    found: list[Json] = []
    for url, title in titles.items():
        number = numbers.get(compute_url_key(url))
        left = [page for page in pages[url] if page not in opened.get(str(number), ())]
        about: Json = {"source": number} if number else {"url": url, "title": title or url}
        if left or not (number or url in failed):
            found.append({**about, "pages": [*left[:MAX_FOUND]]} if left else about)
    return found[:MAX_FOUND] or None


def list_new_pages(messages: Iterable[Message], found: Mapping[str, FoundPage]) -> dict[str, str]:
    """Return the titles by URL of pages that searches found and nobody has read, best hits first.

    `found` has the best rank of pages found by several searches; the conversation describes them only once, so that
    a page's title is that of its first hit.
    """
    hits = [hit for hit in _list_hits(messages) if hit.url and not hit.source]
    noted = [found.get(compute_url_key(hit.url)) for hit in hits]
    ranks = [page.rank if page else hit.rank for hit, page in zip(hits, noted, strict=True)]
    order = sorted(range(len(hits)), key=ranks.__getitem__)
    titles: dict[str, str] = {}
    for hit in (hits[n] for n in order):
        titles[hit.url] = titles.get(hit.url) or hit.title
    return titles


def list_queries(messages: Sequence[Message]) -> dict[str, list[str]]:
    """Return the queries whose results list a page, by its URL."""
    blocks = [block for message in messages for block in message.content]
    asked = {b.id: str(b.input.get("query", "")) for b in blocks if b.type == "tool_use"}
    found: dict[str, list[str]] = {}
    for block in blocks:
        if query := asked.get(block.id) if block.type == "tool_result" else None:
            for hit in _list_hits([Message(role="user", content=[block])]):
                found.setdefault(hit.url, []).append(query)
    return found


def leave_out_hits(messages: Sequence[Message], urls: Container[str]) -> list[Message]:
    """Remove the hits with these URLs, and searches left without hits.

    If all searches would be removed, keep their calls, since a turn needs one, and note that other agents see
    the hits.
    """

    def leave_out(block: Block) -> Block:
        return block.model_copy(update={"inputs": [*map(cut, block.inputs)]})

    def cut(item: Input) -> Input:
        if item.name != "results":
            return item
        hits = from_json(item.text)
        left = [hit for hit in hits if hit.get("url") not in urls]
        hidden = len(hits) - len(left)
        if hidden and not any("url" in hit for hit in left):  # a count of repeated hits may remain
            left = [{SHOWN_TO_OTHERS: hidden}]
        return to_input(item.name, left) if hidden else item

    results = [b for m in messages for b in m.content if b.type == "tool_result"]
    emptied = {b.id for b in results if b != (left := leave_out(b)) and _has_no_hit(left)}
    emptied = emptied if len(emptied) < len(results) else set()
    return [
        m.model_copy(update={"content": [leave_out(b) for b in m.content if b.id not in emptied]})
        for m in messages
    ]


def _has_no_hit(result: Block) -> bool:
    """Return whether a search's result only says that others are shown its hits."""
    return all(SHOWN_TO_OTHERS in hit for item in result.inputs for hit in from_json(item.text))


class _Hit(NamedTuple):
    """A hit of a search, or an entry of the `found` list with its source number."""

    rank: int
    url: str
    title: str
    source: int
    pages: Sequence[int]


def _list_hits(messages: Iterable[Message]) -> Iterator[_Hit]:
    listed = (i for m in messages for b in m.content for i in b.inputs if i.name in HITS)
    for item in listed:
        for rank, hit in enumerate(from_json(item.text)):
            named = [passage["page"] for passage in hit.get("passages", []) if "page" in passage]
            if "url" in hit or "source" in hit:
                texts = hit.get("url", ""), hit.get("title", "")
                yield _Hit(rank, *texts, hit.get("source", 0), hit.get("pages", named))


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
    """Drop the older tool results if they exceed `MAX_RESULT_CHARS`, keeping half of that."""
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
    """Return a block without page texts and passages; their metadata stays."""
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

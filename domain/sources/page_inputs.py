"""Pages as inputs of a prompt: which of them, and which stretches of long ones, a writer is shown within its room."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter

from contracts.evidence.claims import Citation
from contracts.evidence.sources import (
    OpenedPart,
    Source,
)
from contracts.models.call import BlobRef, Input
from domain.evidence.quotes import Span
from domain.lost_inputs import describe_unread
from domain.retrieval.shown_parts import GAP_CHARS, PAGE_CHARS
from domain.sources.source_registry import EMPTY, is_long, merge_spans, name_origin, place_part

_BEFORE_QUOTE = 8
"""An excerpt starts one eighth of its length before the first quote."""
AROUND_QUOTE = 1_000
"""Characters shown before and after a quote of a long source."""
UNQUOTED_CHARS = 4_000
"""Characters shown of a long source without quotes to a writer who sees others by their quotes."""


def build_page_inputs(
    sources: Mapping[int, Source],
    room: int,
    cited: Sequence[Citation] = (),
    shown: Mapping[str, Sequence[Span]] = EMPTY,
    *,
    quotes_only: bool = False,
) -> Iterator[Input]:
    """Yield pages as prompt inputs by number, each with its share of `room` characters.

    Room that short pages leave goes to longer ones, and room that others do not need to cited ones. Of a page
    that is still too long, the text around its quotes and the parts shown to agents come first, else the part
    with most of its quotes. With `quotes_only`, long pages show only the text around their quotes, or little
    if they have none.
    """
    quoted = {citation.source for citation in cited}
    most = max(room // max(len(sources), 1), PAGE_CHARS)
    needs = {
        number: source.chars
        if number in quoted
        else min(source.chars, most // (3 if quoted else 1))
        for number, source in sources.items()
    }
    shares = share_room(needs, room)
    for number, source in sources.items():
        chars = shares[number]
        about = ", ".join(filter(None, (source.title, name_origin(source), source.published)))
        if unread := describe_unread(source):
            about += f"\nunread: {unread}"
        quotes = [c for c in cited if c.source == number and c.start >= 0]
        if source.chars <= chars:
            spans = [(0, chars)]
        elif quotes_only and quotes and is_long(source):
            spans = choose_spans(quotes, (), chars, around=0)
        elif parts := shown.get(source.content_hash):
            chars = min(chars, UNQUOTED_CHARS) if quotes_only and is_long(source) else chars
            spans = choose_spans(quotes, parts, chars)
        else:
            start = _find_start(quotes, chars)
            spans = [(start, start + chars)]
        for n, (start, end) in enumerate(spans):
            is_part = start > 0 or len(spans) > 1
            part = OpenedPart(start=start, end=min(end, source.chars))
            place = f"\npart: {place_part(source, part)}" if is_part and not quotes_only else ""
            chars = max(end - start, 1)
            page = BlobRef(blob_key=source.text_key, start=start, chars=chars, is_excerpt=is_part)
            told = f"{about}{place}" if n == 0 else place.strip()
            text = f"{told}\n\n" if told else ""
            yield Input(name=f"source-{number}", text=text, blob=page)


def choose_spans(
    quotes: Sequence[Citation],
    shown: Sequence[Span],
    chars: int,
    *,
    around: int = AROUND_QUOTE,
) -> list[Span]:
    """Return at most `chars` characters of a long text: around its quotes, then the parts that were shown."""
    near = [
        (max(quote.start - around, 0), quote.end + around)
        for quote in sorted(quotes, key=lambda quote: quote.start)
    ]
    within = [
        (max(start, first), min(end, last))
        for start, end in near
        for first, last in [_find_holder((start + end) // 2, shown) or (start, end)]
    ]
    chosen: list[Span] = []
    for start, end in (*within, *shown):
        merged = merge_spans([*chosen, (start, end)], GAP_CHARS)
        if (surplus := sum(b - a for a, b in merged) - chars) <= 0:
            chosen = merged
        elif end - start - surplus > around:
            return merge_spans([*chosen, (start, end - surplus)])
    return chosen or [(shown[0][0], shown[0][0] + chars)]


def _find_holder(place: int, spans: Sequence[Span]) -> Span | None:
    return next(((start, end) for start, end in spans if start <= place < end), None)


def share_room(needs: Mapping[int, int], room: int) -> dict[int, int]:
    """Distribute `room` characters among pages, according to their needs."""
    shares: dict[int, int] = {}
    for number, need in sorted(needs.items(), key=itemgetter(1)):
        shares[number] = max(min(need, room // (len(needs) - len(shares))), 1)
        room -= shares[number]
    return shares


def _find_start(cited: Sequence[Citation], chars: int) -> int:
    """Return where a part of `chars` characters has the most quotes: at the beginning, or near a quote."""
    firsts, lasts = sorted(c.start for c in cited), sorted(c.end for c in cited)

    def count(start: int) -> int:
        return bisect_right(lasts, start + chars) - bisect_left(firsts, start)

    return max([0, *(max(first - chars // _BEFORE_QUOTE, 0) for first in firsts)], key=count)

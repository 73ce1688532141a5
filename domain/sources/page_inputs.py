"""Pages as inputs of a prompt: which of them, and which stretches of long ones, a writer is shown within its room."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from operator import itemgetter

from contracts.evidence.claims import Citation
from contracts.evidence.sources import OpenedPart, Source, name_day
from contracts.models.call import BlobRef, Input
from domain.evidence.quotes import Span
from domain.lost_inputs import describe_unread
from domain.retrieval.shown_parts import GAP_CHARS, PAGE_CHARS
from domain.sources.source_registry import EMPTY, merge_spans, name_origin, place_part

WHOLE_CHARS = 28_000
"""A page of up to this many characters is shown whole where the room allows: that of a company's figures has 26,000."""
REST_CHARS = 12_000
"""Characters reserved for each longer page before shorter pages are shown whole."""
_BEFORE_QUOTE = 8
"""An excerpt starts one eighth of its length before the first quote."""
AROUND_QUOTE = 1_000
"""Characters shown before and after a quote of a long source."""


@dataclass(frozen=True)
class ShownPage:
    """A page with the stretches of it that a prompt shows, in order."""

    number: int
    source: Source
    spans: Sequence[Span]

    @property
    def cut_chars(self) -> int:
        """The characters that are not shown."""
        chars = self.source.chars
        return chars - sum(min(end, chars) - start for start, end in self.spans)

    def build_inputs(self) -> Iterator[Input]:
        """Yield an input for each stretch; of a page that is cut, each says which part it is."""
        source = self.source
        about = ", ".join(
            filter(None, (source.title, name_origin(source), name_day(source.published)))
        )
        if unread := describe_unread(source):
            about += f"\nunread: {unread}"
        is_cut = self.cut_chars > 0
        for start, end in self.spans:
            part = OpenedPart(start=start, end=min(end, source.chars))
            place = f"part: {place_part(source, part)}" if is_cut else ""
            told = "\n".join(filter(None, (about, place)))
            chars = max(end - start, 1)
            page = BlobRef(blob_key=source.text_key, start=start, chars=chars, is_excerpt=is_cut)
            yield Input(name=f"source-{self.number}", text=f"{told}\n\n" if told else "", blob=page)
            about = ""


def build_page_inputs(
    sources: Mapping[int, Source],
    room: int,
    cited: Sequence[Citation] = (),
    shown: Mapping[str, Sequence[Span]] = EMPTY,
) -> Iterator[Input]:
    """Yield pages as prompt inputs by number, as `share_pages` shows them."""
    for page in share_pages(sources, room, cited, shown):
        yield from page.build_inputs()


def share_pages(
    sources: Mapping[int, Source],
    room: int,
    cited: Sequence[Citation] = (),
    shown: Mapping[str, Sequence[Span]] = EMPTY,
) -> list[ShownPage]:
    """Return pages by number, each with its share of `room` characters.

    Pages of up to `WHOLE_CHARS` come first. Room that short pages leave goes to longer ones, and room that
    others do not need to cited ones. Of a page that is still too long, the text around its quotes and the
    parts shown to agents come first, else the part with most of its quotes.
    """
    quoted = {citation.source for citation in cited}
    most = max(room // max(len(sources), 1), PAGE_CHARS)
    needs = {
        number: source.chars
        if number in quoted or (source.chars <= WHOLE_CHARS and not quoted)
        else min(source.chars, most // (3 if quoted else 1))
        for number, source in sources.items()
    }
    whole = {n for n, source in sources.items() if needs[n] == source.chars <= WHOLE_CHARS}
    shares = _share_whole(needs, whole, room)
    pages: list[ShownPage] = []
    for number, source in sources.items():
        chars = shares[number]
        quotes = [c for c in cited if c.source == number and c.start >= 0]
        if source.chars <= chars:
            spans = [(0, chars)]
        elif parts := shown.get(source.content_hash):
            spans = choose_spans(quotes, parts, chars)
        else:
            start = _find_start(quotes, chars)
            spans = [(start, start + chars)]
        pages.append(ShownPage(number, source, spans))
    return pages


def choose_spans(
    quotes: Sequence[Citation],
    shown: Sequence[Span],
    chars: int,
) -> list[Span]:
    """Return at most `chars` characters of a long text: around its quotes, then the parts that were shown."""
    near = [
        (max(quote.start - AROUND_QUOTE, 0), quote.end + AROUND_QUOTE)
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
        elif end - start - surplus > AROUND_QUOTE:
            return merge_spans([*chosen, (start, end - surplus)])
    return chosen or [(shown[0][0], shown[0][0] + chars)]


def _find_holder(place: int, spans: Sequence[Span]) -> Span | None:
    return next(((start, end) for start, end in spans if start <= place < end), None)


def _share_whole(needs: Mapping[int, int], whole: Set[int], room: int) -> dict[int, int]:
    """Distribute `room` characters among pages, first to those that may be `whole`, the shortest first.

    Each other page keeps its need, or `REST_CHARS` if it needs more; what is left is shared among them.
    """
    shares: dict[int, int] = {}
    kept = {number: min(need, REST_CHARS) for number, need in needs.items()}
    left = room - sum(kept.values())
    for number in sorted(whole, key=lambda number: (needs[number], number)):
        left -= needs[number] - kept[number]
        if left < 0:
            break
        shares[number] = max(needs[number], 1)
    rest = {number: need for number, need in needs.items() if number not in shares}
    return shares | share_room(rest, room - sum(shares.values()))


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

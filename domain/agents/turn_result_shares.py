"""The room that the results of one turn's calls share in an agent's conversation."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any, TypeVar

from contracts.evidence.sources import OpenedPart, SearchResult
from domain.agents.agent_tools import SourceParts
from domain.evidence.quotes import Span
from domain.sources.page_inputs import share_room
from domain.sources.source_registry import merge_spans

T = TypeVar("T")
Shown = Mapping[str, Sequence[Span]]
"""The spans of texts that a conversation contains, by the keys of the texts."""
_Place = tuple[str, int]
"""Where a passage is: its document's address and its first character."""

FIRST_CHARS, PARTS_CHARS = 36_000, 24_000
"""Characters of long documents that the results of one turn show together: where one is opened first, and later."""
PASSAGES_CHARS = 8_000
"""Characters of passages that the searches of one turn show together: an agent opens the page before it cites one."""


def share_turn(outcomes: Sequence[T], visible: Shown) -> list[T]:
    """Fit the outcomes of a turn's calls to the turn's room, keeping the best parts of long documents.

    A call that needs less than an equal share leaves the rest to others. Parts that the conversation or an
    earlier call of the turn shows need no room. Omitted parts are named by page.
    """
    shared: list[Any] = list(outcomes)
    opened = {n: each for n, each in enumerate(shared) if isinstance(each, SourceParts)}
    found = {n: each for n, each in enumerate(shared) if isinstance(each, SearchResult)}
    for n, fitted in (*_share_parts(opened, visible), *_share_passages(found)):
        shared[n] = fitted
    return shared


def _share_parts(calls: Mapping[int, SourceParts], visible: Shown) -> list[tuple[int, SourceParts]]:
    needs, shown = dict[int, int](), visible
    for n, opened in calls.items():
        needs[n] = _count_new(opened.parts, shown.get(opened.source.text_key, ()))
        shown = _add(opened, shown)
    begins = any(opened.outline for opened in calls.values())
    shares, shown = share_room(needs, FIRST_CHARS if begins else PARTS_CHARS), visible
    fitted: list[tuple[int, SourceParts]] = []
    for n, opened in calls.items():
        fitted.append((n, _fit_parts(opened, shown.get(opened.source.text_key, ()), shares[n])))
        shown = _add(fitted[-1][1], shown)
    return fitted


def _add(opened: SourceParts, shown: Shown) -> Shown:
    key, spans = opened.source.text_key, [(part.start, part.end) for part in opened.parts]
    return {**shown, key: merge_spans([*shown.get(key, ()), *spans])}


def _fit_parts(opened: SourceParts, known: Sequence[Span], room: int) -> SourceParts:
    """Drop the opened parts that do not fit, and name them.

    Sections and pages are cut at line ends.
    """
    kept: list[OpenedPart] = []
    left: list[OpenedPart] = []
    for part in sorted(opened.parts, key=lambda each: each.rank):
        size = _count_new([part], known)
        ends = [part.end] if size <= room else [at for at in part.cuts if at - part.start <= room]
        end = max(ends, default=part.start)
        room -= min(size, end - part.start)
        if end > part.start:
            kept.append(part.model_copy(update={"end": end}))
        if end < part.end:
            is_cut = end > part.start
            left.append(part.model_copy(update={"start": end, "page": None} if is_cut else {}))
    parts, left_out = (tuple(sorted(each, key=lambda part: part.start)) for each in (kept, left))
    return replace(opened, parts=parts, left_out=left_out)


def _count_new(parts: Sequence[OpenedPart], known: Sequence[Span]) -> int:
    """Return the number of characters of the parts outside the known spans, which do not overlap."""
    common = (min(part.end, end) - max(part.start, start) for part in parts for start, end in known)
    return sum(part.end - part.start for part in parts) - sum(each for each in common if each > 0)


def _share_passages(calls: Mapping[int, SearchResult]) -> list[tuple[int, SearchResult]]:
    told = set[_Place]()
    sizes: dict[int, dict[_Place, int]] = {}
    for n, found in calls.items():
        ranked = [
            (rank, (hit.url, passage.start), len(passage.text))
            for hit in found.hits
            for rank, passage in enumerate(hit.passages)
        ]
        ranked.sort(key=itemgetter(0))  # the best passage of each hit first
        new = {place: size for _, place, size in ranked}
        sizes[n] = {place: size for place, size in new.items() if place not in told}
        told |= new.keys()
    needs = {n: sum(new.values()) for n, new in sizes.items()}
    shares = share_room(needs, PASSAGES_CHARS)
    return [(n, _fit_passages(found, sizes[n], shares[n])) for n, found in calls.items()]


def _fit_passages(found: SearchResult, sizes: Mapping[_Place, int], room: int) -> SearchResult:
    """Return a search's result with the text of new passages while there is room, and the page alone of the others."""
    without = set[_Place]()
    for place, size in sizes.items():
        if size > room:
            without.add(place)
        else:
            room -= size
    hits = [
        hit.model_copy(
            update={
                "passages": [
                    each.model_copy(update={"text": ""})
                    if (hit.url, each.start) in without
                    else each
                    for each in hit.passages
                ]
            }
        )
        for hit in found.hits
    ]
    return found.model_copy(update={"hits": hits})

"""The sources that an agent has searched and read: their numbers, and what its tools' answers show of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from types import MappingProxyType

from contracts.agents.calculations_and_charts import Artifact, Calculated
from contracts.base import Json
from contracts.evidence.claims import CitablePage
from contracts.evidence.sources import (
    OWN_FILE,
    FoundPage,
    FoundPassage,
    ListedPage,
    OpenedPart,
    SearchHit,
    SearchResult,
    Source,
    name_day,
)
from contracts.models.call import BlobRef, Block, FoundInSearch, Input, to_input
from contracts.notices import Notice
from contracts.report.report import Search
from contracts.runs.lost_inputs import LossCause
from domain.agents.agent_tools import NO_PAGE_LEFT, SourceParts, ToolError, ToolOutcome
from domain.evidence.quotes import Span
from domain.lost_inputs import describe_unread
from domain.retrieval.shown_parts import LONG_CHARS, PAGE_CHARS, outline_sections
from domain.sources.urls import compute_url_key

MIN_NEW_CHARS = 60
"""Characters of a part that are not worth showing alone."""
MOSTLY_NEW = 0.75
"""A part with a larger share of new text is shown whole."""
SHOWN_ABOVE, LEFT_OUT = "shown_above", "left_out"
"""Keys for parts named without text: already in the conversation, or without room in this turn."""
MAX_FOUND_PAGES, _ABOUT_CHARS = 60, 160
"""Found pages that a run remembers, and characters kept of each one's snippet."""
_HEADING_CHARS = 80
_SAME_CHARS = 40
"""A heading is not repeated above a text that begins with this many of its characters."""
EMPTY: Mapping[str, Sequence[Span]] = MappingProxyType({})


_READ_AS, _LISTED = "read_as_source", "listed_before"
"""Mark hits that were read, or listed by another agent's search."""


@dataclass
class SourceRegistry:
    """Numbers sources and collects artifacts in the order of the calls; fills its lists in place."""

    sources: list[Source]
    searches: list[Search]
    may_read: int
    artifacts: list[Artifact] = field(default_factory=list)
    unread: dict[str, LossCause] = field(default_factory=dict)
    """Why pages could not be read, by URL; one that is read later leaves it."""
    shown: dict[str, list[Span]] = field(default_factory=dict)
    """The stretches of long sources that agents were shown, by the hash of their content."""
    listed: list[str] = field(default_factory=list)
    """The hits and passages that the conversation's searches have listed."""
    visible: dict[str, list[Span]] = field(default_factory=dict)
    """The spans of texts that the conversation contains, by the keys of the texts."""
    found: dict[str, FoundPage] = field(default_factory=dict)
    """The first pages found by the run's searches, by URL key, without pages that failed to be read."""
    opened: dict[str, list[int]] = field(default_factory=dict)
    """The pages that the conversation has opened, by the numbers of their sources."""

    def find(self, url: str) -> Source | None:
        """Return a source that was read before."""
        return next((source for source in self.sources if source.url == url), None)

    def find_numbered(self, number: int) -> Source | ToolError:
        """Return the source with this number, or a ToolError."""
        if number > len(self.sources):
            return ToolError(f"source: {len(self.sources)} were read so far, not {number}")
        return self.sources[number - 1]

    def answer(self, call: Block, outcome: ToolOutcome) -> Block:
        """Return the tool result for the model; a new source gets its number here."""
        if call.name == "web_search" and isinstance(outcome, SearchResult | ToolError):
            hits = outcome.found if isinstance(outcome, SearchResult) else 0
            failures = outcome.failures if isinstance(outcome, SearchResult) else []
            search = Search(query=str(call.input.get("query", "")), hits=hits, failures=failures)
            if isinstance(outcome, ToolError):
                error = outcome.notice or Notice.of("search-not-made")
                search = search.model_copy(update={"error": error, "cause": outcome.cause})
            self.searches.append(search)
        if call.name == "fetch_url":
            self._note_read(str(call.input.get("url", "")), outcome)
        result = Block(type="tool_result", id=call.id, is_error=isinstance(outcome, ToolError))
        if isinstance(outcome, SearchResult):
            listed = self._list_hits(outcome)
            found = _count_hits(listed, outcome.found)
            return result.model_copy(
                update={"inputs": [to_input("results", listed)], "search": found}
            )
        seen = FoundInSearch(error=str(outcome)) if call.name == "web_search" else None
        artifact = outcome.id if isinstance(outcome, Artifact) else ""
        return result.model_copy(
            update={"inputs": self._describe(outcome), "search": seen, "artifact": artifact}
        )

    def _note_read(self, url: str, outcome: ToolOutcome) -> None:
        if isinstance(outcome, Source):
            self.unread.pop(url, None)
        elif isinstance(outcome, ToolError) and outcome.cause:
            self.unread[url] = outcome.cause
            self.found.pop(compute_url_key(url), None)

    def _describe(self, outcome: ToolOutcome) -> list[Input]:
        if isinstance(outcome, Source):
            outline = outline_sections("", outcome.sections)  # its pages are not known
            beginning = [_cut_beginning(outcome)]
            return self._describe_parts(SourceParts(outcome, beginning, outline=outline))
        if isinstance(outcome, SourceParts):
            return self._describe_parts(outcome)
        if isinstance(outcome, Artifact):
            return [self._add_artifact(outcome)]
        if isinstance(outcome, Calculated):
            return [to_input("result", outcome)]
        return [to_input("error", str(outcome))]

    def _list_hits(self, result: SearchResult) -> list[Json]:
        """Return what no earlier search of the conversation listed, and count hits without anything new.

        Pages are identified by URL, passages by URL and offset; a document is described once. Pages that
        were read or listed by another agent's search only show their title. Hits are processed in the
        order of the calls, so that a retry lists the same.
        """
        told: list[Json] = []
        read = {compute_url_key(source.url): n for n, source in enumerate(self.sources, start=1)}
        for rank, hit in enumerate(result.hits):
            self._note_found(hit, rank, result.query)
            if not hit.passages and compute_url_key(hit.url) in read:
                told += self._name_page(ListedPage(url=hit.url, title=hit.title), read)
                continue
            keys: dict[str, FoundPassage | None] = {
                f"{hit.url}#{passage.start}": passage for passage in hit.passages
            }
            keys = keys or {compute_url_key(hit.url): None}
            if new := {key: passage for key, passage in keys.items() if key not in self.listed}:
                is_known = bool(hit.passages) and hit.url in self.listed
                self.listed += [hit.url] if hit.passages and not is_known else []
                self.listed += [key for key, part in new.items() if part is None or part.text]
                passages = [passage for passage in new.values() if passage is not None]
                told.append(_describe_hit(hit, passages, is_known=is_known))
        for listed in result.repeated:
            told += self._name_page(listed, read)
        if repeated := result.found - len(told):
            told.append({"repeated": repeated})
        return told

    def _note_found(self, hit: SearchHit, rank: int, query: str) -> None:
        """Note a hit with its rank and search, or the better ones of a hit that is noted already."""
        key = compute_url_key(hit.url)
        if noted := self.found.get(key):
            if rank < noted.rank:
                self.found[key] = noted.model_copy(update={"rank": rank, "query": query})
        elif len(self.found) < MAX_FOUND_PAGES:
            about = next((p.text for p in hit.passages if p.text), hit.snippet)[:_ABOUT_CHARS]
            self.found[key] = FoundPage(
                url=hit.url, title=hit.title, about=about, rank=rank, query=query
            )

    def _name_page(self, listed: ListedPage, read: Mapping[str, int]) -> list[Json]:
        """Return a page's URL and title if the conversation does not know it yet, else an empty list."""
        key = compute_url_key(listed.url)
        if key in self.listed:
            return []
        self.listed.append(key)
        known: Json = {_READ_AS: read[key]} if key in read else {_LISTED: True}
        title: Json = {"title": listed.title} if listed.title else {}
        return [{"url": listed.url, **title, **known}]

    def find_table(self, name: str) -> Artifact | ToolError:
        """Return a table of the run by its id or title, the newest of a title; or which there are."""
        tables = [made for made in self.artifacts if made.kind == "table"]
        for table in reversed(tables):
            if name in (table.id, table.name):
                return table
        told = ", ".join(f"{table.id} ({table.name})" for table in tables)
        there = f"it has {told}" if told else "it has none yet"
        return ToolError(
            f"table: the run has no table {name!r} before this turn; {there}. Make it with `table`, and draw "
            "it in a later turn"
        )

    def _add_artifact(self, artifact: Artifact) -> Input:
        """Add an artifact once, and return how the answer may refer to it."""
        if all(known.id != artifact.id for known in self.artifacts):
            self.artifacts.append(artifact.model_copy(update={"is_account": True}))
        return to_input("artifact", artifact.model_dump(include={"id", "name", "kind", "rows"}))

    def _describe_parts(self, opened: SourceParts) -> list[Input]:
        """Describe the opened parts of a source; parts already in the conversation are only named."""
        source = opened.source
        number = find_number(source, self.sources)
        if number is None:
            is_free = source.is_shared or source.tool is not None
            if self.may_read <= 0 and not is_free:
                return [to_input("error", str(NO_PAGE_LEFT))]
            self.may_read -= not is_free
            number = number_source(source, self.sources)
        spans = [(part.start, part.end) for part in opened.parts]
        is_whole = spans == [(0, source.chars)]
        if not is_whole:
            known = self.shown.get(source.content_hash, [])
            self.shown[source.content_hash] = merge_spans([*known, *spans])
        visible = self.visible.get(source.text_key, [])
        self.visible[source.text_key] = merge_spans([*visible, *spans])
        left = {page for part in opened.left_out for page in part.shows}
        if pages := {page for part in opened.parts for page in part.shows} - left:
            self.opened[str(number)] = sorted({*self.opened.get(str(number), []), *pages})
        about = [] if visible else list(_describe_source(source, opened, is_whole=is_whole))
        shown: list[Input] = []
        headings: set[str] = set()
        repeated: list[OpenedPart] = []
        for part in opened.parts:
            new = list(_leave_out(part, visible))
            repeated += [] if new else [part]
            for piece in new:
                place = [] if is_whole else list(_describe_place(source, piece, headings))
                headings.add(piece.heading)
                shown.append(_show_part(number, source, piece, [*about, *place]))
                about = []
        for name, parts in ((SHOWN_ABOVE, repeated), (LEFT_OUT, opened.left_out)):
            if places := ", ".join(dict.fromkeys(name_place(source, part) for part in parts)):
                shown.append(Input(name=f"source-{number}", text=f"{name}: {places}"))
        return shown


def _describe_source(
    source: Source, opened: SourceParts, *, is_whole: bool
) -> Iterator[tuple[str, object]]:
    """Yield the metadata of a source that is new to the conversation."""
    yield "url", source.url
    yield "title", source.title
    yield "by", ", ".join(source.byline)
    yield "published", name_day(source.published)
    yield "unread", describe_unread(source)
    if not is_whole:
        pages = f" on {opened.pages} pages" if opened.pages else ""
        yield "length", f"{source.chars} characters{pages}"
        yield "sections", opened.outline


def _describe_place(
    source: Source, part: OpenedPart, headings: Set[str]
) -> Iterator[tuple[str, object]]:
    """Yield the place of a part, with its heading unless that is among the `headings` shown before."""
    if part.heading not in headings:
        yield "heading", part.heading
    if part.page is None:
        yield "part", place_part(source, part)


def _leave_out(part: OpenedPart, visible: Sequence[Span]) -> Iterator[OpenedPart]:
    """Yield the parts that are not visible yet: the whole part if it is mostly new, nothing if hardly anything is."""
    new: list[OpenedPart] = []
    start = part.start
    for first, last in [*visible, (part.end, part.end)]:
        if min(first, part.end) - start >= MIN_NEW_CHARS:
            new.append(part.model_copy(update={"start": start, "end": min(first, part.end)}))
        start = max(start, last)
    is_new = not any(first < part.end and part.start < last for first, last in visible)
    chars = sum(piece.end - piece.start for piece in new)
    yield from [part] if is_new or chars > MOSTLY_NEW * (part.end - part.start) else new


def _show_part(
    number: int, source: Source, part: OpenedPart, about: Iterable[tuple[str, object]]
) -> Input:
    lines = "".join(f"{name}: {value}\n" for name, value in about if value)
    page = BlobRef(blob_key=source.text_key, start=part.start, chars=max(part.end - part.start, 1))
    return Input(name=f"source-{number}", text=f"{lines}\n" if lines else "", blob=page)


def name_place(source: Source, part: OpenedPart) -> str:
    """Return the page of a part, or its place where the document has no pages."""
    return f"p. {part.page}" if part.page else place_part(source, part)


def place_part(source: Source, part: OpenedPart) -> str:
    """Return the place of a part in words."""
    return f"{part.start}-{part.end} of {source.chars} characters"


def merge_spans(spans: Iterable[Span], gap: int = 0) -> list[Span]:
    """Return spans in order, those joined that overlap, touch, or have no more than a gap between them."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1] + gap:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _count_hits(listed: list[Json], found: int) -> FoundInSearch:
    """Return which of the hits that were listed are new, as reviewers see them, and how many of all are not."""
    pages = [hit for hit in listed if "url" in hit]
    new = [
        str(hit.get("title") or hit["url"])
        for hit in pages
        if not ({_READ_AS, _LISTED} & hit.keys())
    ]
    return FoundInSearch(new=new, seen_before=found - len(new))


def _describe_hit(hit: SearchHit, passages: Sequence[FoundPassage], *, is_known: bool) -> Json:
    """Describe a hit for a model; a known document is reduced to its URL and passages.

    The URL of a user's document contains its name and collection.
    """
    if is_known:
        told: Json = {"url": hit.url}
    else:
        own = {"file_name", "collection"} if hit.url.startswith(OWN_FILE) else set()
        fields = hit.model_dump(exclude_none=True, exclude={"passages", "services", *own})
        told = {name: value for name, value in fields.items() if value}
    if passages:
        told["passages"] = [_describe_passage(passage) for passage in passages]
    return told


def _describe_passage(passage: FoundPassage) -> Json:
    """Return a passage with its page, or else its place; its heading where its text does not begin with it."""
    place: Json = {"page": passage.page} if passage.page else {"start": passage.start}
    begins = " ".join(passage.text.replace("#", " ").split())
    heading = passage.heading.strip()
    if heading and not begins.startswith(heading[:_SAME_CHARS]):
        place["heading"] = passage.heading[:_HEADING_CHARS]
    return place | ({"text": passage.text} if passage.text else {})


def list_citable_pages(
    sources: Sequence[Source], shown: Mapping[str, Sequence[Span]] = EMPTY
) -> list[CitablePage]:
    """Return sources as pages that an answer may cite, with the stretches of long ones that agents were shown."""
    return [
        CitablePage(
            number=number,
            title=source.title,
            by=name_origin(source),
            published=source.published or "",
            text_key=source.text_key,
            rows_key=source.rows_key,
            unread=[part for part in source.unread if not part.is_negligible],
            shown=list(shown.get(source.content_hash, ())),
        )
        for number, source in enumerate(sources, start=1)
    ]


def name_origin(source: Source) -> str:
    """Return a source's author and publisher, or that it is the user's own document."""
    return ", ".join(source.byline) or ("the user's own document" if source.own_path else "")


def list_pages_read(sources: Sequence[Source]) -> list[Json] | None:
    """List the pages read so far for an agent that starts later; null at the start."""
    pages = enumerate(sources, start=1)
    return [{"source": n, "title": page.title, "url": page.url} for n, page in pages] or None


def find_number(source: Source, sources: list[Source]) -> int | None:
    """Return a page's number by URL or content, or None if it is new."""
    for number, known in enumerate(sources, start=1):
        if known.url == source.url or known.content_hash == source.content_hash:
            return number
    return None


def number_source(source: Source, sources: list[Source]) -> int:
    """Return a page's number; a new page is appended."""
    known = find_number(source, sources)
    if known is None:
        sources.append(source)
    return known or len(sources)


def _cut_beginning(source: Source) -> OpenedPart:
    """Return the first part of a source whose text is not loaded, ending before a heading if possible."""
    if not is_long(source):
        return OpenedPart(start=0, end=source.chars)
    headings = (s.start for s in source.sections if PAGE_CHARS // 2 <= s.start <= PAGE_CHARS)
    return OpenedPart(start=0, end=max(headings, default=PAGE_CHARS))


def is_long(source: Source) -> bool:
    """Return whether a source is longer than what is shown at once."""
    return source.chars > LONG_CHARS

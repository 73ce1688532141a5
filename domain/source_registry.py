"""The sources that an agent has searched and read, and the answers that its tools give it."""

from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

from pydantic import ValidationError

from contracts.agents.tools import (
    ARGS,
    CalculateArgs,
    FetchUrlArgs,
    ParseContentArgs,
    TableArgs,
    TableChartArgs,
    WebSearchArgs,
)
from contracts.agents.workbench import Artifact, Calculated
from contracts.base import Json
from contracts.evidence.claims import CitablePage, Citation
from contracts.evidence.sources import SearchResult, Source
from contracts.lost_inputs import LossCause
from contracts.models.call import BlobRef, Block, Input, to_input
from contracts.report.patches import UpdateReportArgs
from contracts.report.research import Search

PAGE_CHARS = 18_000
"""Characters of a page that an agent reads at once; the whole text stays in its snapshot. Up to a quarter
more is shown with them: a call for the rest would cost more than the rest."""

_BEFORE_QUOTE = 8
"""The share of a part that stands before the first quote in it: the eighth."""


class ToolError(str):
    """The reason why a tool call failed, as the model reads it."""

    cause: LossCause | None = None
    """Why a page or a search is lost; None where the call itself was at fault."""

    @classmethod
    def of(cls, message: str, cause: LossCause) -> "ToolError":
        """Return the failure of a call that was made."""
        error = cls(message)
        error.cause = cause
        return error


@dataclass(frozen=True)
class SourcePart:
    """A stretch of a source's text, in characters."""

    source: Source
    start: int
    end: int

    @property
    def place(self) -> str:
        """The stretch in words."""
        return f"{self.start}-{self.end} of {self.source.chars} characters"


ToolOutcome = SearchResult | Source | SourcePart | Calculated | Artifact | ToolError
ToolArguments = (
    WebSearchArgs
    | FetchUrlArgs
    | ParseContentArgs
    | UpdateReportArgs
    | CalculateArgs
    | TableArgs
    | TableChartArgs
)


def parse_arguments(call: Block, allowed: Container[str], who: str) -> ToolArguments | ToolError:
    """Return the arguments of a tool call, or the reason why it cannot be executed."""
    if call.name not in allowed:
        return ToolError(f"there is no tool {call.name!r} for a {who}")
    try:
        args = ARGS[call.name].model_validate(call.input)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        return ToolError(f"{place}: {first['msg']}" if place else first["msg"])
    assert isinstance(args, ToolArguments)
    return args


class SourceRegistry:
    """Numbers sources and collects artifacts in the order of the calls; fills its lists in place."""

    def __init__(
        self,
        sources: list[Source],
        searches: list[Search],
        may_read: int,
        artifacts: list[Artifact] | None = None,
        unread: dict[str, LossCause] | None = None,
    ) -> None:
        self.sources = sources
        self.searches = searches
        self.may_read = may_read
        self.artifacts = [] if artifacts is None else artifacts
        self.unread = {} if unread is None else unread
        """Why pages could not be read, by URL; one that is read later leaves it."""
        self.listed: list[str] = []
        """The URLs that the conversation's searches have listed."""

    def find(self, url: str) -> Source | None:
        """Return a source that was read before."""
        return next((source for source in self.sources if source.url == url), None)

    def read_part(self, args: ParseContentArgs) -> SourcePart | ToolError:
        """Return the requested part of a source, or the reason why there is none."""
        if args.source > len(self.sources):
            return ToolError(f"source: {len(self.sources)} were read so far, not {args.source}")
        source = self.sources[args.source - 1]
        if not args.section:
            if args.start >= source.chars:
                return ToolError(f"start: the text has {source.chars} characters")
            return _cut_part(source, args.start, source.chars)
        for section in source.sections:
            if section.heading == args.section:
                return _cut_part(source, section.start, section.end)
        known = ", ".join(repr(section.heading) for section in source.sections) or "none"
        return ToolError(f"section: the sections of source {args.source} are {known}")

    def check_limit(self) -> ToolError | None:
        """Return an error once the page limit is used up."""
        return None if self.may_read > 0 else ToolError("no page is left: use those that were read")

    def answer(self, call: Block, outcome: ToolOutcome) -> Block:
        """Return the tool result for the model; a new source gets its number here."""
        if call.name == "web_search" and isinstance(outcome, SearchResult | ToolError):
            hits = len(outcome.hits) if isinstance(outcome, SearchResult) else 0
            error = str(outcome) if isinstance(outcome, ToolError) else ""
            query = str(call.input.get("query", ""))
            cause = outcome.cause if isinstance(outcome, ToolError) else None
            self.searches.append(Search(query=query, hits=hits, error=error, cause=cause))
        if call.name == "fetch_url":
            self._note_read(str(call.input.get("url", "")), outcome)
        told = self._describe(outcome)
        return Block(
            type="tool_result", id=call.id, inputs=[told], is_error=isinstance(outcome, ToolError)
        )

    def _note_read(self, url: str, outcome: ToolOutcome) -> None:
        if isinstance(outcome, Source):
            self.unread.pop(url, None)
        elif isinstance(outcome, ToolError) and outcome.cause:
            self.unread[url] = outcome.cause

    def _describe(self, outcome: ToolOutcome) -> Input:
        if isinstance(outcome, Source):
            return self._describe_page(_cut_part(outcome, 0, outcome.chars))
        if isinstance(outcome, SourcePart):
            return self._describe_page(outcome)
        if isinstance(outcome, Artifact):
            return self._add_artifact(outcome)
        if isinstance(outcome, Calculated):
            return to_input("result", outcome)
        if isinstance(outcome, SearchResult):
            return self._list_hits(outcome)
        return to_input("error", str(outcome))

    def _list_hits(self, result: SearchResult) -> Input:
        """Return the hits that no earlier search of the conversation listed, and how many others there were.

        In the order of the calls, so that a retry tells the same.
        """
        new = [hit for hit in result.hits if hit.url not in self.listed]
        self.listed += [hit.url for hit in new]
        told: list[Json] = [hit.model_dump(exclude_none=True) for hit in new]
        if repeated := len(result.hits) - len(new):
            told.append({"repeated": repeated})
        return to_input("results", told)

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

    def _describe_page(self, part: SourcePart) -> Input:
        source = part.source
        number = find_number(source, self.sources)
        if number is None:
            if refused := self.check_limit():
                return to_input("error", str(refused))
            self.may_read -= 1
            number = number_source(source, self.sources)
        by = ("by", ", ".join(source.byline))
        shown = [("url", source.url), ("title", source.title), by, ("published", source.published)]
        if part.end - part.start < source.chars:
            headings = " | ".join(section.heading for section in source.sections)
            shown += [("part", part.place), ("sections", headings)]
        about = "\n".join(f"{name}: {value}" for name, value in shown if value)
        page = BlobRef(
            blob_key=source.text_key, start=part.start, chars=max(part.end - part.start, 1)
        )
        return Input(name=f"source-{number}", text=f"{about}\n\n", blob=page)


def list_citable_pages(sources: Sequence[Source]) -> list[CitablePage]:
    """Return sources as pages that an answer may cite."""
    return [
        CitablePage(
            number=number,
            title=source.title,
            by=name_origin(source),
            published=source.published or "",
            text_key=source.text_key,
        )
        for number, source in enumerate(sources, start=1)
    ]


def name_origin(source: Source) -> str:
    """Return by whom a source is, as far as it says, or that it is a document of the user's own."""
    return ", ".join(source.byline) or ("the user's own document" if source.own_path else "")


def list_pages_read(sources: Sequence[Source]) -> list[Json] | None:
    """Return the pages that were read, as an agent that comes later sees them; None where none was."""
    pages = enumerate(sources, start=1)
    return [{"source": n, "title": page.title, "url": page.url} for n, page in pages] or None


def build_page_inputs(
    sources: Mapping[int, Source], room: int, cited: Sequence[Citation] = ()
) -> Iterator[Input]:
    """Yield pages as inputs under their numbers, each with its share of so many characters.

    What short pages leave goes to the longer ones, and to those that are cited what the others need not have.
    Of a page that is longer still, that part is shown in which most of its cited quotes stand.
    """
    quoted = {citation.source for citation in cited}
    most = max(room // max(len(sources), 1), PAGE_CHARS)
    needs = {
        number: source.chars
        if number in quoted
        else min(source.chars, most // (3 if quoted else 1))
        for number, source in sources.items()
    }
    shares = _share_room(needs, room)
    for number, source in sources.items():
        chars = shares[number]
        about = ", ".join(filter(None, (source.title, name_origin(source), source.published)))
        start = 0
        if source.chars > chars:
            start = _find_start([c for c in cited if c.source == number], chars)
        if start:
            about += f"\npart: {SourcePart(source, start, min(start + chars, source.chars)).place}"
        page = BlobRef(blob_key=source.text_key, start=start, chars=chars)
        yield Input(name=f"source-{number}", text=f"{about}\n\n", blob=page)


def _share_room(needs: Mapping[int, int], room: int) -> dict[int, int]:
    """Return how much of so many characters each page may take, by what each could use."""
    shares: dict[int, int] = {}
    for number, need in sorted(needs.items(), key=itemgetter(1)):
        shares[number] = max(min(need, room // (len(needs) - len(shares))), 1)
        room -= shares[number]
    return shares


def _find_start(cited: Sequence[Citation], chars: int) -> int:
    """Return where a part of so many characters holds the most quotes: the beginning, or near one of them."""
    firsts, lasts = sorted(c.start for c in cited), sorted(c.end for c in cited)

    def count(start: int) -> int:
        return bisect_right(lasts, start + chars) - bisect_left(firsts, start)

    return max([0, *(max(first - chars // _BEFORE_QUOTE, 0) for first in firsts)], key=count)


def find_number(source: Source, sources: list[Source]) -> int | None:
    """Return the number of a page, by its address or its content; None of a new one."""
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


def _cut_part(source: Source, start: int, end: int) -> SourcePart:
    """Return a part of a source, no longer than may be; where it is cut, if possible before a heading."""
    if end - start <= PAGE_CHARS * 5 // 4:
        return SourcePart(source, start, end)
    most = start + PAGE_CHARS
    headings = (s.start for s in source.sections if start + PAGE_CHARS // 2 <= s.start <= most)
    return SourcePart(source, start, max(headings, default=most))

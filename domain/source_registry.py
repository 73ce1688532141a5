"""What an agent has searched and read, and how it is told; pure, so that workflows use it too."""

from collections.abc import Container
from dataclasses import dataclass

from pydantic import ValidationError

from contracts.agents.tools import (
    ARGS,
    CalculateArgs,
    ChartArgs,
    FetchUrlArgs,
    ParseContentArgs,
    TableArgs,
    WebSearchArgs,
)
from contracts.agents.workbench import Artifact, Calculated
from contracts.evidence.sources import SearchHit, SearchResult, Source
from contracts.models.call import BlobRef, Block, Input
from contracts.models.inputs import data
from contracts.report.patches import UpdateReportArgs
from contracts.report.research import Search

PAGE_CHARS = 8_000
"""How much of a page an agent reads; the whole text stays in its snapshot."""


class Failed(str):
    """Why a call gave nothing."""

    __slots__ = ()


@dataclass(frozen=True)
class Part:
    """A stretch of a source's text, in characters."""

    source: Source
    start: int
    end: int

    @property
    def place(self) -> str:
        """Where it stands, in words."""
        return f"{self.start}-{self.end} of {self.source.chars} characters"


Outcome = SearchResult | Source | Part | Calculated | Artifact | Failed
Arguments = (
    WebSearchArgs
    | FetchUrlArgs
    | ParseContentArgs
    | UpdateReportArgs
    | CalculateArgs
    | TableArgs
    | ChartArgs
)


def asked(call: Block, allowed: Container[str], who: str) -> Arguments | Failed:
    """Return what a tool call asks for, or why it cannot be carried out."""
    if call.name not in allowed:
        return Failed(f"there is no tool {call.name!r} for a {who}")
    try:
        args = ARGS[call.name].model_validate(call.input)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        return Failed(f"{place}: {first['msg']}" if place else first["msg"])
    assert isinstance(args, Arguments)
    return args


class Desk:
    """Numbers sources and keeps artifacts in the order asked; the lists are filled in place."""

    def __init__(
        self,
        sources: list[Source],
        searches: list[Search],
        may_read: int,
        artifacts: list[Artifact] | None = None,
    ) -> None:
        self.sources = sources
        self.searches = searches
        self.may_read = may_read
        self.artifacts = [] if artifacts is None else artifacts
        self.listed: set[str] = set()
        """The URLs that the conversation's searches have listed."""

    def known(self, url: str) -> Source | None:
        """Return a source that was read before."""
        return next((source for source in self.sources if source.url == url), None)

    def part(self, args: ParseContentArgs) -> Part | Failed:
        """Return the part of a source that is asked for, or why there is none."""
        if args.source > len(self.sources):
            return Failed(f"source: {len(self.sources)} were read so far, not {args.source}")
        source = self.sources[args.source - 1]
        if not args.section:
            return _part(source, args.start, source.chars)
        for section in source.sections:
            if section.heading == args.section:
                return _part(source, section.start, section.end)
        known = ", ".join(repr(section.heading) for section in source.sections) or "none"
        return Failed(f"section: the sections of source {args.source} are {known}")

    def full(self) -> Failed | None:
        """Return why no page may be read any more, if that is so."""
        return None if self.may_read > 0 else Failed("as many pages were read as may be")

    def result(self, call: Block, outcome: Outcome) -> Block:
        """Return what the model is told; a source gets its number here."""
        told = self._told(call, outcome)
        return Block(
            type="tool_result", id=call.id, inputs=[told], is_error=isinstance(outcome, Failed)
        )

    def _told(self, call: Block, outcome: Outcome) -> Input:
        if isinstance(outcome, Source):
            return self._page(Part(outcome, 0, min(outcome.chars, PAGE_CHARS)))
        if isinstance(outcome, Part):
            return self._page(outcome)
        if isinstance(outcome, Artifact):
            return self._kept(outcome)
        if isinstance(outcome, Calculated):
            return data("result", outcome)
        if call.name == "web_search":
            self._log(call, outcome)
        if isinstance(outcome, SearchResult):
            return self._list(outcome.hits)
        return data("error", str(outcome))

    def _list(self, hits: list[SearchHit]) -> Input:
        """Return hits, each whole the first time: a long conversation is paid for at every turn."""
        told = [
            {"url": hit.url, "seen": True}
            if hit.url in self.listed
            else hit.model_dump(exclude_none=True)
            for hit in hits
        ]
        self.listed.update(hit.url for hit in hits)
        return data("results", told)

    def _kept(self, artifact: Artifact) -> Input:
        """Return how the answer may refer to an artifact; the same one is kept once."""
        if all(known.id != artifact.id for known in self.artifacts):
            self.artifacts.append(artifact)
        return data("artifact", artifact.model_dump(include={"id", "name", "kind", "rows"}))

    def _log(self, call: Block, outcome: SearchResult | Failed) -> None:
        query = str(call.input.get("query", ""))
        if isinstance(outcome, Failed):
            self.searches.append(Search(query=query, hits=0, error=str(outcome)))
        else:
            self.searches.append(Search(query=query, hits=len(outcome.hits)))

    def _page(self, part: Part) -> Input:
        source = part.source
        number = self._number(source)
        if number is None:
            return data("error", str(self.full()))
        about = "\n".join(
            f"{name}: {value}"
            for name, value in (
                ("url", source.url),
                ("title", source.title),
                ("publisher", source.publisher),
                ("published", source.published),
                *_beyond(part),
            )
            if value
        )
        page = BlobRef(key=source.text_key, start=part.start, chars=max(part.end - part.start, 1))
        return Input(name=f"source-{number}", text=f"{about}\n\n", blob=page)

    def _number(self, source: Source) -> int | None:
        """Return a source's number, given now if it is new and the limit allows."""
        known = number_of(source, self.sources)
        if known is None and not self.full():
            self.may_read -= 1
            return numbered(source, self.sources)
        return known


def number_of(source: Source, sources: list[Source]) -> int | None:
    """Return the number under which a page is known, at whatever address."""
    for number, known in enumerate(sources, start=1):
        if known.url == source.url or known.content_hash == source.content_hash:
            return number
    return None


def numbered(source: Source, sources: list[Source]) -> int:
    """Return a page's number; it is given now if the page is new."""
    known = number_of(source, sources)
    if known is None:
        sources.append(source)
    return known or len(sources)


def _part(source: Source, start: int, end: int) -> Part | Failed:
    """Return a stretch of a source, no longer than an agent reads at once."""
    if start >= source.chars:
        return Failed(f"start: the text has {source.chars} characters")
    return Part(source, start, min(end, start + PAGE_CHARS))


def _beyond(part: Part) -> list[tuple[str, str]]:
    """Return what an agent is told of a text that goes on: where it is, what it could read."""
    if part.end - part.start >= part.source.chars:
        return []
    headings = " | ".join(section.heading for section in part.source.sections)
    return [("part", part.place), ("sections", headings)]

"""Searching, fetching and citing."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract
from contracts.models.call import ModelResult, Scope

SearchKind = Literal["web", "news"]


class SearchRequest(Contract):
    """One query to the search service."""

    scope: Scope
    query: str = Field(min_length=1, max_length=400)
    kind: SearchKind = "web"
    max_results: int = Field(default=5, ge=1, le=20)
    plan_hash: str = Field(description="the approved plan; logged with the search")


class SearchHit(Contract):
    """One result."""

    url: str
    title: str = ""
    snippet: str = ""
    published: str | None = Field(default=None, description="ISO date, as the service knows it")


class SearchResult(Contract):
    """The hits of one query, best first, each URL once."""

    query: str
    hits: list[SearchHit]


class FetchRequest(Contract):
    """One page to read: one that was listed in this run, or that a human named."""

    scope: Scope
    url: str = Field(max_length=2_000)
    plan_hash: str
    named: list[str] = Field(default=[], description="the addresses that humans wrote in this run")


class ProbeRequest(Contract):
    """One page that was read before: is it still there?"""

    scope: Scope
    url: str = Field(max_length=2_000)
    plan_hash: str
    content_hash: str = Field(default="", description="sha256 of the bytes that were read")
    text_key: str = Field(default="", description="blob of the text that was read")


class Reached(Contract):
    """What a page's server answers now."""

    url: str
    status: int = Field(description="of HTTP, at the end of its redirects")
    changed: bool | None = Field(
        default=None, description="it reads otherwise than before; None: that cannot be told"
    )


class Section(Contract):
    """A heading of a page, and where it and what stands under it are in the snapshot."""

    heading: str = Field(max_length=120)
    start: int = Field(ge=0)
    end: int = Field(ge=0)


class Source(Contract):
    """A page that was fetched; its text is a snapshot in the blob store."""

    url: str
    title: str = ""
    author: str = ""
    publisher: str = ""
    published: str | None = Field(default=None, description="ISO date, as the page states it")
    retrieved_at: str = Field(description="ISO 8601, UTC")
    content_type: str = ""
    snippet: str = Field(default="", max_length=1_000)
    notes: list[str] = Field(
        default=[], description="what speaks against trusting it, as far as code can tell"
    )
    content_hash: str = Field(description="sha256 of the bytes fetched")
    bytes: int = Field(default=0, ge=0, description="length of what was fetched; 0: not known")
    text_key: str = Field(description="blob of the extracted text; offsets of quotes count in it")
    raw_key: str = Field(description="blob of the bytes as fetched")
    chars: int = Field(ge=0, description="length of the extracted text")
    sections: list[Section] = Field(
        default=[], max_length=40, description="the first of those its headings or outline make"
    )


class Citation(Contract):
    """A quote and where it stands in a source's snapshot."""

    source: int = Field(ge=1, description="1-based position in the run's sources")
    quote: str
    start: int = Field(default=-1, description="first character in the snapshot; -1: not found")
    end: int = -1


Verdict = Literal["supported", "unsupported"]


class Claim(Contract):
    """One sentence of a report and what it rests on."""

    text: str
    citations: list[Citation] = []
    verdict: Verdict | None = Field(default=None, description="None until code has checked it")
    reason: str = Field(default="", description="why it is unsupported")
    entailed: bool | None = Field(
        default=None, description="whether its quotes say so; None: nobody has judged it"
    )


class CheckedResult(ModelResult):
    """A settled call whose answer may cite."""

    checked: list[tuple[Claim, Claim]] = Field(
        default=[], description="each claim as the answer makes it, and as it was found"
    )


class CheckRequest(Contract):
    """Claims to be held against the snapshots they cite."""

    scope: Scope
    claims: list[Claim]
    sources: list[Source]
    numbers: list[int] = Field(
        default=[], description="the sources' numbers, where these are not all of the run's"
    )


class CheckResult(Contract):
    """The same claims, in order, each with a verdict and the offsets of its quotes."""

    claims: list[Claim]

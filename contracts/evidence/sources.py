"""Searching, fetching, and the sources that come of it."""

from typing import Annotated, Literal
from urllib.parse import unquote, urlsplit

from pydantic import Field

from contracts.base import Contract, Json
from contracts.blobs import BlobKey
from contracts.documents import PageSection, UnreadParts
from contracts.evidence.searches import ServiceFailure
from contracts.models.call import WebRequest
from contracts.models.usage import Usage
from contracts.notices import Notice
from contracts.search import Chosen, ServiceName

SearchKind = Literal["web", "news"]
OWN_FILE = "file:///"
"""Begins the address of a document that the user gave; its name follows, as in any URL."""
TOOL_RESULT = "mcp://"
"""Begins the address of a tool's result; its server, its tool and a digest of the call follow."""
OWN_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})
OWN_PAGES = "/pages/"
"""Path under which this machine serves a user's own documents."""
MAX_FILES = 10
"""Documents that a start may give."""


ShownStretches = Annotated[
    dict[str, list[tuple[int, int]]],
    Field(description="stretches of long sources that agents saw, by `content_hash`"),
]


class SearchRequest(WebRequest):
    """One query to the search services."""

    query: str = Field(min_length=1, max_length=400)
    services: Chosen = Field(
        default=[], exclude_if=lambda names: not names, description="empty: the worker's own"
    )
    cap_usd: float | None = Field(
        default=None, description="of the run; no search is made that would pass it"
    )
    kind: SearchKind = "web"
    max_results: int = Field(default=5, ge=1, le=20)
    conversation: str | None = Field(
        default=None,
        description="of an agent in the phase; None: code searches, whose query is not checked",
    )
    beside_others: bool = Field(
        default=False, description="the agent works at once with others, and is shown what they are"
    )
    approved: list[str] = Field(
        default=[],
        description="what humans wrote or approved: an agent's query says nothing else of own documents",
    )


class FoundPassage(Contract):
    """A passage of a document relevant to a query, from whole sentences or table rows."""

    page: int | None = Field(default=None, ge=1, description="null: the document has no pages")
    start: int = Field(ge=0, description="its first character in the document's text")
    heading: str = Field(default="", max_length=200, description="what stands above it")
    text: str = Field(max_length=800)


class SearchHit(Contract):
    """One result."""

    url: str
    title: str = ""
    file_name: str = Field(default="", description="name of the user's own document")
    collection: str = Field(default="", description="the user's collection that it is from")
    snippet: str = ""
    published: str | None = Field(default=None, description="ISO date, as the service knows it")
    services: list[ServiceName] = Field(
        default=[],
        exclude_if=lambda names: not names,
        description="that list it, best first, where several were asked",
    )
    passages: list[FoundPassage] = Field(
        default=[], max_length=3, description="of the user's own document, best first"
    )


class FoundPage(Contract):
    """A page found by a search, with the beginning of its snippet."""

    url: str
    title: str = ""
    about: str = ""
    rank: int = Field(
        default=0,
        exclude_if=lambda rank: not rank,
        description="how many hits stand before it in the search that ranks it best",
    )
    query: str = Field(
        default="",
        exclude_if=lambda query: not query,
        description="the search that ranks it best",
    )


class ListedPage(Contract):
    """A page that an earlier search of the run has listed in full."""

    url: str
    title: str = ""


class SearchResult(Contract):
    """The hits of one query, best first, but for pages of the web that another agent's search lists.

    An agent's searches run side by side: which of them shows a page is decided in the order of its calls.
    """

    query: str
    hits: list[SearchHit]
    repeated: list[ListedPage] = Field(
        default=[], description="hits that another agent's search lists"
    )
    again: list[str] = Field(
        default=[], description="the addresses of hits that another search of the same agent lists"
    )
    failures: list[ServiceFailure] = Field(
        default=[],
        exclude_if=lambda failures: not failures,
        description="services that gave nothing, or not all, while others gave hits",
    )
    usage: Usage = Field(
        default=Usage(), exclude_if=lambda usage: usage == Usage(), description="what it cost"
    )

    @property
    def found(self) -> int:
        """The number of its hits, new or not."""
        return len(self.hits) + len(self.repeated)

    def name_repeats(self) -> "SearchResult":
        """Return the result with each page that another search of the run lists by its name only."""
        named = [ListedPage(url=h.url, title=h.title) for h in self.hits if h.url in self.again]
        new = [hit for hit in self.hits if hit.url not in self.again]
        return self.model_copy(
            update={"hits": new, "repeated": [*named, *self.repeated], "again": []}
        )


class FetchRequest(WebRequest):
    """One page to read: one that was listed in this run, or that a human named."""

    url: str = Field(max_length=2_000)
    named: list[str] = Field(default=[], description="the addresses that humans wrote in this run")
    pages_left: int | None = Field(
        default=None,
        description="pages that an agent may still read that works at once with others: theirs count for them alone",
    )
    cap_usd: float | None = Field(
        default=None, description="of the run; no provider is paid for a page that would pass it"
    )
    failures: int = Field(
        default=0, description="of the same request before, which a crew's journal keeps"
    )


class PartsRequest(WebRequest):
    """The parts of a long document to open; without a selector, its beginning."""

    text_key: BlobKey
    name: str = Field(
        default="", description="the document's name, whose words say nothing about a part"
    )
    sections: list[PageSection] = []
    about: str = Field(
        default="", max_length=800, description="opens the pages that bear most on it"
    )
    find: str = Field(
        default="", max_length=400, description="opens the best page for it, and passages of others"
    )
    section: str = Field(
        default="", max_length=200, description="opens the section under this heading"
    )
    page: int | None = Field(default=None, ge=1, description="opens this page")
    start: int = Field(default=0, ge=0, description="opens the text from this character on")
    is_stored: bool = Field(
        default=False, description="of a finished report's page: code asks, and no agent"
    )

    @property
    def reaches_web(self) -> bool:
        """Whether an approved plan is needed, as for everything that an agent opens."""
        return not self.is_stored


class OpenedPart(Contract):
    """A stretch of a document's text that is shown at once."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    page: int | None = Field(default=None, ge=1, description="the page that it begins on")
    shows: list[int] = Field(
        default=[], description="the pages of which it is more than a passage, as far as it goes"
    )
    heading: str = Field(default="", max_length=1_200, description="what stands above it")
    rank: int = Field(default=0, ge=0, description="its place among the call's parts, best first")
    cuts: list[int] = Field(
        default=[], description="offsets of line ends at which a part that is too long may end"
    )


class OpenedParts(Contract):
    """The parts of a document that were opened, in its order."""

    parts: list[OpenedPart] = []
    pages: int | None = Field(default=None, description="of the document; null: it has none")
    outline: str = Field(default="", description="its uppermost headings with their pages")
    problem: str = Field(default="", description="why there is no such part")


class ProbeRequest(WebRequest):
    """One page that was read before, to be asked for again."""

    url: str = Field(max_length=2_000)
    content_hash: str = Field(default="", description="sha256 of the bytes that were read")
    text_key: BlobKey = Field(default="", description="blob of the text that was read")
    quotes: list[str] = Field(default=[], description="that are cited from it")


class ProbeResult(Contract):
    """The answer of a page's server, some time after the page was read."""

    url: str
    status: int = Field(description="of HTTP, at the end of its redirects")
    changed: bool | None = Field(default=None, description="its text changed; None: unknown")
    quotes_gone: int = Field(default=0, description="cited quotes that its text no longer has")
    leads_home: bool = Field(default=False, description="it redirects to its site's home page")

    @property
    def is_live(self) -> bool:
        """Whether the page still exists and contains the cited passages."""
        return self.status < 400 and not self.quotes_gone and not self.leads_home


class ToolResultOrigin(Contract):
    """The call that a result comes from."""

    server: str
    tool: str
    arguments: Json


class SourceFields(Contract):
    """A page that was fetched, as clients see it."""

    url: str
    title: str = ""
    author: str = ""
    publisher: str = ""
    published: str | None = Field(default=None, description="ISO date, as the page states it")
    retrieved_at: str = Field(description="ISO 8601, UTC")
    content_type: str = ""
    collection: str = Field(default="", description="the user's collection that it is from")
    snippet: str = Field(default="", max_length=1_000)
    notes: list[Notice] = Field(default=[], description="reasons to distrust it, found by code")
    content_hash: str = Field(description="sha256 of the bytes fetched")
    bytes: int = Field(default=0, ge=0, description="length of what was fetched; 0: not known")
    chars: int = Field(ge=0, description="length of the extracted text")
    sections: list[PageSection] = Field(default=[], max_length=120, description="the first ones")
    unread: UnreadParts = []
    tool: ToolResultOrigin | None = Field(
        default=None,
        exclude_if=lambda tool: tool is None,
        description="of a tool's result: the call; null: a page or a document",
    )

    @property
    def is_private(self) -> bool:
        """Whether only the run's owner may read it: a user's own document, or a tool's result."""
        return bool(self.own_path or self.tool)

    @property
    def file_name(self) -> str:
        """The name of a user's document, after its collection's; empty for a page."""
        if not self.url.startswith(OWN_FILE):
            return ""
        return unquote(self.url.removeprefix(OWN_FILE))

    @property
    def own_path(self) -> str:
        """The path of a user's own document; empty for a web page."""
        path = self.local_path
        is_own = self.file_name or path.startswith(OWN_PAGES)
        return path.removeprefix(OWN_PAGES) if is_own else ""

    @property
    def local_path(self) -> str:
        """The path of a file given by the user or served by this machine, including samples; empty for a web page."""
        if self.file_name:
            return self.file_name
        return unquote(urlsplit(self.url).path) if self.host in OWN_HOSTS else ""

    @property
    def host(self) -> str:
        """The host of its address; empty for a document that the user gave."""
        return _find_host(self.url)

    @property
    def byline(self) -> list[str]:
        """Its author and publisher, if known; file names and this machine do not count."""
        named = dict.fromkeys([self.author, self.publisher])
        return [name for name in named if name and name not in {*OWN_HOSTS, self.own_path}]

    @property
    def named_publisher(self) -> str:
        """Its publisher, or else its host; empty for a user's own document without a publisher."""
        named = self.publisher or self.host
        return "" if named in {*OWN_HOSTS, self.own_path} else named.removeprefix("www.")


def name_day(day: str | None) -> str:
    """Return a day, or only the year for 1 January, which pages and services state if they do not know the day."""
    return (day or "").removesuffix("-01-01")


class Source(SourceFields):
    """A page that was fetched; its text is a snapshot in the blob store."""

    text_key: BlobKey = Field(
        description="blob of the extracted text; offsets of quotes count in it"
    )
    raw_key: BlobKey = Field(description="blob of the bytes as fetched")
    rows_key: BlobKey = Field(
        default="", description="blob of the figures that the text states, as `PageRows`"
    )
    usage: Usage = Field(
        default=Usage(),
        exclude_if=lambda usage: usage == Usage(),
        description="what a provider took for reading it in our place",
    )
    is_shared: bool = Field(
        default=False, description="another agent had read it before, and it counts for that one"
    )


def _find_host(url: str) -> str:
    """Return a URL's host; empty without one."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


class GivenFile(Contract):
    """A user's document that was given to a run."""

    name: str
    chars: int = Field(description="of its text")
    content_hash: str
    unread: UnreadParts = []


class OwnFile(Contract):
    """A user's uploaded document, kept until a run uses it."""

    id: str = Field(description="for `files` of a start")
    name: str
    title: str
    bytes: int
    chars: int = Field(description="of its text")
    unread: UnreadParts = []

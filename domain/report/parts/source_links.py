"""Sources as a report names them: their title, publisher and day, and where each opens."""

from collections.abc import Collection, Iterable, Sequence

from contracts.evidence.sources import Source, name_day
from contracts.media_types import PDF
from contracts.report.document import DocumentSource
from domain.report.parts.links import is_allowed


def describe_source(number: int, source: Source, doubts: Iterable[str] = ()) -> DocumentSource:
    """Return a source under its number; of a document of this machine its path is named."""
    path = source.own_path or source.local_path
    return DocumentSource(
        number=number,
        title=source.title or path or source.url,
        about=[*source.byline[-1:], *filter(None, [name_day(source.published)])],
        address=_allow(find_kept(number, source) or source.url),
        path=path or ("" if _allow(source.url) else source.url),
        doubts=[*dict.fromkeys(doubts)],
    )


def name_source(numbers: Collection[int], sources: Sequence[Source]) -> str:
    """Return the title of the one source that some numbers name; empty where they name another count."""
    known = [number for number in numbers if 0 < number <= len(sources)]
    return sources[known[0] - 1].title if len(known) == 1 else ""


def find_kept(number: int, source: Source) -> str:
    """Return the path of a source from this machine, relative to the run's URL; empty for web pages.

    A given file is kept unchanged. For a page served by this machine it is the text, because the server may
    be gone once the stack has stopped.
    """
    if source.file_name:
        return f"artifacts/source-{number}"
    return f"sources/{number}/snapshot" if source.local_path or source.tool else ""


def find_page_address(number: int, source: Source, page: int) -> str:
    """Return the URL of a page in a PDF, in the run's file or on the web; else an empty string."""
    address = f"artifacts/source-{number}" if source.local_path else source.url.partition("#")[0]
    return _allow(f"{address}#page={page}") if source.content_type == PDF else ""


def _allow(url: str) -> str:
    """Return an address as a link's destination; empty if a report may not link to it."""
    url = url.replace("<", "%3C").replace(">", "%3E").replace("\\", "%5C")
    return url if is_allowed(url) else ""

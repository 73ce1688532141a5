"""Pages of a document, by the breaks between them in its text."""

import re

from contracts.documents import PAGE_BREAK

_MARK = re.compile(r"\[p\. \d{1,6}\]")


def find_page(text: str, at: int) -> int | None:
    """Return the number of the page that an offset is on; None in a text without pages."""
    if PAGE_BREAK not in text:
        return None
    return 1 + text.count(PAGE_BREAK, 0, max(at, 0))


def mark_pages(text: str, start: int, end: int, begin: str = "") -> str:
    """Return a part of a text as models see it: each page begins with its number, as in `[p. 60]`; before its words stands `begin`."""
    page, part = find_page(text, start), begin + text[start:end]
    if page is None:
        return part
    first, *others = part.split(PAGE_BREAK)
    shown = [f"[p. {page}]\n{first}"]
    shown += (f"[p. {n}]{other}" for n, other in enumerate(others, start=page + 1))
    return "".join(shown)


def strip_marks(quote: str) -> str:
    """Return a quote without the page numbers that `mark_pages` adds."""
    return _MARK.sub(" ", quote).strip()


def describe_page(source: int, page: int | None) -> str:
    """Return how a prompt names where a quote is from: the number of its source, and its page."""
    return f"page {source}" if page is None else f"page {source}, p. {page}"

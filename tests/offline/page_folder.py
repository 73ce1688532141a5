"""The offline services over a folder of web pages that a test may change: `python -m tests.offline.page_folder DIR`."""

import sys
from collections.abc import Iterator
from pathlib import Path

from activities.parsing.html.reader import read_html
from offline import __main__ as services
from offline.library.document import LibraryDocument, LibraryPage

TYPE = "text/html; charset=utf-8"


class PageFolder:
    """A shelf that reads a folder of HTML pages, and scans it before each search."""

    name = "a folder of pages"

    def __init__(self, root: Path) -> None:
        self._root = root
        self._seen: dict[str, int] = {}

    def scan(self) -> Iterator[tuple[str, LibraryDocument | None]]:
        """Yield the pages that are new or changed, and the slugs of those that are gone."""
        now = {path.name: path.stat().st_mtime_ns for path in sorted(self._root.glob("*.html"))}
        for slug in self._seen.keys() - now.keys():
            yield slug, None
        for slug, written in now.items():
            if self._seen.get(slug) != written:
                yield slug, self._read(slug)
        self._seen = now

    def get_page(self, slug: str) -> LibraryPage | None:
        """Return the current version of a page, or None."""
        path = self._root / slug
        if not path.is_file():
            return None
        return LibraryPage(path.read_bytes(), TYPE, self._read(slug))

    def _read(self, slug: str) -> LibraryDocument:
        read = read_html((self._root / slug).read_text("utf-8"), "text/html", "")
        publisher = read.publisher or read.author
        return LibraryDocument(slug, read.title, read.text, publisher, read.published)


if __name__ == "__main__":
    folder = Path(sys.argv.pop(1))
    services.main(PageFolder(folder))

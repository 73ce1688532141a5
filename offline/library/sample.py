"""The sample library: country data, and notices of two companies' quarterly results."""

import json
from collections.abc import Iterator
from importlib import resources

from offline.library import factbook
from offline.library.document import LibraryDocument, LibraryPage, render


class Sample:
    """A shelf that never changes."""

    name = f"sample: {factbook.PUBLISHER}"

    def __init__(self) -> None:
        self.warnings: dict[str, str] = {}
        self._documents: dict[str, LibraryDocument] = {}

    def scan(self) -> Iterator[tuple[str, LibraryDocument | None]]:
        """Yield every page the first time, then nothing."""
        if not self._documents:
            self._documents = {
                each.slug: each for each in (*factbook.list_documents(), *load_notices())
            }
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

"""A library of the user's own documents: a folder, looked at anew before each search."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from activities.parsing.document import Unreadable
from contracts.media_types import SUFFIXES
from offline.library.document import LibraryDocument, LibraryPage
from offline.library.reader import is_utf8, read

Stamp = tuple[int, int]


class Folder:
    """A shelf that is a folder; a file that cannot be read becomes a warning."""

    def __init__(self, root: Path) -> None:
        next(root.iterdir(), None)
        self.name = f"folder: {root.name}"
        self.warnings: dict[str, str] = {}
        self._root = root.resolve()
        self._seen: dict[str, Stamp] = {}
        self._documents: dict[str, LibraryDocument] = {}

    def scan(self) -> Iterator[tuple[str, LibraryDocument | None]]:
        """Yield the documents that are new or changed, and the slugs of those that are gone."""
        now = self._list_stamps()
        for slug in [slug for slug in self._seen if slug not in now]:
            self._forget(slug)
            yield slug, None
        for slug, stamp in now.items():
            if self._seen.get(slug) == stamp:
                continue
            self._forget(slug)
            document = self._read(slug)
            self._seen[slug] = stamp
            if document:
                self._documents[slug] = document
            yield slug, document

    def get_page(self, slug: str) -> LibraryPage | None:
        """Return a file as it is, or None where the folder has no such document."""
        document = self._documents.get(slug)
        if document is None:
            return None
        path = self._root / slug
        body, media_type = path.read_bytes(), SUFFIXES[path.suffix.lower()]
        is_text = media_type.startswith("text/") and is_utf8(body)
        return LibraryPage(
            body, f"{media_type}; charset=utf-8" if is_text else media_type, document
        )

    def _forget(self, slug: str) -> None:
        for kept in (self._seen, self.warnings, self._documents):
            kept.pop(slug, None)

    def _list_stamps(self) -> dict[str, Stamp]:
        found: dict[str, Stamp] = {}
        for folder, folders, files in os.walk(self._root):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(files):
                path = Path(folder, name)
                if self._is_document(path):
                    status = path.stat()
                    slug = path.relative_to(self._root).as_posix()
                    found[slug] = (status.st_mtime_ns, status.st_size)
        return found

    def _is_document(self, path: Path) -> bool:
        known = path.suffix.lower() in SUFFIXES and not path.name.startswith(".")
        return known and path.is_file() and path.resolve().is_relative_to(self._root)

    def _read(self, slug: str) -> LibraryDocument | None:
        path = self._root / slug
        try:
            content = read(path)
            modified = datetime.fromtimestamp(path.stat().st_mtime, UTC).date().isoformat()
        except (Unreadable, OSError) as error:
            self.warnings[slug] = str(error)
            return None
        return LibraryDocument(
            slug=slug,
            title=content.title or path.stem.replace("_", " ").replace("-", " "),
            text=content.text,
            publisher=content.publisher or content.author or self._root.name,
            published=content.published or modified,
        )

"""A library of the reader's own documents: a folder, looked at anew before each search."""

import os
from datetime import UTC, datetime
from pathlib import Path

from activities.parsing.document import Unreadable
from greenlight.offline.library.document import Changes, Document, Page
from greenlight.offline.library.formats import FORMATS, read

Stamp = tuple[int, int]


class Folder:
    """A shelf that is a folder; what cannot be read becomes a warning."""

    def __init__(self, root: Path) -> None:
        next(root.iterdir(), None)
        self.name = f"folder: {root.name}"
        self.warnings: dict[str, str] = {}
        self._root = root.resolve()
        self._seen: dict[str, Stamp] = {}
        self._documents: dict[str, Document] = {}

    def changes(self) -> Changes:
        """Return the documents that are new or changed, and the slugs of those that are gone."""
        now = self._stamps()
        gone = [slug for slug in self._seen if slug not in now]
        fresh = [slug for slug, stamp in now.items() if self._seen.get(slug) != stamp]
        for slug in (*gone, *fresh):
            self.warnings.pop(slug, None)
            self._documents.pop(slug, None)
        self._seen = now
        added = {slug: document for slug in fresh if (document := self._read(slug))}
        self._documents |= added
        return Changes(list(added.values()), removed=[s for s in (*gone, *fresh) if s not in added])

    def page(self, slug: str) -> Page | None:
        """Return a file as it is, or None where the folder has no such document."""
        document = self._documents.get(slug)
        if document is None:
            return None
        path = self._root / slug
        return Page(path.read_bytes(), FORMATS[path.suffix.lower()], document)

    def _stamps(self) -> dict[str, Stamp]:
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
        known = path.suffix.lower() in FORMATS and not path.name.startswith(".")
        return known and path.is_file() and path.resolve().is_relative_to(self._root)

    def _read(self, slug: str) -> Document | None:
        path = self._root / slug
        try:
            content = read(path)
        except (Unreadable, OSError) as error:
            self.warnings[slug] = str(error)
            return None
        modified = datetime.fromtimestamp(path.stat().st_mtime, UTC).date().isoformat()
        return Document(
            slug=slug,
            title=content.title or path.stem.replace("_", " ").replace("-", " "),
            text=content.text,
            publisher=content.publisher or self._root.name,
            published=content.published or modified,
        )

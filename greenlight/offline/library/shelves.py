"""Several shelves as one."""

from collections.abc import Sequence

from greenlight.offline.library.document import Changes, Page, Shelf


class Shelves:
    """Shelves side by side, called what the first of them is."""

    def __init__(self, shelves: Sequence[Shelf]) -> None:
        self.name = shelves[0].name
        self.warnings: dict[str, str] = {}
        self._shelves = shelves

    def changes(self) -> Changes:
        """Return what changed on any of them."""
        found = [shelf.changes() for shelf in self._shelves]
        self.warnings = {slug: why for s in self._shelves for slug, why in s.warnings.items()}
        return Changes(
            added=[document for each in found for document in each.added],
            removed=[slug for each in found for slug in each.removed],
        )

    def page(self, slug: str) -> Page | None:
        """Return the page that one of them has under this slug, or None."""
        return next((page for shelf in self._shelves if (page := shelf.page(slug))), None)

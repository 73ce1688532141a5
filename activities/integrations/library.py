"""What a library holds that is searched in the web's place."""

import httpx

from activities.parsing.document import line

TIMEOUT_SECONDS = 3
"""A library reads what is new before it answers; a run's start waits for no more than that."""
MAX_TITLES, MAX_CHARS = 60, 150
"""A larger library is planned for as the web is: by what is asked."""


class LibraryCatalogue:
    """Asks the search service for the titles of its documents; `url` is empty where it searches the web."""

    def __init__(self, url: str) -> None:
        self._url = url

    async def list_titles(self) -> list[str]:
        """Return the titles of a small library; none of a large one, of the web, or without an answer."""
        if not self._url:
            return []
        try:
            async with httpx.AsyncClient(timeout=TIMEOUT_SECONDS) as client:
                answer = (await client.get(f"{self._url}/library")).json()
            titles = [line(str(title))[:MAX_CHARS] for title in answer["titles"]]
        except (httpx.HTTPError, ValueError, KeyError, TypeError):
            return []  # a plan can do without
        return titles if len(titles) <= MAX_TITLES else []

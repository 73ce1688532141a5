"""What the tools of function agents take."""

from pydantic import Field

from contracts.base import Contract


class WebSearchArgs(Contract):
    """What `web_search` takes."""

    query: str = Field(min_length=1, max_length=400)
    max_results: int = Field(default=5, ge=1, le=20)


class FetchUrlArgs(Contract):
    """What `fetch_url` takes."""

    url: str = Field(min_length=1, max_length=2_000, description="as a search result gave it")

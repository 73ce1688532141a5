"""A business idea that research is about."""

from typing import Annotated

from pydantic import Field

from contracts.base import Contract, Json, Name, Note, SmallJson, Text


class StartupBody(Contract):
    """A business idea as the user describes it."""

    user_id: Name = "local"
    name: Text = Field(min_length=1, max_length=200)
    description: Note = ""
    industry: Text = Field(default="", max_length=200)
    search_terms: list[Annotated[Text, Field(max_length=300)]] = Field(default=[], max_length=50)
    geographical_scope: Text = Field(default="", max_length=500)
    metadata: SmallJson = {}


class Startup(StartupBody):
    """A business idea that the user saved before."""

    id: str
    created_at: str = ""
    last_accessed: str = ""

    @property
    def subjects(self) -> str:
        """Return the words for its subject, without places."""
        return " ".join([self.name, self.industry, *(self.search_terms or [self.description])])

    @property
    def prompt_fields(self) -> Json:
        """Return the fields that models see, without its id and dates."""
        about = {"name", "description", "industry", "search_terms", "geographical_scope"}
        return self.model_dump(mode="json", include=about)

"""Sample questions answered by a strong model before, whose answers are replayed."""

from contracts.base import Contract, Json
from contracts.notices import Notice
from contracts.words import Language

SAMPLE = "sample"
"""The name of the sample library in `GREENLIGHT_LIBRARY`."""


class Sample(Contract):
    """A recorded run: its start, the human's answers and choices, and the model that answered."""

    id: str
    definition: str
    query: str
    inputs: Json = {}
    answers: dict[str, str | None] = {}
    """By question id; omitted questions were left to the run."""
    choices: dict[str, str] = {}
    """The options chosen at checkpoints, by phase id."""
    model: str
    date: str
    language: Language = "en"
    """Language of the question and the report."""

    @property
    def notice(self) -> Notice:
        """The notice that the run is a replay."""
        return Notice.of("recorded", "info", model=self.model, date=self.date)

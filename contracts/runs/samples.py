"""Sample questions whose run a strong model has answered before: its answers are replayed instead of called for."""

from contracts.base import Contract, Json
from contracts.notices import Notice
from contracts.words import Language

SAMPLE = "sample"
"""Names the sample library in `GREENLIGHT_LIBRARY`."""


class Sample(Contract):
    """A recorded run: its start, the human's answers and choices, and the model that answered."""

    id: str
    definition: str
    query: str
    inputs: Json = {}
    answers: dict[str, str | None] = {}
    """By question id; one that is not among them was left to the run."""
    choices: dict[str, str] = {}
    """By phase id, the option that was chosen at its checkpoint."""
    model: str
    date: str
    language: Language = "en"
    """Language of the question and the report."""

    @property
    def notice(self) -> Notice:
        """What a reader of its replay must know."""
        return Notice.of("recorded", "info", model=self.model, date=self.date)

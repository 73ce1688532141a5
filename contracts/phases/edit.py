"""`edit`: a sentence of a finished report in its reader's words."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from contracts.base import Contract, Text, Wrong
from contracts.evidence.claims import Claim
from contracts.phases.base import Config, PhaseBase, PhaseInput

SENTENCE_EDIT = "sentence_edit"
"""The preset that only edits; its runs are listed only on request."""
MAX_CHARS = 2_000


def _require_words(text: str) -> str:
    """Return a text on one line; refuse it without a letter or digit."""
    if not any(map(str.isalnum, text)):
        raise Wrong("edit-wordless")
    return " ".join(text.split())


class SentenceEdit(Contract):
    """A change of one sentence of a report, or of one cell of its comparison."""

    sentence: int = Field(ge=1, description="its `number` in the report's document")
    former: Text = Field(
        min_length=1,
        max_length=5_000,
        description="the sentence as its reader sees it: another one there now is a 409",
    )
    text: Annotated[Text, AfterValidator(_require_words)] | None = Field(
        default=None,
        min_length=1,
        max_length=MAX_CHARS,
        description="the new sentence, as plain text; left out: the run's own wording is restored",
    )


class EditConfig(Config):
    """`edit`: has no settings."""


class EditPhase(PhaseBase):
    """A node of kind `edit`."""

    kind: Literal["edit"] = "edit"
    config: EditConfig = EditConfig()


class EditInput(PhaseInput):
    """`edit` takes nothing from earlier phases, because the report is another run's."""


class EditOutput(Contract):
    """`edit` provides the `sentence` as it now is in the report."""

    sentence: Claim

"""A report's text as its writer drafted it: numbered sentences and cells, before their evidence is entered."""

from pydantic import Field

from contracts.base import Contract
from contracts.evidence.claims import DraftPart
from contracts.models.call import Scope


class DraftRequest(Contract):
    """What `claims.read_draft` reads: Markdown that a model wrote."""

    scope: Scope
    text: str = Field(max_length=60_000)


class DraftSentence(Contract):
    """A sentence of the draft, or a cell of its table."""

    text: str
    heading: str = ""
    part: DraftPart | None = Field(default=None, description="null: a cell")
    lead_chars: int = 0
    opens: bool = Field(default=False, description="the whole sentence is in bold")
    row: str = ""
    column: str = ""


class TextDraft(Contract):
    """The sentences of a draft in reading order, then the cells of its table; each is named by its number from 1."""

    sentences: list[DraftSentence] = []

"""A report as data: its blocks, marks, notes and sources in their order, which every format only draws."""

from typing import Annotated, Literal

from pydantic import Field

from contracts.base import Contract
from contracts.evidence.claims import HandEdit
from contracts.notices import Notice
from contracts.runs.samples import Sample
from contracts.words import Language

MarkCode = Literal[
    "judged",
    "computed",
    "assumed",
    "judged_assumed",
    "assumption",
    "partly",
    "not_shown",
    "contradicted",
    "not_judged",
    "being_checked",
    "edited",
    "edited_unchecked",
    "basis_edited",
    "basis_gone",
    "gap_unchecked",
    "gap_partly",
    "not_found",
    "not_opened",
    "told_elsewhere",
    "refused",
    "superseded",
    "note_gone",
]


Look = Literal["judged", "computed", "doubtful", "plain"]
"""The colour, in every format, of marked text."""
LOOKS: dict[MarkCode, Look] = {
    "judged": "judged",
    "computed": "computed",
    "assumed": "computed",
    "judged_assumed": "judged",
    "assumption": "plain",
    "partly": "doubtful",
    "not_shown": "doubtful",
    "contradicted": "doubtful",
    "not_judged": "doubtful",
    "being_checked": "doubtful",
    "edited": "plain",
    "edited_unchecked": "doubtful",
    "basis_edited": "doubtful",
    "basis_gone": "doubtful",
    "gap_unchecked": "plain",
    "gap_partly": "plain",
    "not_found": "plain",
    "not_opened": "plain",
    "told_elsewhere": "plain",
    "refused": "plain",
    "superseded": "plain",
    "note_gone": "plain",
}


class ReportHead(Contract):
    """Head of a report: the same data opens every format."""

    question: str = Field(description="as it was asked")
    answer: str = Field(default="", description="the short answer; empty: no phase sums up")
    answer_unmarked: str = Field(
        default="", description="the same without marks of what nobody judged; empty: it has none"
    )
    notices: list[Notice] = Field(
        default=[], description="what is missing and why; empty: the run completed"
    )
    date: str = Field(description="when the run ended, or began if it has not; ISO 8601, UTC")
    usd: float = Field(description="what the run cost; at the model's prices where none was called")
    model: str = Field(description="whose prices count, unless a role has its own")
    offline: bool = Field(description="no provider was called, and nothing was billed")
    recorded: Sample | None = Field(
        default=None,
        description="whose recorded answers it is made of; null: a stand-in's, if offline",
    )
    sources_read: int = Field(description="pages and documents that the run has read")

    @property
    def has_report(self) -> bool:
        """Return True if the run wrote a report; False if the phases' outputs replace it, or nothing does."""
        return all(notice.code not in {"no-report", "no-result"} for notice in self.notices)

    @property
    def is_all(self) -> bool:
        """Return True if the run ended before anything was written: its report is this head."""
        return any(notice.code == "no-result" for notice in self.notices)


class Mark(Contract):
    """A mark after a sentence: how it was derived, or how far its sources support it."""

    code: MarkCode
    look: Look = "plain"
    label: str = Field(
        default="",
        description="in the report's language; empty: its colour and the sentence's notes say it",
    )
    note: int | None = Field(default=None, description="number of the note that explains it")
    position: Literal["behind", "before_notes", "after_notes"] = Field(
        default="behind",
        description="where its label stands: about the notes, it is in their brackets",
    )


class Sentence(Contract):
    """A sentence, an item of a list or a cell of a table; its text is plain."""

    text: str
    lead: str = Field(default="", description="what names it, set before it in bold")
    opens: bool = Field(
        default=False, description="it opens a paragraph by its point, and is set in bold"
    )
    notes: list[int] = Field(
        default=[], description="numbers of its quotes, its working and what it is judged from"
    )
    marks: list[Mark] = []
    number: int | None = Field(
        default=None,
        exclude_if=lambda number: number is None,
        description="of a claim of a finished report, by which it is edited",
    )
    edit: HandEdit | None = Field(
        default=None,
        exclude_if=lambda edit: edit is None,
        description="who changed its wording, when, and the former one",
    )

    @property
    def look(self) -> Look:
        """Return the look that decides its colour; a doubt takes precedence over any other mark."""
        looks: list[Look] = [mark.look for mark in self.marks]
        return "doubtful" if "doubtful" in looks else next(iter(looks), "plain")


class DocumentHeading(Contract):
    """A heading; the title of the document is above all of them."""

    type: Literal["heading"] = "heading"
    level: Literal[2, 3] = 2
    text: str


class Paragraph(Contract):
    """Sentences in a row."""

    type: Literal["paragraph"] = "paragraph"
    sentences: list[Sentence]


class Remark(Contract):
    """A line about the report or an exhibit, outside its text."""

    type: Literal["remark"] = "remark"
    text: str


class Callout(Contract):
    """Highlighted lines: what a reader must know first, or an agent's own account."""

    type: Literal["callout"] = "callout"
    title: str = Field(default="", description="its first line, in bold")
    lines: list[str] = []


class ItemList(Contract):
    """A list, with bullets or numbers."""

    type: Literal["list"] = "list"
    is_ordered: bool = False
    has_assumptions: bool = Field(default=False, description="its items are what was assumed")
    items: list[Sentence]


class Column(Contract):
    """A column of a table."""

    label: str
    unit: str = Field(default="", description="of all its figures, which stand without it")
    is_figure: bool = Field(default=False, description="its cells are figures: aligned right")


class Table(Contract):
    """A comparison, or the beginning of a table that an agent made."""

    type: Literal["table"] = "table"
    caption: str = ""
    columns: list[Column]
    rows: list[list[Sentence | None]] = Field(description="null: no source says it")
    remark: str = Field(default="", description="how many of its rows are shown, if not all")
    artifact: str = Field(default="", description="id of the whole table, if the run keeps it")


class Exhibit(Contract):
    """A chart; its title is part of the drawing."""

    type: Literal["exhibit"] = "exhibit"
    name: str
    artifact: str = Field(default="", description="id of its drawing, if the run keeps it")
    remark: str = Field(default="", description="what it shows")


class Quote(Contract):
    """A passage of a source, to the letter."""

    type: Literal["quote"] = "quote"
    source: int = Field(description="number of the source")
    text: str
    above: list[str] = Field(
        default=[],
        description="of a table's row: the lines above it that say its unit, its years and its columns",
    )
    start: int = Field(default=-1, description="first character in the snapshot; -1: not located")
    end: int = Field(default=-1, description="the character behind the last")
    page: int | None = Field(default=None, description="of a document that has pages")
    place: str = Field(default="", description="the page in words")
    address: str = Field(default="", description="where that page opens; empty: nowhere by itself")
    remark: str = Field(default="", description="the section that it bears on, if none cites it")

    @property
    def lead(self) -> str:
        """Text before it: the lines above a table row, joined."""
        return f"{' / '.join(self.above)}: " if self.above else ""


class QuoteList(Contract):
    """Passages that the text does not cite."""

    type: Literal["quotes"] = "quotes"
    quotes: list[Quote]


class NoteList(Contract):
    """The place of the notes."""

    type: Literal["notes"] = "notes"


class SourceList(Contract):
    """Some of the sources, in their order."""

    type: Literal["sources"] = "sources"
    numbers: list[int]


Block = Annotated[
    DocumentHeading
    | Paragraph
    | Remark
    | Callout
    | ItemList
    | Table
    | Exhibit
    | QuoteList
    | NoteList
    | SourceList,
    Field(discriminator="type"),
]


class Working(Contract):
    """The arithmetic of a computed figure."""

    type: Literal["working"] = "working"
    label: str = Field(description="in the report's language")
    expression: str
    quotes: list[int] = Field(default=[], description="numbers of the notes with its figures")


class Basis(Contract):
    """The sentences that a conclusion rests on, or the notes that a cell represents."""

    type: Literal["basis"] = "basis"
    label: str = Field(description="in the report's language")
    sentences: list[Sentence]


class Doubt(Contract):
    """Why a sentence is marked."""

    type: Literal["doubt"] = "doubt"
    code: MarkCode
    label: str = Field(description="in the report's language")
    text: str


class Reference(Contract):
    """A source as a whole: the note of a copy without appendix."""

    type: Literal["reference"] = "reference"
    source: int = Field(description="number of the source")


Note = Annotated[Quote | Working | Basis | Doubt | Reference, Field(discriminator="type")]


class DocumentSource(Contract):
    """A source as a report names it."""

    number: int
    title: str
    about: list[str] = Field(
        default=[], description="its publisher, or else its author, and its day"
    )
    address: str = Field(
        default="", description="where it opens: on the web, or below the run's own address"
    )
    path: str = Field(
        default="", description="of a document of this machine, in place of an address"
    )
    doubts: list[str] = Field(default=[], description="what speaks against it")


class Document(Contract):
    """A report, a draft of one, or the subject of a checkpoint."""

    language: Language = "en"
    title: str
    opening: list[Block] = Field(default=[], description="the head in the report's language")
    summary: str = Field(
        default="",
        description="the short answer that the opening has; empty: none, or the report itself begins with it",
    )
    blocks: list[Block] = Field(default=[], description="what is read: from answer to sources")
    appendix: list[Block] = Field(
        default=[], description="what is looked up: details, evidence and facts of the run"
    )
    notes: list[Note] = Field(default=[], description="by their numbers, from 1")
    sources: list[DocumentSource] = Field(default=[], description="by their numbers, from 1")

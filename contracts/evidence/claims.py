"""Claims of six kinds and the passages they cite: one shape in drafts, findings and reports."""

from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BeforeValidator, Field

from contracts.base import Contract
from contracts.blobs import BlobKey
from contracts.documents import UnreadPart
from contracts.evidence.reasons import Reason, join_reasons
from contracts.models.answer_json_schema import code_fills

JUDGE = "judge"
"""The role whose model judges claims."""

Kind = Literal["stated", "computed", "concluded", "assumed", "advised", "not_found"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Verdict = Literal["supported", "partly", "contradicted", "not_shown"]
Ruling = tuple[Verdict | None, str]
"""A judge's verdict on a claim and the reason; the verdict is None if the judge did not rule on the claim."""


class Citation(Contract):
    """A passage of a source, copied to the letter."""

    source: int = Field(description="1-based position in the run's sources")
    quote: str
    start: int = code_fills(-1, "first character in the snapshot; -1: not located")
    end: int = code_fills(-1, "the character behind the last")
    page: int | None = code_fills(
        None, "the page of the document that it begins on, from 1; null in one without pages"
    )
    above: list[str] = code_fills(
        [], "of a table's row: the lines above it that say its unit, its years and its columns"
    )


class QuotedFigure(Contract):
    """A figure that a sentence takes from one of its quotes."""

    value: str = Field(description="the number as the sentence writes it, as in `48.2`")
    unit: str = Field(default="", description="its scale and unit, as in `million euros` or `%`")
    quote: int = Field(description="1-based position in `citations` of the quote that has it")


BETWEEN_CELLS = " | "
"""Separates the cells of a row behind its first one, which ends with a colon: `Frost: Wait | Ask the port`."""


class DraftPart(Contract):
    """The paragraph, list item or table row of a text that a sentence belongs to."""

    number: int = Field(ge=1, description="its place in the text; sentences of one part share it")
    form: Literal["paragraph", "item", "step", "row"] = Field(
        default="paragraph",
        description="an item has a bullet, a step a number; a row is one of a table",
    )
    columns: list[str] = Field(default=[], description="of a row: the heads of its table's columns")
    label: str = Field(
        default="",
        exclude_if=lambda label: not label,
        description="a few words without a figure that stand above the list or table",
    )


class Wording(Contract):
    """A claim's wording and verification before a reader changed it."""

    text: str
    figures: list[QuotedFigure] = []
    not_found: bool = False
    verdict: Verdict | None = None
    reason: str = ""
    doubts: list[Reason] = []
    working: str = ""


class HandEdit(Contract):
    """A reader's rewording of a claim; its evidence stays."""

    by: str
    at: str = Field(description="ISO 8601, UTC")
    former: Wording = Field(description="as the run wrote it")


def _read_numbers(given: Any) -> Any:
    """Return a list with its integers as strings; any other value is returned unchanged."""
    return [str(one) if isinstance(one, int) else one for one in given] if isinstance(given, list) else given  # fmt: skip


class Claim(Contract):
    """One sentence: stated with its quotes, computed, concluded from others, assumed, advised, or not found."""

    text: str
    citations: list[Citation] = Field(
        description="the passages it rests on, copied to the letter; none for a conclusion, an assumption, or what was not found"
    )
    figures: list[QuotedFigure] = Field(
        default=[], description="the figures of the sentence that stand in its quotes"
    )
    expression: str = Field(
        default="",
        description="how its figure is computed, from figures as its quotes have them, as in"
        " `19284 / 48210 * 100` or `124.5 billion * 21.3%`; `;` divides several",
    )
    id: str = Field(
        default="",
        description="a short name of its own, if a conclusion rests on it",
    )
    rests_on: list[str] = Field(
        default=[],
        description="the ids of the sentences that your own conclusion follows from, or whose figures"
        " `expression` uses",
    )
    repeats: bool = Field(
        default=False,
        description="true where it only says again what those in `rests_on` say, as in a summary",
    )
    assumed: bool = Field(
        default=False,
        description="true for an assumption; code also sets it on what is computed or concluded from one",
    )
    not_found: bool = Field(
        default=False, description="true where it only says what no source tells, as in a table"
    )
    gaps: Annotated[list[str], BeforeValidator(_read_numbers)] = Field(
        default=[],
        exclude_if=lambda gaps: not gaps,
        description="with `not_found`: numbers of the lines of `gaps` that it says in their place",
        json_schema_extra={"readOnly": True},
    )
    """Numbers as a writer names them; the lines themselves once the sentence is in a report."""
    opens: bool = Field(
        default=False,
        exclude_if=lambda opens: not opens,
        description="true for a short sentence that opens a paragraph by its point",
    )
    advises: bool = Field(
        default=False,
        exclude_if=lambda advises: not advises,
        description="true where it only says what the reader should do, ask or decide, and states no"
        " fact: it cites nothing",
        json_schema_extra={"readOnly": True},
    )
    measure: str = Field(
        default="",
        max_length=200,
        exclude_if=lambda measure: not measure,
        description="which of the plan's measures a finding gives; left out: none of them",
        json_schema_extra={"readOnly": True},
    )
    part: DraftPart | None = Field(
        default=None,
        exclude_if=lambda part: part is None,
        description="of a text that was drafted as a whole; null: it continues the part before",
        json_schema_extra={"readOnly": True},
    )
    from_findings: list[str] = Field(
        default=[],
        exclude_if=lambda names: not names,
        description="the approved findings that it says or rests on, by the ids that its writer named",
        json_schema_extra={"readOnly": True},
    )
    lead_chars: int = Field(
        default=0,
        ge=0,
        exclude_if=lambda chars: not chars,
        description="characters at its beginning that name its subject, set in bold",
        json_schema_extra={"readOnly": True},
    )
    verdict: Verdict | None = code_fills(None, "None: not judged")
    reason: str = code_fills("", "why it is not supported, or not judged, in words")
    doubts: list[Reason] = code_fills([], "what `reason` says, as codes with what they name")
    working: str = code_fills("", "of a computed figure: the arithmetic, as code did it again")
    superseded_by: str = code_fills("", "the id of the sentence that a report has in its place")
    edit: HandEdit | None = Field(
        default=None,
        exclude_if=lambda edit: edit is None,
        description="by whom its wording was changed since; left out: it is the run's own",
        json_schema_extra={"readOnly": True},
    )

    @property
    def kind(self) -> Kind:
        """Whether it says what a source says, computes, concludes, assumes, or was not found."""
        if self.rests_on:
            return "concluded"
        if self.expression:
            return "computed"
        if self.assumed:
            return "assumed"
        if self.advises and not self.citations:
            return "advised"
        return "not_found" if self.not_found else "stated"

    @property
    def lead(self) -> str:
        """What names the subject of the sentence at its beginning; empty without one."""
        return self.text[: self.lead_chars].strip()

    @property
    def is_supported(self) -> bool:
        """Whether its evidence was found to support it."""
        return self.verdict == "supported"

    @property
    def is_usable(self) -> bool:
        """Whether later phases may use it, because nothing was found against it."""
        return self.verdict in {None, "supported", "partly"}

    @property
    def key(self) -> str:
        """Return what equal claims share and others do not, to look them up by."""
        return self.model_dump_json()

    @property
    def check(self) -> str:
        """The id of the check in which the judge is deciding on it; empty without one."""
        return next(
            (str(each.params["check"]) for each in self.doubts if each.code == "being-checked"), ""
        )

    @property
    def bare(self) -> Self:
        """Return the claim without its verdict: the same sentence before and after it was judged."""
        return self.rule(None)

    @property
    def as_premise(self) -> "Premise":
        """Return what a conclusion on it is judged by."""
        places = [(c.source, c.start, c.end) for c in self.citations if c.start >= 0]
        return Premise(
            text=self.text,
            places=places,
            is_supported=self.is_supported,
            assumed=self.assumed,
            expression=self.expression if self.working else "",
        )

    @property
    def as_written(self) -> dict[str, Any]:
        """Return the claim in the form that a model writes, with the page of each quote."""
        filled = (
            "verdict",
            "reason",
            "doubts",
            "working",
            "edit",
            "part",
            "lead_chars",
            "from_findings",
        )
        added = dict.fromkeys(filled, True)
        places = {"__all__": {"start", "end", "above"}}
        return self.model_dump(exclude={**added, "citations": places}, exclude_defaults=True)

    @property
    def as_finding(self) -> dict[str, Any]:
        """Return the claim as a later model is shown it: as written, and why it holds in part only, if it does."""
        return self.as_written | ({"in_part": self.reason} if self.verdict == "partly" else {})

    def rule(self, verdict: Verdict | None, *reasons: Reason) -> Self:
        """Return the claim with this verdict and these reasons; the verdict None means that nobody has judged it."""
        told = {"verdict": verdict, "reason": join_reasons(reasons), "doubts": [*reasons]}
        return self.model_copy(update=told)


class RefusedClaim(Contract):
    """A sentence that did not hold, and the place that it was written for."""

    place: str = Field(default="", description="a heading, or a cell's row and column")
    row: str = Field(default="", description="of a cell: its row, where that is known")
    claim: Claim


class CitablePage(Contract):
    """A page of the run, under the number by which claims cite it."""

    number: int = Field(ge=1)
    title: str
    by: str = Field(default="", description="author and publisher")
    published: str = ""
    text_key: BlobKey = Field(description="blob of its text")
    rows_key: BlobKey = Field(
        default="", description="blob of the figures that its text states, as `PageRows`"
    )
    unread: list[UnreadPart] = Field(default=[], description="parts that its text lacks")
    shown: list[tuple[int, int]] = Field(
        default=[], description="stretches of its text that agents were shown; empty: the whole"
    )


class Premise(Contract):
    """A sentence that a conclusion may rest on, with the places of its quotes."""

    text: str
    places: list[tuple[int, int, int]] = Field(
        default=[], description="source, first character in the snapshot, the one behind the last"
    )
    is_supported: bool = Field(default=False, description="whether it was found to hold")
    assumed: bool = Field(default=False, description="whether it is an assumption or builds on one")
    expression: str = Field(
        default="",
        exclude_if=lambda expression: not expression,
        description="the checked arithmetic of its figure, whose result others may compute from",
    )


class JudgeTerms(Contract):
    """How to judge an answer's claims: model, question, and context sentences."""

    model: str = Field(description="empty: nobody is asked, and code alone checks")
    question: str
    today: str = Field(default="", description="the day of the report, ISO 8601")
    idea: str = Field(default="", description="what is to be pursued; it carries no sentence")
    choices: str = Field(
        default="",
        exclude_if=lambda choices: not choices,
        description="figures that code lets the writer choose from, as required returns; they need no source",
    )
    client: list[str] = Field(
        default=[],
        exclude_if=lambda said: not said,
        description="what the client said besides the question: it needs no source",
    )
    known: dict[str, Premise] = Field(
        default={}, description="sentences written before, by id: what a conclusion may rest on"
    )
    written: dict[str, list[str]] = Field(
        default={}, description="the report's sentences by heading: what new ones may follow"
    )
    judged: dict[str, Ruling] = Field(
        default={}, description="what this run's judge said before, by digest: not asked again"
    )


UNJUDGED = JudgeTerms(model="", question="")
"""The terms of claims that code alone checks."""


class Judgement(Contract):
    """The judge's verdict on one claim, by its number."""

    claim: int
    verdict: Verdict
    reason: str = Field(description="a few words in the sentence's language")


class Judgements(Contract):
    """The judge's verdicts: each doubt with its reason, and the numbers of all other claims."""

    verdicts: list[Judgement] = Field(description="of each sentence that is not `supported`")
    supported: list[int] = Field(description="the number of each sentence that is")

    def list_all(self) -> list[Judgement]:
        """Return a verdict for each claim; a doubt takes precedence over support."""
        doubted = {each.claim for each in self.verdicts}
        return self.verdicts + [
            Judgement(claim=number, verdict="supported", reason="")
            for number in self.supported
            if number not in doubted
        ]


class Mend(Contract):
    """The replacement of a refused sentence."""

    claim: int = Field(description="its number")
    mended: Claim | None = Field(description="as it can stand; null: it is left out")


class Mends(Contract):
    """The sentences that their writer mends; those passed over stay as they are."""

    mends: list[Mend]

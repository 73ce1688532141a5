"""Values that phases pass on: startup, brief, ideas, plan, report."""

import hashlib
import json
from itertools import chain
from typing import Annotated, Any

from pydantic import Field

from contracts.base import Contract, Json, Name, Note, Question, SmallJson, Text, code_fills
from contracts.evidence.claims import Claim
from contracts.lost_inputs import LossCause
from contracts.notices import Told
from contracts.report.checks import Gap, Unanswered
from contracts.report.document import Document, ReportHead


class StartupBody(Contract):
    """A business idea, as its user tells it."""

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
        """Return the words for what it is about, places aside."""
        return " ".join([self.name, self.industry, *(self.search_terms or [self.description])])

    @property
    def prompt_fields(self) -> Json:
        """Return the fields that models see, without its id and dates."""
        about = {"name", "description", "industry", "search_terms", "geographical_scope"}
        return self.model_dump(mode="json", include=about)


LEFT = "Left to us"
"""What an assumption says that stands for an answer nobody gave."""


class Answered(Contract):
    """A question and its answer; None: "you decide"."""

    id: str
    question: str
    context: str = ""
    answer: str | None = None

    @property
    def assumption(self) -> str:
        """Return it as what is assumed where nobody answers."""
        return f"{self.question} {LEFT}."

    @property
    def prompt_fields(self) -> Json:
        """Return what models see of it: a null answer is theirs to decide."""
        return {"question": self.question, "answer": self.answer}


class Brief(Contract):
    """The question with its clarification."""

    query: Question
    report_question: Question | None = Field(
        default=None,
        description="what the report was made for, if another question goes on from it",
    )
    answers: list[Answered] = []
    assumptions: list[str] = []
    expanded_queries: list[str] = Field(default=[], description="the question taken apart")
    outline: list[str] = []


class Idea(Contract):
    """A proposal, and the reason for it."""

    title: str = Field(description="at most 100 characters, unlike the other ideas' titles")
    description: str = Field(description="what would be done, in a few sentences")
    why: str = Field(description="what speaks for it")


class IdeaReview(Contract):
    """The critic's review of one idea."""

    idea: int = Field(ge=1, description="1-based position in the ideas")
    strengths: list[str]
    weaknesses: list[str] = Field(description="what to mend, most important first")
    score: float = Field(ge=0, le=10, description="from 0, not worth a thought, to 10")


class PlanStep(Contract):
    """One item of the plan a human approves."""

    name: Text = Field(min_length=1, max_length=200, description="in a few words")
    description: Note = Field(default="", description="what is looked up or worked out, and where")
    agent_role: Text = Field(default="researcher", max_length=100, description="who does it")
    estimated_duration: Text = Field(
        default="", max_length=100, description="as a human says it, e.g. `3 min`; no model does"
    )


class PlanRole(Contract):
    """A role that a plan's steps may name, and its task."""

    id: str
    does: str


class CostEstimate(Contract):
    """US dollars from the price table; `top_usd` is the cap once the plan is approved."""

    low_usd: float = 0.0
    expected_usd: float = 0.0
    top_usd: float = 0.0


class PlanDraft(Contract):
    """The part of a plan that a model writes and a human may change."""

    title: Text = Field(min_length=1, max_length=300, description="of the report")
    goal: Note = Field(default="", description="what the reader can decide or do afterwards")
    requirements: list[Note] = Field(
        default=[], max_length=50, description="what the report must answer, one thing each"
    )
    steps: list[PlanStep] = Field(min_length=1, max_length=50)
    search_terms: list[Text] = Field(
        default=[], max_length=50, description="searched as they stand, once it is approved"
    )
    geographical_scope: Text = Field(default="", max_length=500)
    focus_areas: list[Text] = Field(default=[], max_length=50)
    expanded_queries: list[Text] = Field(
        default=[], max_length=50, description="searched as well: other words, one aspect each"
    )
    outline: list[Text] = Field(
        default=[], max_length=50, description="the headings of the report, in their order"
    )
    max_age_days: int | None = Field(
        default=None,
        ge=1,
        le=36_500,
        description="how old a cited page may be, where the answer must be current; null: any age",
    )
    assumptions: list[Note] = Field(
        default=[], max_length=50, description="what nobody said and is taken for granted"
    )

    @property
    def searches(self) -> list[str]:
        """All that is searched, each once."""
        return list(dict.fromkeys([*self.search_terms, *self.expanded_queries]))


SEARCHES = ("search_terms", "expanded_queries")
"""The lists of a plan's searches: what stands in either is searched."""


def join_searches(plan: Json) -> Json:
    """Return a plan's fields with all its searches in the first list, and none in the second."""
    first, second = SEARCHES
    given: list[Any] = [plan.get(name) or [] for name in SEARCHES]
    return {**plan, first: list(dict.fromkeys(chain(*given))), second: []}


class Plan(PlanDraft):
    """A priced plan."""

    estimated_duration: str = ""
    estimated_cost: CostEstimate = CostEstimate()

    @property
    def hash(self) -> str:
        """Return the sha256 over all that is approved: everything but the time estimate."""
        body = json.dumps(self.model_dump(exclude={"estimated_duration"}), sort_keys=True)
        return hashlib.sha256(body.encode()).hexdigest()


class Search(Contract):
    """A query and its outcome."""

    query: str
    hits: int
    error: str = ""
    cause: LossCause | None = Field(default=None, description="of the error, as data")


class ComparisonRow(Contract):
    """One thing measured; a cell is null where no source says it."""

    label: str
    cells: list[Claim | None] = Field(
        description="one for each column; null where no source says it"
    )


class Comparison(Contract):
    """Figures side by side: one cell for each column in every row."""

    columns: list[str] = Field(description="what is compared, e.g. one per country")
    rows: list[ComparisonRow]


class Section(Contract):
    """A part of the report, under a heading of the outline."""

    heading: str
    claims: list[Claim] = []
    is_list: bool = Field(default=False, description="each claim is an item, as of next steps")
    missing: str = Field(default="", description="what no source told, a line each")
    remarks: list[str] = code_fills([], "what states no fact and needs no quote")
    account: str = code_fills("", "what an agent says of its own work, which nothing checks")

    @property
    def is_written(self) -> bool:
        """Tell whether it says anything."""
        return bool(self.claims or self.remarks or self.account)


class Report(Contract):
    """The structured report; `markdown` is rendered from it by code."""

    title: str = Field(description="names the subject; no figure and no verdict")
    comparison: Comparison | None = Field(
        default=None, description="only where the request compares things"
    )
    sections: list[Section]
    answer: Section | None = code_fills(
        None, "what opens the report: its own claims, or a decision"
    )
    assumptions: list[str] = code_fills([], "those of the plan: what nobody said")
    caveats: list[Told] = code_fills([], "what to bear in mind")
    would_change: list[str] = code_fills([], "what would change the conclusion")
    notes: list[Told] = code_fills([], "what a reader must know before the rest")
    gaps: list[Gap] = code_fills([], "lines on what was not found, as they were checked")
    unanswered: list[Unanswered] = code_fills([], "parts on which nothing that was written held")
    source_notes: dict[int, list[str]] = code_fills(
        {}, "what a later check says against sources, by their numbers"
    )
    searches: list[Search] | None = code_fills(
        None, "the searches made for it; null: a draft, which may still grow"
    )
    exhibits: list[str] = code_fills([], "ids of the tables and charts that it shows")
    markdown: str = code_fills("", "the whole as Markdown")
    document: Document | None = code_fills(
        None, "what every format draws, as it is served; null of a phase's output"
    )
    head: ReportHead | None = code_fills(
        None, "what it opens with as it is served; null of a draft as it was at an event"
    )
    claims_total: int = code_fills(0, "claims of the comparison and of all sections")
    claims_unsupported: int = code_fills(0, "claims marked as partly or not shown")
    claims_unjudged: int | None = code_fills(
        None, "claims on which the judge was to say a word and did not; null without a judge"
    )

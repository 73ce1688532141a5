"""Models' answers that are not phase outputs: code verifies, prices or merges them first."""

from typing import Literal

from pydantic import ConfigDict, Field

from contracts.base import Contract, Note
from contracts.evidence.claims import Claim
from contracts.planning.brief import Idea, IdeaReview
from contracts.planning.plan import PlanDraft


class DraftQuestion(Contract):
    """A question as the model writes it."""

    question: str
    context: str = Field(description="why the answer changes the research")
    choices: list[str] = Field(default=[], description="likely answers")


class Questions(Contract):
    """The model's questions, and first what they have to be about."""

    missing: list[Literal["subject", "purpose", "place", "time", "budget", "criterion"]] = Field(
        description="empty where nothing is"
    )
    questions: list[DraftQuestion] = Field(
        description="about what is missing, and as many more as are demanded; else none"
    )


class Decomposition(Questions):
    """A question taken apart: what it leaves open, and its parts."""

    expanded_queries: list[str]
    outline: list[str]
    assumptions: list[Note] = []


class DraftedPlan(PlanDraft):
    """A plan as the planner writes it."""

    model_config = ConfigDict(title="PlanDraft")

    decided: dict[str, Note] = Field(
        default={}, description="what you decide in the human's place, with the reason"
    )


class PlanReview(Contract):
    """A second reader's review of a plan, with the plan as it should be."""

    accepted: bool
    issues: list[str] = Field(default=[], description="what to change, most important first")
    plan: DraftedPlan | None = Field(
        default=None, description="the whole plan with these changes; null where it is accepted"
    )


class DraftVerdict(Contract):
    """A judgement on whether a report keeps a rule."""

    met: bool
    quote: str = Field(description="the sentence of the report that shows it, to the letter")
    reason: str = ""


class Findings(Contract):
    """The agent's typed answer."""

    findings: list[Claim]
    gaps: list[str] = []


class Gaps(Contract):
    """The typed answer of an agent that wrote down as it went what it found."""

    gaps: list[str] = Field(description="what the plan asks for and was not found")


class ShortAnswer(Contract):
    """A short answer as the model writes it."""

    title: str = Field(description="names the subject; no figure and no verdict")
    claims: list[Claim]
    missing: str = Field(default="", description="what no source told, a line each")


class DraftScore(Contract):
    """The tone of one article."""

    source: int = Field(description="the article's number")
    claim: Claim = Field(description="what it says of the company, one sentence")
    sentiment: float = Field(ge=-1, le=1, description="from -1, bad news for it, to 1, good news")


class DraftSentiment(Contract):
    """The news as the model reads it: each article once, with a score, among the repeats or among the others."""

    articles: list[DraftScore]
    repeats: list[int] = Field(
        default=[],
        description="numbers of the articles that only repeat what the company itself announced",
    )
    others: list[int] = Field(
        default=[], description="numbers of the articles that are on another company or thing"
    )


class DraftIdeas(Contract):
    """The ideas as their maker writes them."""

    ideas: list[Idea]


class DraftIdeaReviews(Contract):
    """The critic's reviews, one an idea."""

    reviews: list[IdeaReview]

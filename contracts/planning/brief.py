"""Results of clarification: answers, the brief, and ideas with their reviews."""

from pydantic import Field

from contracts.base import Contract, Json, Question
from contracts.notices import Notice, Told
from contracts.planning.assumptions import Assumptions


class Answered(Contract):
    """A clarifying question and its answer; None leaves the decision to the agents."""

    id: str
    question: str
    context: str = ""
    asks: Notice | None = Field(
        default=None, description="the question as a notice; null: a model's"
    )
    answer: str | None = None

    @property
    def told(self) -> Told:
        """The question, as a notice if it is one of the product's own."""
        return self.asks or self.question

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
    assumptions: Assumptions = Field(default=[], description="what nobody was asked about")
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

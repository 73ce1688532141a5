"""Results of clarification: answers, the brief, and ideas with their reviews."""

from collections.abc import Iterable

from pydantic import Field

from contracts.base import Contract, Json, Question
from contracts.evidence.claims import Claim
from contracts.notices import Notice, Told
from contracts.planning.assumptions import Assumptions

THE_REQUEST = "Q"
"""The id by which sentences rest on the request itself."""


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


def tell_answers(answered: Iterable[Answered]) -> list[Json]:
    """Return what models see of questions and answers: several questions with one answer once, with that."""
    by_answer: dict[str, Json] = {}
    told: list[Json] = []
    for each in answered:
        known = by_answer.get(each.answer or "")
        if known is None:
            told.append(each.prompt_fields)
            if each.answer:
                by_answer[each.answer] = told[-1]
        else:
            known["question"] = f"{known['question']} {each.question}"
    return told


class Statement(Contract):
    """What the client said himself, the request or an answer: sentences rest on it by its id, without a page."""

    id: str = Field(description=f"`{THE_REQUEST}` for the request, `C1` and so on for answers")
    text: str

    @property
    def as_claim(self) -> Claim:
        """Return it as a supported claim on which others may rest."""
        return Claim(id=self.id, text=self.text, citations=[]).rule("supported")


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

    @property
    def statements(self) -> list[Statement]:
        """Return what the client said: the request, then each different answer.

        A follow-up's own question comes last, so that the ids of its parent's statements stay.
        """
        asked = self.report_question or self.query
        said = dict.fromkeys([asked, *(each.answer or "" for each in self.answers), self.query])
        texts = [text for text in said if text.strip()]
        return [
            Statement(id=f"C{n}" if n else THE_REQUEST, text=text) for n, text in enumerate(texts)
        ]


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

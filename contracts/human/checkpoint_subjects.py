"""Subjects of checkpoints: one type for each kind of decision."""

from typing import Annotated, Literal

from pydantic import Field

from contracts.access.budgets import MetBudget
from contracts.agents.steps import StepResult
from contracts.base import Contract
from contracts.planning.brief import Idea, IdeaReview
from contracts.planning.plan import Plan, PlanStep


class ShownOutput(Contract):
    """The output of a phase as a report renders it."""

    phase_id: str
    title: str
    text: str = Field(description="Markdown: its report with the evidence, else its sentences")
    is_cut: bool = Field(default=False, description="the text is longer than what is shown here")


class PlanSubject(Contract):
    """A plan, approved by its hash."""

    type: Literal["plan"] = "plan"
    plan: Plan


StepFailure = Literal["rejected", "unanswered"]


class StepSubject(Contract):
    """A gate between two steps of a plan: the result of the one before, and the step that is next."""

    type: Literal["step"] = "step"
    step: StepResult | None = Field(description="the last finished step; null before the first")
    step_failure: StepFailure | None = Field(
        default=None,
        description="why `step` is not done after its last attempt: its reviewer rejected it, or no "
        "model gave an answer; null: it is done",
    )
    text: str = Field(
        description="Markdown: its result as a section of the report, with the evidence; empty: there is none"
    )
    next: PlanStep | None = Field(
        description="the step that an approval begins; null: none is left"
    )
    plan: Plan


class ReviewedIdea(Contract):
    """An idea to choose, with its review."""

    idea: Idea
    review: IdeaReview | None = Field(default=None, description="null: no critic reviewed it")


class IdeasSubject(Contract):
    """Ideas to choose from; a decision names one by its title."""

    type: Literal["ideas"] = "ideas"
    ideas: list[ReviewedIdea]


class ResultsSubject(Contract):
    """Results, accepted or sent back."""

    type: Literal["results"] = "results"
    results: list[ShownOutput]


RAISE, FINISH, CONTINUE = "raise", "finish", "continue"
"""The choices at a checkpoint about the budget; `continue` tries again where the budget is an operator's."""


class BudgetSubject(Contract):
    """A cap that was reached, or may be by long documents: it is raised, or the run finishes within it.

    If an operator's `budget` was reached instead, no decision in the run raises it; the run continues once it
    opens.
    """

    type: Literal["budget"] = "budget"
    spent_usd: float
    cap_usd: float = Field(description="the cap that is met")
    offered_usd: float = Field(
        description="the cap that pays for the most that the rest may cost; a raise without an amount sets it"
    )
    most_usd: float = Field(description="the installation's own cap, which no raise exceeds")
    documents: list[str] = Field(
        default=[], description="URLs of the long documents whose price the approval did not know"
    )
    budget: MetBudget | None = Field(
        default=None, description="an operator's budget that is met; null: it is the run's own cap"
    )


Subject = Annotated[
    PlanSubject | StepSubject | IdeasSubject | ResultsSubject | BudgetSubject,
    Field(discriminator="type"),
]

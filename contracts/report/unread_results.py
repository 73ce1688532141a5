"""The state of a subject, a company, whose results after its newest figures are out or due, and were not read."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract
from contracts.notices import Notice


class UnreadResults(Contract):
    """Results that are out or due on the run's day and are not among a company's figures."""

    state: Literal["out", "due", "interim"] = Field(
        description="told in a filing; due by the company's own interval; or, of a company that files yearly figures "
        "alone, the interim results that it tells elsewhere"
    )
    since: str = Field(description="day on which the first of them were told or due")
    periods: int = Field(default=1, ge=1, description="reports that are due, the first included")
    told: Notice = Field(description="what is not among the figures, as a sentence")

    @property
    def bars_verdict(self) -> bool:
        """Whether so much is unread that no action follows from the figures: the results of two periods or more."""
        return self.periods > 1

    def qualify(self, action: str) -> Notice:
        """Return an action with what it leaves out."""
        return Notice.of(f"decision-unread-{self.state}", action=action, since=self.since)

"""Budgets: an operator's spending limits for a tenant, a user or a key, per UTC day and calendar month."""

from datetime import UTC, date, datetime, time
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from contracts.base import Contract, Name, Wrong
from contracts.notices import Notice

HolderKind = Literal["tenant", "user", "key"]
Period = Literal["day", "month"]
Limit = Annotated[float, Field(ge=0, le=1_000_000_000, allow_inf_nan=False)]


class BudgetBody(Contract):
    """A budget's limits; null means no limit for that period."""

    day_usd: Limit | None = Field(default=None, description="by UTC day")
    month_usd: Limit | None = Field(default=None, description="by calendar month, in UTC")

    @model_validator(mode="after")
    def _limits_something(self) -> Self:
        if self.day_usd is None and self.month_usd is None:
            raise Wrong("budget-empty", at="day_usd")
        return self


class Budget(Contract):
    """A budget with its current spend and remainder."""

    kind: HolderKind
    holder: str = Field(description="a user's name or a key's id; empty of the tenant")
    day_usd: float | None = None
    month_usd: float | None = None
    day_spent_usd: float = Field(
        default=0.0, description="what today's calls have cost, and may cost until they end"
    )
    month_spent_usd: float = Field(default=0.0, description="the same of this month")
    left_usd: float = Field(default=0.0, description="what may still be spent now")
    opens_on: date | None = Field(
        default=None,
        description="the UTC day at whose start a limit that is met opens; null: none is met",
    )
    set_by: str = ""
    set_at: str = ""

    @property
    def notice(self) -> Notice:
        """Return the notice that names the holder, the used-up limit, and when it opens again."""
        is_month = self.month_usd is not None and self.month_spent_usd >= self.month_usd
        limit = self.month_usd if is_month else self.day_usd
        return Notice.of(
            "budget-used-up-month" if is_month else "budget-used-up-day",
            "error",
            whose=name_holder(self.kind, self.holder),
            limit=limit or 0.0,
            opens=_tell_opening(self.opens_on),
        )

    def count_seconds(self, now: datetime) -> float:
        """Return the seconds until it opens."""
        opens = self.opens_on or now.astimezone(UTC).date()
        return max((datetime.combine(opens, time(), UTC) - now).total_seconds(), 0.0)


class MetBudget(Contract):
    """The budget that had no room for a call, which was therefore not made."""

    kind: HolderKind
    holder: Name | Literal[""] = ""
    period: Period
    limit_usd: float
    spent_usd: float = Field(description="and what calls in flight may still cost")
    price_usd: float = Field(description="most that the call may cost")
    opens_on: date | None = Field(
        description="the UTC day at whose start it opens; null: the call costs more than the whole budget"
    )

    @property
    def left_usd(self) -> float:
        """The remaining dollars."""
        return max(self.limit_usd - self.spent_usd, 0.0)

    @property
    def opens_at(self) -> str | None:
        """Return the moment at which it opens, ISO 8601."""
        return f"{self.opens_on.isoformat()}T00:00:00+00:00" if self.opens_on else None

    @property
    def notice(self) -> Notice:
        """Return the notice that names the holder, the spend, and when the budget opens again."""
        usd = {"limit": self.limit_usd, "spent": self.spent_usd, "price": self.price_usd}
        return Notice.of(
            f"budget-met-{self.period}",
            whose=name_holder(self.kind, self.holder),
            opens=_tell_opening(self.opens_on),
            **usd,
        )


def name_holder(kind: HolderKind, holder: str) -> Notice:
    """Return a notice that names a budget by its holder, such as "the budget of user ana"."""
    return Notice.of(f"budget-of-{kind}", "info", holder=holder or None)


def _tell_opening(day: date | None) -> Notice:
    if day is None:
        return Notice.of("budget-never-opens", "info")
    return Notice.of("budget-opens", "info", day=day.isoformat())

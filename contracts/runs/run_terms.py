"""Terms of a run: the models it may use, their prices, and its spending cap."""

from collections.abc import Mapping, Sequence

from pydantic import Field

from contracts.base import Contract
from contracts.models.prices import Price
from contracts.notices import Notice
from contracts.runs.samples import Sample
from contracts.search import SearchTerms, ServiceName


class PriceTolerance(Contract):
    """The price increase of a changed plan that needs no new approval: the larger of both."""

    percent: float = Field(default=10, ge=0, description="of the top price that was approved")
    usd: float = Field(default=0.05, ge=0)

    def compute_usd(self, top_usd: float) -> float:
        """Return the dollars by which a plan of that top price may rise."""
        return max(self.percent / 100 * top_usd, self.usd)


class Terms(Contract):
    """Frozen into a run at its start, so that a later price or model changes no live run."""

    model: str
    models: dict[str, str] = Field(default={}, description="role -> model id, of the run")
    roles: dict[str, str] = Field(default={}, description="role -> model id, of the house")
    prices: dict[str, Price]
    offline: bool = Field(description="no provider is called and nothing is billed")
    recorded: Sample | None = Field(
        default=None, description="the run whose recorded answers are replayed; null: none is"
    )
    searched: Notice | None = Field(
        default=None, description="what agents search in place of the web; null: the web"
    )
    holds: Notice | None = Field(
        default=None,
        description="what that holds, as planners are told; null: nothing is known of it",
    )
    search: SearchTerms = SearchTerms()
    cap_usd: float = Field(gt=0, description="no call is made that would pass it")
    most_usd: float | None = Field(
        default=None,
        description="the installation's own cap; null: `cap_usd`, which no budget lowers",
    )
    step_cache_hours: float = Field(
        default=0, ge=0, description="how long an output is reused; 0: never"
    )
    price_tolerance: PriceTolerance = PriceTolerance()

    @property
    def by_rule(self) -> bool:
        """Return True if the stand-in answers by rule; it cannot judge."""
        return self.offline and self.recorded is None

    def choose_model(self, role: str, own: str | None = None) -> str:
        """Return a role's model: the run's override, else the phase's, else the installation's."""
        return self.models.get(role) or own or self.roles.get(role) or self.model

    def limit_to(
        self,
        models: Mapping[str, str],
        budget: float | None,
        search: Sequence[ServiceName] = (),
    ) -> "Terms":
        """Return the terms with a run's models and search services, and its budget if that is lower."""
        cap_usd = self.cap_usd if budget is None else min(self.cap_usd, budget)
        caps = {"cap_usd": cap_usd, "most_usd": self.most_usd or self.cap_usd}
        chosen = self.search.model_copy(update={"chosen": [*search]}) if search else self.search
        return self.model_copy(
            update={"models": {**self.models, **models}, "search": chosen, **caps}
        )

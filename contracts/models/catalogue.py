"""Known facts about models and search services: prices, limits, accepted requests, and end dates.

The data is `prices_and_limits.json`, with its date and source; a test holds its prices against the package `genai-prices`.
"""

from collections.abc import Iterable, Mapping
from datetime import date
from importlib.resources import files
from typing import Literal

from pydantic import Field

from contracts.base import Contract
from contracts.models.prices import Limits, Price
from contracts.notices import Notice

SEARCH_TOKENS = (10_000, 150)
"""Tokens that a model is expected to read and write for one search by its provider: results are billed as input."""
END_SOON_DAYS = 90
"""A model that is retired within this many days causes a warning."""
FIRST_PARTY = "claude-"
"""Prefix of the provider's models, which this table should contain; others are the operator's."""


class Accepts(Contract):
    """A model's deviations from the usual request parameters."""

    forced_tools: bool = Field(default=True, description="`tool_choice` may demand a call")
    thinking: dict[Literal["type"], Literal["disabled", "between_tools"]] | None = Field(
        default=None, description="sent to turn thinking off; null: nothing is sent"
    )
    effort: Literal["low", "medium", "high"] | None = Field(
        default=None, description="sent where thinking cannot be turned off"
    )
    thinks: Literal["budget", "adaptive"] | None = Field(
        default=None, description="how it is asked to think before an answer; null: it cannot be"
    )


class ModelFacts(Contract):
    """One model of the provider, under all of its ids."""

    ids: list[str]
    price: Price
    limits: Limits
    accepts: Accepts = Accepts()
    ends: date | None = Field(default=None, description="the announced day of its end")


class Catalogue(Contract):
    """The table of models and search services."""

    as_of: date
    source: str
    search_usd: dict[str, float] = Field(description="service -> US dollars of one search")
    ended: dict[str, date] = Field(description="model id -> the day from which it is refused")
    models: list[ModelFacts]

    def find(self, model: str) -> ModelFacts | None:
        """Return the facts about a model; None for unknown models."""
        return _BY_ID.get(model)


CATALOGUE = Catalogue.model_validate_json(
    files(__package__).joinpath("prices_and_limits.json").read_bytes()
)
_BY_ID: Mapping[str, ModelFacts] = {name: each for each in CATALOGUE.models for name in each.ids}
PRICES: dict[str, Price] = {name: each.price for name, each in _BY_ID.items()}
LIMITS: dict[str, Limits] = {name: each.limits for name, each in _BY_ID.items()}
_USUAL = Accepts()


def find_accepted(model: str) -> Accepts:
    """Return what a model accepts in a request; the usual of one that is not known."""
    facts = CATALOGUE.find(model)
    return facts.accepts if facts else _USUAL


def find_model_warnings(models: Iterable[str], today: date) -> list[Notice]:
    """Return a warning for each configured model that has ended, ends soon, or is not known of its provider."""
    found: list[Notice] = []
    for model in dict.fromkeys(models):
        facts = CATALOGUE.find(model)
        day = CATALOGUE.ended.get(model) or (facts.ends if facts else None)
        if day and (day - today).days <= END_SOON_DAYS:
            code = "model-ended" if day <= today else "model-ends"
            found.append(Notice.of(code, model=model, day=day.isoformat()))
        elif day is None and facts is None and model.startswith(FIRST_PARTY):
            as_of = CATALOGUE.as_of.isoformat()
            found.append(Notice.of("model-not-in-catalogue", model=model, day=as_of))
    return found

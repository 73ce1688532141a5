"""Prices of models by the token, and what a model takes: the tables, and how both are counted."""

from collections.abc import Mapping

from pydantic import Field

from contracts.base import Contract
from contracts.errors import ModelRejected
from contracts.notices import Notice

MAX_ANSWER_TOKENS = 20_000
ANSWER_SHARE = 4
"""The part of a small context window that an answer may have: the fourth."""


BATCH_SHARE = 0.5
"""Of its price, what a call in a batch costs. Source: the provider's pricing page."""

CACHE_WRITE, CACHE_READ = 1.25, 0.1
"""What a cached token costs against a plain one. Source: the provider's pricing page."""


class Price(Contract):
    """Price of a model in US dollars per million tokens."""

    input_usd: float = Field(ge=0)
    output_usd: float = Field(ge=0)

    def compute_usd(self, input_tokens: float, output_tokens: float) -> float:
        """Return the dollars for that many tokens."""
        return (input_tokens * self.input_usd + output_tokens * self.output_usd) / 1_000_000

    def count_input_tokens(self, usd: float, output_tokens: int) -> int:
        """Return how many tokens that many dollars pay for beside an answer."""
        left = usd * 1_000_000 - output_tokens * self.output_usd
        return max(int(left / self.input_usd), 0) if self.input_usd else 0


class Limits(Contract):
    """What a model takes, in tokens; None where it is not known."""

    window_tokens: int | None = Field(default=None, gt=0, description="question and answer")
    answer_tokens: int | None = Field(default=None, gt=0)

    @property
    def usual_answer_tokens(self) -> int:
        """Return how long an answer may be that leaves room for what is asked."""
        window = self.window_tokens
        known = [self.answer_tokens, window and max(window // ANSWER_SHARE, 1)]
        return min([MAX_ANSWER_TOKENS, *filter(None, known)])


PRICES = {
    "claude-haiku-4-5-20251001": Price(input_usd=1.0, output_usd=5.0),
    "claude-haiku-4-5": Price(input_usd=1.0, output_usd=5.0),
    "claude-haiku-5-5": Price(input_usd=0.1, output_usd=0.5),
}
LIMITS = {
    "claude-haiku-4-5-20251001": Limits(window_tokens=200_000, answer_tokens=64_000),
    "claude-haiku-4-5": Limits(window_tokens=200_000, answer_tokens=64_000),
    "claude-haiku-5-5": Limits(window_tokens=1_000_000, answer_tokens=128_000),
}
"""Source of both: the provider's pages on prices and models."""


def find_price(model: str, prices: Mapping[str, Price]) -> Price:
    """Return the price of a model, or raise ModelRejected."""
    if model not in prices:
        raise ModelRejected(Notice.of("model-unpriced", model=model))
    return prices[model]

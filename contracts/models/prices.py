"""Prices of models by the token, and what a model takes: how both are counted."""

from collections.abc import Mapping

from pydantic import Field

from contracts.base import Contract
from contracts.errors import ModelRejected
from contracts.notices import Notice

MAX_ANSWER_TOKENS = 20_000
ANSWER_SHARE = 4
"""The part of a small context window that an answer may have: the fourth."""


BATCH_SHARE = 0.5
"""Share of its price that a call in a batch costs. Source: the provider's pricing page."""


class TokenCount(Contract):
    """Tokens of one call, as its provider counts them."""

    input_tokens: int = Field(default=0, description="the whole prompt, cached tokens included")
    cache_read_tokens: int = Field(default=0, description="of the input, read from the cache")
    cache_written_tokens: int = Field(default=0, description="of the input, written to the cache")
    output_tokens: int = 0


class LongerPrice(Contract):
    """The price of a call whose prompt exceeds a limit; it applies to all of its tokens."""

    above_tokens: int = Field(gt=0, description="of the prompt, cached tokens included")
    input_usd: float = Field(ge=0)
    output_usd: float = Field(ge=0)


class Price(Contract):
    """Price of a model in US dollars per million tokens."""

    input_usd: float = Field(ge=0)
    output_usd: float = Field(ge=0)
    cache_read: float = Field(
        default=0.1, ge=0, exclude_if=lambda x: x == 0.1, description="times the input's price"
    )
    cache_write: float = Field(
        default=1.25, ge=0, exclude_if=lambda x: x == 1.25, description="times the input's price"
    )
    longer: LongerPrice | None = Field(default=None, exclude_if=lambda x: x is None)

    def compute_usd(self, input_tokens: float, output_tokens: float) -> float:
        """Return the price of input and output tokens in US dollars, at the rates for prompts of ordinary length."""
        return (input_tokens * self.input_usd + output_tokens * self.output_usd) / 1_000_000

    def compute_call_usd(self, used: TokenCount) -> float:
        """Return a call's dollars, with cached tokens weighed by their factors and long prompts at their own price."""
        read, written = used.cache_read_tokens, used.cache_written_tokens
        plain = used.input_tokens - read - written
        weighed = plain + self.cache_read * read + self.cache_write * written
        return self.fit(used.input_tokens).compute_usd(weighed, used.output_tokens)

    def compute_most_usd(self, input_tokens: int, output_tokens: int) -> float:
        """Return a call's maximum dollars, without any reads from the cache."""
        return self.fit(input_tokens).compute_usd(input_tokens, output_tokens)

    def fit(self, prompt_tokens: int) -> "Price":
        """Return the price of a call with a prompt of this length."""
        longer = self.longer
        if longer is None or prompt_tokens <= longer.above_tokens:
            return self
        update = {"input_usd": longer.input_usd, "output_usd": longer.output_usd, "longer": None}
        return self.model_copy(update=update)

    def count_input_tokens(self, usd: float, output_tokens: int) -> int:
        """Return how many input tokens `usd` pays for in one call, in addition to the answer."""
        left = usd * 1_000_000 - output_tokens * self.output_usd
        paid = max(int(left / self.input_usd), 0) if self.input_usd else 0
        if self.longer is None or paid <= self.longer.above_tokens:
            return paid
        fitting = self.fit(paid)
        return max(self.longer.above_tokens, fitting.count_input_tokens(usd, output_tokens))


class Limits(Contract):
    """A model's limits in tokens; None if unknown."""

    window_tokens: int | None = Field(default=None, gt=0, description="question and answer")
    answer_tokens: int | None = Field(default=None, gt=0)

    @property
    def usual_answer_tokens(self) -> int:
        """The answer length that leaves enough of the window for the prompt."""
        window = self.window_tokens
        known = [self.answer_tokens, window and max(window // ANSWER_SHARE, 1)]
        return min([MAX_ANSWER_TOKENS, *filter(None, known)])


def find_price(model: str, prices: Mapping[str, Price]) -> Price:
    """Return the price of a model, or raise ModelRejected."""
    if model not in prices:
        raise ModelRejected(Notice.of("model-unpriced", model=model))
    return prices[model]

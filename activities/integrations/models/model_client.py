"""The interface of models' clients, and the parsing of servers' lists of models."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from contracts.models.call import Reply
from contracts.models.prices import Limits, TokenCount

OnText = Callable[[str], None]
OnTokens = Callable[[TokenCount], None]
"""Called with the tokens so far, as the provider counts them."""

SOON = 10.0
"""Seconds within which a server says what a model takes, or how long a request is."""


def ignore_tokens(_: TokenCount) -> None:
    """Ignore token counts, for callers that read the whole reply."""


class ModelClient(Protocol):
    """Makes calls written in the Messages API's format, without retries.

    Every failure is one of our errors, which contain no text of a request, an answer or a key.
    """

    async def stream(
        self, body: Mapping[str, Any], on_text: OnText, on_tokens: OnTokens = ignore_tokens
    ) -> Reply:
        """Make one call, handing out its text as it arrives; cancelling closes the connection."""
        ...

    async def open_batch(self, body: Mapping[str, Any]) -> str | None:
        """Submit one call as a batch and return the batch's id; None if the server has no batches."""
        ...

    async def read_batch(self, model: str, batch_id: str) -> Reply | str:
        """Return the reply to a batch's only call, or its state: `in_progress`, `expired` and so on."""
        ...

    async def cancel_batch(self, model: str, batch_id: str) -> None:
        """Ask for a batch to be cancelled; a finished batch is not affected."""
        ...

    async def find_limits(self, model: str) -> Limits:
        """Return a model's limits: as configured, else as its server reports them (asked once)."""
        ...

    async def check(self, model: str) -> None:
        """Check a model with its server, for free; outages pass.

        Raises:
            ModelRejected: The key is refused (401, 403), or the model is unknown.
        """
        ...

    async def count_tokens(self, body: Mapping[str, Any]) -> int | None:
        """Return a request's tokens as counted by its server; None if it does not count."""
        ...

    def find_url(self, model: str) -> str:
        """Return the address of a model's server."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


def read_limits(listed: Sequence[Mapping[str, Any]], model: str) -> Limits:
    """Return a model's limits in the words of Anthropic, vLLM, llama.cpp or OpenRouter; a lone model has many names."""
    of = {said["id"]: said for said in listed}
    said: Any = of.get(model) or (listed[0] if len(listed) == 1 else {})
    own, top = said.get("meta") or {}, said.get("top_provider") or {}
    windows = (said.get("max_input_tokens"), said.get("max_model_len"), own.get("n_ctx"))
    window = next(filter(None, (*windows, said.get("context_length"))), None)
    answer = said.get("max_tokens") or top.get("max_completion_tokens")
    return Limits(window_tokens=window, answer_tokens=answer)


def lists_others(listed: Sequence[Mapping[str, Any]], model: str) -> bool:
    """Return whether a server lists several models and not this one; a lone model has many names."""
    ids = {said["id"] for said in listed}
    return len(ids) > 1 and model not in ids

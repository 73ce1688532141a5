"""Routes each model to its server: the provider's, or one with chat completions."""

from collections.abc import Mapping
from typing import Any

from activities.integrations.models.model_client import ModelClient, OnText, OnTokens, ignore_tokens
from contracts.models.call import Reply
from contracts.models.prices import Limits


class ModelClients:
    """Forwards each call to the client of its model."""

    def __init__(self, usual: ModelClient, others: Mapping[str, ModelClient]) -> None:
        """Take the client of most models, and those of the `others`: model -> client."""
        self._usual = usual
        self._others = others

    async def stream(
        self, body: Mapping[str, Any], on_text: OnText, on_tokens: OnTokens = ignore_tokens
    ) -> Reply:
        """Make one call, handing out its text as it arrives; cancelling closes the connection."""
        return await self._of(body["model"]).stream(body, on_text, on_tokens)

    async def open_batch(self, body: Mapping[str, Any]) -> str | None:
        """Submit one call as a batch and return the batch's id; None if the server has no batches."""
        return await self._of(body["model"]).open_batch(body)

    async def read_batch(self, model: str, batch_id: str) -> Reply | str:
        """Return the reply to a batch's only call, or its state."""
        return await self._of(model).read_batch(model, batch_id)

    async def cancel_batch(self, model: str, batch_id: str) -> None:
        """Ask for a batch to be cancelled; a finished batch is not affected."""
        await self._of(model).cancel_batch(model, batch_id)

    async def find_limits(self, model: str) -> Limits:
        """Return a model's limits: as configured, else as its server reports them (asked once)."""
        return await self._of(model).find_limits(model)

    async def check(self, model: str) -> None:
        """Ask a model's server about the model; raises ModelRejected where the key or the model is refused."""
        await self._of(model).check(model)

    async def count_tokens(self, body: Mapping[str, Any]) -> int | None:
        """Return a request's tokens as counted by its server; None if it does not count."""
        return await self._of(body["model"]).count_tokens(body)

    def find_url(self, model: str) -> str:
        """Return the address of a model's server."""
        return self._of(model).find_url(model)

    async def close(self) -> None:
        """Close the connections of all."""
        for client in (self._usual, *self._others.values()):
            await client.close()

    def _of(self, model: str) -> ModelClient:
        return self._others.get(model, self._usual)

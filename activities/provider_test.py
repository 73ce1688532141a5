"""Test of a configured provider: one small request, made once, that belongs to no run."""

import asyncio
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from temporalio import activity

from contracts.errors import (
    GreenlightError,
    KeyRejected,
    ModelBusy,
    ModelRejected,
    ModelUnreachable,
    SearchFailed,
    SearchRefused,
)
from contracts.models.prices import Price, find_price
from contracts.notices import Notice
from contracts.provider_test import ProviderAnswer, ProviderState, ProviderTest

if TYPE_CHECKING:
    from activities.integrations.model_client import ModelClient
    from activities.search_calls import SearchServices

SECONDS = 15.0
"""How long a provider may take for the whole test."""
PROMPT, MAX_TOKENS = "Reply with the one word: ready", 16
QUERY = "weather"
"""Constant, so that no words of a user reach a provider that no plan names."""

_LIMITED = {402, 429, 432, 433}
"""Payment required, and too many requests."""
_SPENT = {"enforced_spend_limit_reached", "contract_spend_limit_reached", "billing_error"}
_KEY_REFUSED = {401, 403, 422}
"""Brave answers 422 to a token it does not know, and the query itself is valid."""


class ProviderTestActivities:
    """Asks the worker's own model and search, whose keys the gateway does not hold."""

    def __init__(
        self, models: "ModelClient", search: "SearchServices", prices: Mapping[str, Price]
    ) -> None:
        self._models = models
        self._search = search
        self._prices = prices

    @activity.defn(name="providers.test")
    async def test(self, asked: ProviderTest) -> ProviderAnswer:
        """Make one small request and return how it went; a failure is the answer, so nothing is retried."""
        is_model = asked.provider == "model"
        url = self._models.find_url(asked.model) if is_model else self._search.url
        state: ProviderState = "works"
        told, usd = None, 0.0
        started = time.monotonic()
        try:
            async with asyncio.timeout(SECONDS):
                usd = await (self._ask_model(asked.model) if is_model else self._ask_search())
        except TimeoutError:
            state, told = "unreachable", Notice.of("provider-late", seconds=SECONDS)
        except GreenlightError as error:
            state, told = _classify(error), error.words
        return ProviderAnswer(
            state=state,
            host=urlsplit(url).netloc,
            model=asked.model,
            usd=usd,
            seconds=round(time.monotonic() - started, 2),
            told=told,
        )

    async def _ask_model(self, model: str) -> float:
        """Have the model say a word and return what that cost; its server is asked for the model first, for free."""
        await self._models.check(model)
        turn = {"role": "user", "content": PROMPT}
        body = {"model": model, "max_tokens": MAX_TOKENS, "messages": [turn]}
        reply = await self._models.stream(body, lambda _: None)
        price = find_price(model, self._prices)
        return price.compute_call_usd(reply)

    async def _ask_search(self) -> float:
        """Ask each service that is usually asked, and return what that cost; one that fails is the answer."""
        return await self._search.test(QUERY)


def _classify(error: GreenlightError) -> ProviderState:
    """Return what an error of a provider says about the installation."""
    status = error.status or error.words.params.get("status")
    if status in _LIMITED or error.words.params.get("name") in _SPENT:
        return "quota"
    if isinstance(error, KeyRejected):
        return "key_refused"
    if isinstance(error, SearchRefused) and status in _KEY_REFUSED:
        return "key_refused"
    if isinstance(error, ModelBusy | ModelUnreachable | SearchFailed):
        return "unreachable"
    assert isinstance(error, ModelRejected | SearchRefused)
    return "rejected"

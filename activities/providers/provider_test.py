"""Test of a configured provider: one small request outside any run, journaled like a run's calls."""

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from temporalio import activity

from contracts.base import Json
from contracts.errors import (
    GreenlightError,
    KeyRejected,
    ModelBusy,
    ModelRejected,
    ModelUnreachable,
    SearchFailed,
    SearchRefused,
    ToolServerFailed,
    ToolServerRefused,
)
from contracts.models.call import Scope
from contracts.models.prices import Price, find_price
from contracts.models.provider_test import (
    PROVIDER_TEST,
    ProviderAnswer,
    ProviderState,
    ProviderTest,
)
from contracts.models.usage import Usage
from contracts.notices import Notice
from contracts.runs.records import CallResult, CallSpec
from contracts.tool_servers import ToolServer

if TYPE_CHECKING:
    from activities.calls.journaled_call import JournaledCalls
    from activities.integrations.models.model_client import ModelClient
    from activities.tool_servers import ToolServerClient
    from activities.web.search_calls import SearchService, SearchServices
    from contracts.models.batch import OpenBatch

SECONDS = 15.0
"""Time limit of the whole test."""
PROMPT, MAX_TOKENS = "Reply with the one word: ready", 16
QUERY = "weather"
"""Constant, so that no words of a user reach a provider that no plan names."""

_LIMITED = {402, 429, 432, 433}
"""Payment required, and too many requests."""
_SPENT = {"enforced_spend_limit_reached", "contract_spend_limit_reached", "billing_error"}
_KEY_REFUSED = {401, 403, 422}
"""Brave answers 422 to an unknown token, and the query itself is valid."""
_TOOLS_REFUSED = {401, 403}


class ProviderTestActivities:
    """Tests the worker's models and search services, whose keys the gateway does not have."""

    def __init__(
        self,
        models: "ModelClient",
        search: "SearchServices",
        prices: Mapping[str, Price],
        calls: "JournaledCalls",
        servers: "ToolServerClient | None" = None,
    ) -> None:
        self._models = models
        self._calls = calls
        self._search = search
        self._prices = prices
        self._servers = servers

    @activity.defn(name="providers.test")
    async def test(self, asked: ProviderTest) -> ProviderAnswer:
        """Make one small request and return its outcome; failures are outcomes, so nothing is retried."""
        state: ProviderState = "works"
        told, usd = None, 0.0
        started = time.monotonic()
        try:
            async with asyncio.timeout(SECONDS):
                usd = await self._ask(asked)
        except TimeoutError:
            state, told = "unreachable", Notice.of("provider-late", seconds=SECONDS)
        except GreenlightError as error:
            state, told = _classify(error), error.words
        return ProviderAnswer(
            state=state,
            host=self._name_host(asked),
            model=asked.model,
            usd=usd,
            seconds=round(time.monotonic() - started, 2),
            told=told,
        )

    def _name_host(self, asked: ProviderTest) -> str:
        """Return who is asked: a host, or a server of tools by its name."""
        if asked.provider == "tools":
            return asked.server
        is_model = asked.provider == "model"
        return urlsplit(self._models.find_url(asked.model) if is_model else self._search.url).netloc

    async def _ask(self, asked: ProviderTest) -> float:
        """Make the request and return what it cost; a server of tools is asked for its list alone."""
        match asked.provider:
            case "model":
                return await self._ask_model(asked)
            case "search":
                return await self._ask_search(asked)
            case "tools":
                assert self._servers
                await self._servers.list_tools(ToolServer(name=asked.server))
                return 0.0

    async def _ask_model(self, asked: ProviderTest) -> float:
        """Ask a model for a word and return the cost; its server is first checked for free."""
        model = asked.model
        await self._models.check(model)
        turn = {"role": "user", "content": PROMPT}
        body = {"model": model, "max_tokens": MAX_TOKENS, "messages": [turn]}

        async def make() -> Usage:
            reply = await self._models.stream(body, lambda _: None)
            return Usage(
                calls=1,
                input_tokens=reply.input_tokens,
                output_tokens=reply.output_tokens,
                usd=find_price(model, self._prices).compute_call_usd(reply),
            )

        return await self._pay(asked, "model", model, make)

    async def _ask_search(self, asked: ProviderTest) -> float:
        """Ask each service that is usually asked, and return what that cost; one that fails is the answer."""

        def ask(service: "SearchService") -> Awaitable[float]:
            async def make() -> Usage:
                return (await service.search(QUERY, 1, "web", lambda _: None)).usage

            return self._pay(asked, "search", service.name, make)

        return sum(await asyncio.gather(*map(ask, self._search.choose())))

    async def _pay(
        self,
        asked: ProviderTest,
        kind: Literal["model", "search"],
        name: str,
        make: Callable[[], Awaitable[Usage]],
    ) -> float:
        """Make a test's call unless it is in the journal, and return its cost; there is no run log for it."""
        scope = Scope(
            tenant_id=asked.principal.tenant_id,
            run_id=asked.test_id,
            phase_id=PROVIDER_TEST,
            attempt=1,
            name=name,
        )
        whose: Json = {"user_id": asked.principal.user_id or "", "offline": asked.offline}

        async def work(_: "OpenBatch | None") -> CallResult:
            return CallResult(result=whose, usage=await make())

        digest = hashlib.sha256(f"{kind}/{name}".encode()).hexdigest()
        spec = CallSpec(scope=scope, kind=kind, request_hash=digest, model=name)
        return (await self._calls.run(spec, work)).usage.usd


def _classify(error: GreenlightError) -> ProviderState:
    """Return what an error of a provider says about the installation."""
    status = error.status or error.words.params.get("status")
    if status in _LIMITED or error.words.params.get("name") in _SPENT:
        return "quota"
    if isinstance(error, KeyRejected):
        return "key_refused"
    if isinstance(error, SearchRefused) and status in _KEY_REFUSED:
        return "key_refused"
    if isinstance(error, ToolServerRefused) and status in _TOOLS_REFUSED:
        return "key_refused"
    if isinstance(error, ModelBusy | ModelUnreachable | SearchFailed | ToolServerFailed):
        return "unreachable"
    assert isinstance(error, ModelRejected | SearchRefused | ToolServerRefused)
    return "rejected"

"""Test of the providers that this installation is configured with."""

from typing import Annotated

from fastapi import Path
from pydantic import Field

from api.access.auth import Caller
from api.dependencies import Deps
from api.errors import responses
from api.json_bodies import Router
from contracts.access.principal import Principal
from contracts.base import Contract
from contracts.errors import InvalidInput, NotAllowed
from contracts.models.provider_test import ProviderAnswer, ProviderKind, ProviderTest
from contracts.notices import Notice
from contracts.problems import Problem

router = Router(prefix="/v1/providers", tags=["providers"], responses=responses(403, 422, 429, 503))
Provider = Annotated[
    ProviderKind, Path(description="the model's provider, the search's, or a server of tools")
]


class ProviderTestBody(Contract):
    """Body of a test."""

    model: str | None = Field(
        default=None, max_length=200, description="one that has a price; left out: the usual one"
    )
    server: str = Field(default="", max_length=200, description="of tools: the one to ask")


@router.post("/{provider}/test")
async def test_provider(
    provider: Provider, body: ProviderTestBody, deps: Deps, caller: Caller
) -> ProviderAnswer:
    """Let a worker send one small request to a provider now, and return its answer."""
    if caller.tenant_id != Principal().tenant_id:
        raise NotAllowed(Notice.of("provider-not-yours"))
    model = body.model or deps.terms.model
    if provider == "model" and model not in deps.terms.prices:
        known = list(deps.terms.prices)
        raise InvalidInput(Problem.at("model", "model-not-listed", model=model, known=known))
    if provider == "tools" and body.server not in deps.installation.tool_servers:
        raise InvalidInput(
            Problem.at("server", "not-among", allowed=deps.installation.tool_servers)
        )
    await deps.run_client.check_worker()
    asked = ProviderTest(
        provider=provider,
        model=model if provider == "model" else "",
        server=body.server if provider == "tools" else "",
        principal=Principal(tenant_id=caller.tenant_id, user_id=caller.user_id),
        offline=deps.terms.offline,
    )
    return await deps.provider_tester.test(asked)

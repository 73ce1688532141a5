"""What providers would refuse is known before a run begins: keys, models, contacts; an outage is let through."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from activities.company.edgar import Edgar
from activities.integrations.models.claude import ClaudeClient
from activities.providers.provider_check import ProviderCheck
from contracts.notices import Notice
from contracts.runs.start import ProvidersNeeded
from tests.activities.calls.provider import Provider, serving
from tests.support.words import phrase


@pytest.fixture
async def provider() -> AsyncIterator[Provider]:
    async with serving() as made:
        yield made


@asynccontextmanager
async def opened(url: str, contact: str = "ana@acme.example") -> AsyncIterator[ProviderCheck]:
    claude, edgar = ClaudeClient(url, "a-key"), Edgar(url, url, contact)
    yield ProviderCheck(claude, edgar)
    await claude.close()
    await edgar.aclose()


@pytest.mark.parametrize("status", [401, 403])
async def test_rejected_key_is_named(provider: Provider, status: int) -> None:
    provider.describes = status
    async with opened(provider.url) as check:
        refused = await check.find_refusal(ProvidersNeeded(models=["m"]))
    assert refused
    assert refused.type == "key-rejected"
    assert phrase("model-hint-key") in refused.message


async def test_unknown_model_is_named(provider: Provider) -> None:
    provider.listed = [{"id": "one"}, {"id": "two"}]
    async with opened(provider.url) as check:
        assert await check.find_refusal(ProvidersNeeded(models=["two", "one"])) is None
        refused = await check.find_refusal(ProvidersNeeded(models=["one", "three"]))
    assert refused
    assert refused.type == "model-rejected"
    assert refused.notice == Notice.of("model-unknown", model="three")


@pytest.mark.parametrize("status", [404, 405, 429, 500, 529])
async def test_answer_that_is_no_refusal_is_let_through(provider: Provider, status: int) -> None:
    """A server of one model has many names for it, others have no such endpoint, and outages pass."""
    provider.listed = [{"id": "one"}]
    provider.describes = status
    async with opened(provider.url) as check:
        assert await check.find_refusal(ProvidersNeeded(models=["m"])) is None


async def test_provider_that_is_away_is_let_through() -> None:
    async with opened("http://127.0.0.1:9") as check:
        assert await check.find_refusal(ProvidersNeeded(models=["m"], filings=True)) is None


async def test_missing_contact_is_refused_only_for_filings(provider: Provider) -> None:
    async with opened(provider.url, contact=" ") as check:
        assert await check.find_refusal(ProvidersNeeded()) is None
        refused = await check.find_refusal(ProvidersNeeded(filings=True))
    assert refused
    assert refused.type == "facts-refused"
    assert phrase("edgar-contact") in refused.message

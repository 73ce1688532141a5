"""Conversations with keys: the runs they reach, the decider's name, and the limit of open ones."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
from temporalio.client import Client

from store.access.access_keys import KeyRepository
from tests.api.access.conftest import sign_in
from tests.api.chat.test_chat_completions import APPROVAL, Chat
from tests.api.conftest import Site, site_over

STREAMS = 2


@pytest.fixture(scope="module")
async def site(
    database: str, quick_temporal: Client, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Site]:
    folder = tmp_path_factory.mktemp("blobs")
    limits = {"greenlight_streams_per_key": STREAMS}
    async with site_over(database, quick_temporal, folder, **limits) as made:
        yield made


async def test_nobody_speaks_to_anothers_run_and_the_keys_user_decides(
    site: Site, keys: KeyRepository
) -> None:
    async with AsyncExitStack() as stack:
        ana = Chat(await sign_in(site, keys, "acme", "ana", stack))
        eve = Chat(await sign_in(site, keys, "evil", "eve", stack))
        ben = Chat(await sign_in(site, keys, "acme", "ben", stack))
        [command] = APPROVAL.findall(await ana.plan())
        for stranger in (eve, ben):
            stranger.messages = [*ana.messages, {"role": "user", "content": command}]
        refused = await ben.site.post(
            "/v1/chat/completions",
            {"model": "deep_research", "stream": True, "messages": ben.messages},
        )
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "not-allowed")
        own = await eve.repeat()
        eve.messages.append({"role": "assistant", "content": own})
        assert eve.run != ana.run
        assert (await ana.state())["decisions"] == []
        await ana.say(command)
        [decided] = (await ana.state())["decisions"]
        assert (decided["action"], decided["by"]) == ("approve", "ana")


async def test_key_is_needed_and_streams_are_counted(site: Site, keys: KeyRepository) -> None:
    async with AsyncExitStack() as stack:
        ana = await sign_in(site, keys, "acme", "ana", stack)
        body = {
            "model": "deep_research",
            "stream": True,
            "messages": [{"role": "user", "content": f"Where? {uuid.uuid4()}"}],
        }
        nobody = await site.post("/v1/chat/completions", body)
        assert (nobody.status_code, nobody.json()["error"]["type"]) == (401, "authentication_error")
        assert (await site.get("/v1/models")).status_code == 401
        asked = [ana.post("/v1/chat/completions", body) for _ in range(3 * STREAMS)]
        statuses = sorted(answer.status_code for answer in await asyncio.gather(*asked))
        assert statuses.count(200) >= 1
        assert statuses.count(429) >= 1, "more streams at once than one key may have"
        refused = await ana.http.post("/v1/chat/completions", json={**body, "model": "nobody"})
        assert refused.status_code == 404


async def test_share_link_opens_no_chat(site: Site, keys: KeyRepository) -> None:
    async with AsyncExitStack() as stack:
        ana = Chat(await sign_in(site, keys, "acme", "ana", stack))
        await ana.plan()
        made = await ana.site.post(f"{ana.run}/share-links", {})
        token = made.json()["path"].partition("#")[2]
        headers = {"Authorization": f"Bearer {token}"}
        body = {"model": "deep_research", "stream": True, "messages": ana.messages[:-1]}
        asked = await ana.site.http.post("/v1/chat/completions", json=body, headers=headers)
        listed = await ana.site.http.get("/v1/models", headers=headers)
        assert (asked.status_code, listed.status_code) == (403, 403)

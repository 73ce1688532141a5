"""Addresses and secrets of channels at rest: nobody reads them in the database, and keys can be changed."""

import json

import pytest
from pydantic import SecretStr, ValidationError

from contracts.access.principal import Principal
from contracts.alerts import ChannelBody, ChannelRef, DueAlert
from settings import Settings
from store.access.secret_encryption import KeyLost, TextCipher
from store.alerts import AlertRepository, ChannelRepository
from store.postgres.pool import Pool
from tests.support.databases import fetch_as_owner

ADDRESS = "https://hooks.example.org/private-path"
ANA = Principal(user_id="ana")
CHANNEL = ChannelBody(kind="webhook", target=ADDRESS)


def test_text_is_decrypted_by_each_of_its_keys_for_its_row_alone() -> None:
    old, both = TextCipher(["old"]), TextCipher(["new", "old"])
    sealed = old.encrypt(ADDRESS, "row")
    assert "example" not in sealed
    assert sealed != old.encrypt(ADDRESS, "row"), "a text says nothing of another one like it"
    assert both.decrypt(sealed, "row") == ADDRESS
    assert TextCipher(["new"]).decrypt(both.encrypt(ADDRESS, "row"), "row") == ADDRESS
    for cipher, row in ((old, "another"), (TextCipher(["new"]), "row"), (TextCipher(), "row")):
        with pytest.raises(KeyLost):
            cipher.decrypt(sealed, row)
    with pytest.raises(KeyLost):
        old.decrypt(sealed[:-2], "row")
    assert TextCipher().encrypt(ADDRESS, "row") == old.decrypt(ADDRESS, "row") == ADDRESS


async def read_row(pool: Pool, channel: str) -> str:
    query = "SELECT to_jsonb(c) FROM channels c WHERE id = %(id)s"
    return json.dumps(await fetch_as_owner(pool, query, {"id": channel}))


async def find(pool: Pool, channel: str, *keys: str) -> DueAlert | None:
    ref = ChannelRef(tenant_id="default", channel_id=channel)
    return await AlertRepository(pool, TextCipher(keys)).find_next(ref)


async def test_database_holds_neither_address_nor_secret_and_keys_can_be_changed(
    pool: Pool,
) -> None:
    made = await ChannelRepository(pool, TextCipher(["old"])).create(ANA, "ana", CHANNEL)
    alerts = AlertRepository(pool, TextCipher(["new", "old"]))
    await alerts.queue_test(ANA, made.id)
    before = await read_row(pool, made.id)
    assert "private-path" not in before
    assert made.secret.removeprefix("whsec_") not in before
    await alerts.encrypt_anew()
    assert await read_row(pool, made.id) != before
    due = await find(pool, made.id, "new")
    assert due
    assert (due.target, due.secret) == (ADDRESS, made.secret)
    again = await read_row(pool, made.id)
    await alerts.encrypt_anew()
    assert await read_row(pool, made.id) == again, "what the newest key encrypted is left alone"


async def test_channel_from_before_there_were_keys_is_encrypted_by_the_sweep(pool: Pool) -> None:
    made = await ChannelRepository(pool, TextCipher()).create(ANA, "ana", CHANNEL)
    assert "private-path" in await read_row(pool, made.id)
    alerts = AlertRepository(pool, TextCipher(["new"]))
    await alerts.queue_test(ANA, made.id)
    await alerts.encrypt_anew()
    assert "private-path" not in await read_row(pool, made.id)
    due = await find(pool, made.id, "new")
    assert due
    assert due.target == ADDRESS


async def test_channel_whose_key_is_lost_is_disabled_and_says_so(pool: Pool) -> None:
    channels = ChannelRepository(pool, TextCipher(["old"]))
    made = await channels.create(ANA, "ana", CHANNEL)
    await AlertRepository(pool, TextCipher()).queue_test(ANA, made.id)
    assert await find(pool, made.id, "new") is None
    disabled = (await channels.get(ANA, made.id)).disabled
    assert disabled
    assert disabled.code == "channel-key-lost"
    assert await find(pool, made.id, "old") is None, "until its user enables it"


@pytest.mark.parametrize("keys", [",", " , "])
def test_list_of_keys_that_names_none_is_refused(keys: str) -> None:
    """Channels would lie in clear without a word."""
    with pytest.raises(ValidationError, match="greenlight_channel_keys"):
        Settings(greenlight_channel_keys=SecretStr(keys))

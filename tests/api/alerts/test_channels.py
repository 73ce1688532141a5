"""Channels of a user: made, tried, changed and deleted; a run's alerts reach them through Temporal."""

from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest
from starlette.responses import Response

from contracts.alerts import RUN_ALERTS
from store.alerts import MAX_CHANNELS
from tests.activities.alerts.receiver import Receiver
from tests.api.conftest import Site
from tests.support.databases import as_owner
from tests.support.words import en, phrase


@pytest.fixture(autouse=True)
async def clean(site: Site, receiver: Receiver) -> AsyncIterator[None]:
    """Begin with a receiver that knows nothing, and leave no channel."""
    receiver.reset()
    yield
    for channel in (await site.get("/v1/channels")).json()["items"]:
        await site.http.delete(f"/v1/channels/{channel['id']}")


async def make(site: Site, receiver: Receiver, **body: Any) -> dict[str, Any]:
    given = {"kind": "webhook", "target": f"{receiver.url}/secret-path"} | body
    made = await site.post("/v1/channels", given)
    assert made.status_code == 201, made.text
    found: dict[str, Any] = made.json()
    return found


async def test_run_that_waits_and_ends_reaches_its_users_webhook(
    site: Site, receiver: Receiver
) -> None:
    channel = await make(site, receiver)
    run = await site.complete()
    run_id = run.rpartition("/")[2]
    await receiver.until(accepted=3)
    told = receiver.verify(channel["secret"])
    assert [each["type"] for each in told] == ["run.waiting", "run.waiting", "run.ended"]
    assert {each["data"]["run_id"] for each in told} == {run_id}
    assert told[1]["data"]["price"]["top_usd"] >= 0
    assert len({*receiver.ids}) == 3
    log = (await site.get(f"/v1/channels/{channel['id']}/deliveries")).json()["items"]
    assert [each["status"] for each in log] == ["delivered"] * 3
    assert [each["id"] for each in log] == receiver.ids[::-1]


async def test_secret_and_address_are_never_returned(site: Site, receiver: Receiver) -> None:
    channel = await make(site, receiver)
    place = f"/v1/channels/{channel['id']}"
    sent = await site.post(f"{place}/test", wait=10)
    changed = await site.http.put(place, json={"name": "Ops"})
    listed = await site.get("/v1/channels")
    log = await site.get(f"{place}/deliveries")
    for answer in (sent, changed, listed, log):
        assert answer.is_success, answer.text
        assert channel["secret"] not in answer.text
        assert "secret-path" not in answer.text
    [shown] = listed.json()["items"]
    assert (shown["name"], shown["shown_target"]) == ("Ops", "127.0.0.1")
    history = [
        event.SerializeToString()
        async for found in site.temporal.list_workflows("WorkflowType = 'DeliverAlerts'")
        async for event in site.temporal.get_workflow_handle(found.id).fetch_history_events()
    ]
    assert history
    assert not [e for e in history if b"secret-path" in e or channel["secret"].encode() in e]


async def test_test_button_says_how_the_receiver_answered(site: Site, receiver: Receiver) -> None:
    channel = await make(site, receiver, language="de")
    receiver.answers = [Response(status_code=500)]
    place = f"/v1/channels/{channel['id']}"
    failed = (await site.post(f"{place}/test", wait=10)).json()
    assert (failed["status"], failed["attempts"]) == ("queued", 1)
    assert failed["failure"]["code"] == "fetch-status"
    replayed = (await site.post(f"{place}/deliveries/{failed['id']}/replay", wait=10)).json()
    assert replayed["status"] == "delivered"
    assert receiver.ids == [failed["id"]]


async def test_slow_receiver_holds_back_no_other_channel(site: Site, receiver: Receiver) -> None:
    slow = await make(site, receiver)
    receiver.seconds = 3
    await site.post(f"/v1/channels/{slow['id']}/test")
    await receiver.until(accepted=0, got=1)
    receiver.seconds = 0
    other = await make(site, receiver)
    sent = (await site.post(f"/v1/channels/{other['id']}/test", wait=2)).json()
    assert sent["status"] == "delivered"


async def test_alert_queued_while_no_worker_runs_is_sent_later(
    site: Site, receiver: Receiver
) -> None:
    channel = await make(site, receiver)
    await site.rest()
    queued = (await site.post(f"/v1/channels/{channel['id']}/test")).json()
    assert queued["status"] == "queued"
    await site.work()
    await receiver.until(accepted=1)
    assert receiver.ids == [queued["id"]]


async def test_disabled_channel_keeps_its_alerts_until_it_is_enabled(
    site: Site, receiver: Receiver
) -> None:
    channel = await make(site, receiver, enabled=False)
    place = f"/v1/channels/{channel['id']}"
    await site.post(f"{place}/test", wait=1)
    assert not receiver.got
    [shown] = (await site.get("/v1/channels")).json()["items"]
    assert (shown["enabled"], shown["queued"]) == (False, 1)
    await site.http.put(place, json={"enabled": True})
    await receiver.until(accepted=1)


@pytest.mark.parametrize(
    ("body", "field", "code"),
    [
        ({"target": "ftp://x.example/"}, "target", "url-scheme"),
        ({"target": "http://user:pw@x.example/"}, "target", "url-user"),
        ({"kind": "ntfy", "target": "https://ntfy.sh/"}, "target", "target-no-topic"),
        ({"kind": "email", "target": "a@b, c@d"}, "target", "target-no-mail-address"),
        ({"kind": "email", "target": "a@b\nBcc: c@d"}, "target", "target-no-mail-address"),
        ({"kind": "email", "target": "a@b.example"}, "kind", "mail-unset"),
    ],
)
async def test_address_that_cannot_work_is_refused(
    site: Site, body: dict[str, str], field: str, code: str
) -> None:
    refused = await site.post("/v1/channels", {"kind": "webhook", "target": "http://x"} | body)
    assert refused.status_code == 422
    assert f"{field}: " in refused.text
    assert phrase(code) in refused.text


async def test_events_must_be_known_and_some(site: Site) -> None:
    for events in ([], ["run.started"], [*RUN_ALERTS, "run.ended"]):
        body = {"kind": "webhook", "target": "http://x", "events": events}
        assert (await site.post("/v1/channels", body)).status_code == 422


async def test_user_has_a_bounded_number_of_channels(site: Site, receiver: Receiver) -> None:
    for _ in range(MAX_CHANNELS):
        await make(site, receiver)
    refused = await site.post("/v1/channels", {"kind": "webhook", "target": receiver.url})
    assert refused.status_code == 409
    assert en("channels-many", most=MAX_CHANNELS) in refused.text


async def test_deleted_channel_gets_nothing_more(site: Site, receiver: Receiver) -> None:
    channel = await make(site, receiver, enabled=False)
    place = f"/v1/channels/{channel['id']}"
    await site.post(f"{place}/test")
    assert (await site.http.delete(place)).status_code == 204
    for gone in ("", "/deliveries"):
        method = "GET" if gone else "DELETE"
        assert (await site.http.request(method, f"{place}{gone}")).status_code == 404
    async with await psycopg.AsyncConnection.connect(as_owner(site.database)) as connection:
        rows = await connection.execute("SELECT count(*) FROM alerts")
        assert await rows.fetchone() == (0,)
    assert not receiver.got

"""Alerts reach their channel once and in order, signed anew for each try; private addresses are refused."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from standardwebhooks import Webhook
from starlette.responses import RedirectResponse, Response
from temporalio.testing import ActivityEnvironment

from activities.alerts.decision_links import DecisionLinks
from activities.alerts.delivery import AlertActivities
from activities.confined.call_pool import run_in_thread
from activities.integrations.alert_senders import HttpSender, MailSender
from activities.runs.schedule_changes import ScheduleChanges
from contracts.access.principal import Principal
from contracts.alerts import AlertTurn, ChannelBody, ChannelRef, Delivery, NewChannel
from contracts.base import Json
from contracts.notices import Notice
from contracts.runs.records import Batch, Event
from contracts.words import say
from domain.alerts.selection import list_alerts
from greenlight.stack.ports import reserve_ports
from store.access.secret_encryption import TextCipher
from store.alerts import AlertRepository, ChannelRepository
from store.postgres.pool import Pool
from store.run_records.runs import RunRepository
from tests.activities.alerts.receiver import Receiver, receiving
from tests.store.samples import batch, opened, started
from tests.support.databases import fetch_as_owner

ANA = Principal(user_id="ana")
PAUSE = timedelta(milliseconds=50)
SECRET = "of gateway and worker"


def at(seconds: float = 0) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat()


def ask(n: int, deadline: float = 3_600, opened_at: float = 0, **more: Any) -> Event:
    """Return the event of a checkpoint with one question."""
    question: Json = {"id": "q1", "question": "Which?"}
    payload: Json = {"checkpoint_id": f"c{n}", "phase_id": "p", "kind": "questions"}
    payload |= {"questions": [question], "deadline": at(deadline), **more}
    return Event(key=f"w-{n}", type="InputRequiredEvent", at=at(opened_at), payload=payload)


def end(n: int, status: str = "completed") -> Event:
    return Event(key=f"w-{n}", type="workflow_complete", at=at(), payload={"status": status})


@dataclass
class Office:
    """Channels of one store, and what sends through them."""

    pool: Pool
    receiver: Receiver
    patience: timedelta = timedelta(days=3)
    pause: timedelta = PAUSE
    """Before the second attempt."""
    mail_server: str = ""
    senders: list[HttpSender] = field(default_factory=list)

    def __post_init__(self) -> None:
        cipher = TextCipher()
        self.channels = ChannelRepository(self.pool, cipher)
        self.alerts = AlertRepository(self.pool, cipher)
        self.runs = RunRepository(self.pool)

    def worker(self, *allow: str, seconds: float = 5) -> AlertActivities:
        """Return what a worker sends by; it reaches the receiver, or the addresses given."""
        http = HttpSender(allow or [self.receiver.address], seconds)
        self.senders.append(http)
        mail = MailSender(self.mail_server, "greenlight@example.org", seconds)
        links = DecisionLinks(SECRET, "https://greenlight.example")
        changes = ScheduleChanges(self.runs, run_in_thread)
        return AlertActivities(self.alerts, http, mail, links, changes, self.pause, self.patience)

    async def open(self, **body: Any) -> NewChannel:
        given = {"kind": "webhook", "target": self.receiver.url} | body
        return await self.channels.create(ANA, "ana", ChannelBody.model_validate(given))

    async def run(self, run_id: str = "r1", **given: Any) -> None:
        await self.runs.create(started(run_id, user_id="ana", **given), opened())

    async def record(self, *events: Event, run_id: str = "r1", **changes: Any) -> list[ChannelRef]:
        sent: Batch = batch(run_id, 1, events=list(events), **changes)
        return await self.runs.record(sent, list_alerts("default", run_id, sent.events))

    async def turn(self, channel: NewChannel, worker: AlertActivities | None = None) -> AlertTurn:
        ref = ChannelRef(tenant_id="default", channel_id=channel.id)
        return await ActivityEnvironment().run((worker or self.worker()).deliver, ref)

    async def drain(self, channel: NewChannel, worker: AlertActivities | None = None) -> None:
        """Send until nothing is due within a second, as the workflow does."""
        worker = worker or self.worker()
        wait = (await self.turn(channel, worker)).wait_seconds
        if wait is not None and wait < 1:
            await asyncio.sleep(wait)
            await self.drain(channel, worker)

    async def log(self, channel: NewChannel) -> list[Delivery]:
        return await self.alerts.list_log(ANA, channel.id)


@pytest.fixture
async def office(database: str) -> AsyncIterator[Office]:
    async with Pool(database) as pool, receiving() as receiver:
        await fetch_as_owner(pool, "TRUNCATE channels, runs, events CASCADE")
        made = Office(pool, receiver)
        yield made
        for sender in made.senders:
            await sender.aclose()


async def test_receiver_verifies_each_alert_by_the_standards_library(office: Office) -> None:
    channel = await office.open()
    await office.run()
    assert await office.record(ask(1), end(2)) == [
        ChannelRef(tenant_id="default", channel_id=channel.id)
    ]
    await office.drain(channel)
    first, last = office.receiver.verify(channel.secret)
    assert [first["type"], last["type"]] == ["run.waiting", "run.ended"]
    assert first["data"]["query"] == "Which country first?"
    assert first["data"]["run_id"] == "r1"
    assert first["data"]["title"] == say("en", "alert-questions", n=1)
    assert last["data"]["status"] == "completed"


async def test_same_batch_again_sends_nothing_twice(office: Office) -> None:
    channel = await office.open()
    await office.run()
    events = [ask(1), end(2)]
    for _ in range(3):
        await office.record(*events)
        await office.drain(channel)
    assert len(office.receiver.got) == len({*office.receiver.ids}) == 2


async def test_alerts_keep_their_order_while_the_receiver_is_down(office: Office) -> None:
    """Down for half a second in place of ten minutes: the pause between attempts is shortened alike."""
    port = reserve_ports({"hook": 0})["hook"]
    channel = await office.open(target=f"http://127.0.0.1:{port}{Receiver().path}")
    await office.run()
    worker = office.worker(f"127.0.0.1:{port}")
    await office.record(*(ask(n) for n in range(1, 4)))
    sending = asyncio.create_task(office.drain(channel, worker))
    await asyncio.sleep(0.25)
    await office.record(end(9))
    await asyncio.sleep(0.25)
    waiting, tried = await office.log(channel), (await office.log(channel))[-1]
    assert [each.status for each in waiting] == ["queued"] * 4
    assert tried.attempts >= 2
    assert [each.attempts for each in waiting[:-1]] == [0, 0, 0]
    async with receiving(port) as receiver:
        await asyncio.wait_for(sending, 20)
        told = receiver.verify(channel.secret)
        assert [each["data"].get("checkpoint_id") for each in told] == ["c1", "c2", "c3", None]
        assert len(receiver.got) == 4
    assert [each.status for each in await office.log(channel)] == ["delivered"] * 4


async def test_each_attempt_is_signed_anew_under_the_same_id(office: Office) -> None:
    office.receiver.answers = [Response(status_code=500)]
    office.pause = timedelta(seconds=1.1)  # a signature counts whole seconds
    channel = await office.open()
    await office.run()
    await office.record(end(1))
    await office.turn(channel)
    await asyncio.sleep(office.pause.total_seconds())
    await office.drain(channel)
    first, second = office.receiver.got
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.headers["webhook-timestamp"] != second.headers["webhook-timestamp"]
    assert first.headers["webhook-signature"] != second.headers["webhook-signature"]
    Webhook(channel.secret).verify(first.body, first.headers)


async def test_worker_that_dies_before_the_record_sends_the_same_id(office: Office) -> None:
    channel = await office.open()
    await office.run()
    await office.record(end(1))
    office.receiver.seconds = 0.5
    dying = asyncio.create_task(office.turn(channel))
    await asyncio.sleep(0.3)
    dying.cancel()
    await asyncio.sleep(0.5)
    assert len(office.receiver.accepted) == 1
    await office.drain(channel)
    assert len(office.receiver.accepted) == 2
    assert len({*office.receiver.ids}) == 1


@pytest.mark.parametrize("status", [429, 503])
async def test_retry_after_is_heeded(office: Office, status: int) -> None:
    office.receiver.answers = [Response(status_code=status, headers={"Retry-After": "120"})]
    channel = await office.open()
    await office.run()
    await office.record(end(1))
    wait = (await office.turn(channel)).wait_seconds
    assert wait is not None
    assert 100 < wait <= 120
    assert len(office.receiver.got) == 1


async def test_410_disables_the_channel_until_its_user_enables_it(office: Office) -> None:
    office.receiver.answers = [Response(status_code=410)]
    channel = await office.open()
    await office.run()
    await office.record(ask(1), ask(2))
    await office.drain(channel)
    shown = await office.channels.get(ANA, channel.id)
    assert shown.disabled == Notice.of("channel-gone")
    assert len(office.receiver.got) == 1
    await office.channels.change(ANA, channel.id, ChannelBody(kind="webhook", target="http://x"))
    await office.drain(channel)
    assert [each.status for each in await office.log(channel)] == ["delivered", "failed"]


async def test_redirect_is_a_failure_and_never_followed(office: Office) -> None:
    office.receiver.answers = [RedirectResponse("http://169.254.169.254/latest/meta-data")]
    office.pause = timedelta(minutes=1)
    channel = await office.open()
    await office.run()
    await office.record(end(1))
    await office.turn(channel)
    [tried] = await office.log(channel)
    assert (tried.status, tried.attempts) == ("queued", 1)
    assert tried.failure == Notice.of("fetch-status", host="127.0.0.1", status=307)
    assert len(office.receiver.got) == 1


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "169.254.169.254", "[::1]", "2130706433", "10.0.0.1"]
)
async def test_private_address_is_refused(office: Office, host: str) -> None:
    channel = await office.open(
        target=f"http://{host}:{office.receiver.port}{office.receiver.path}"
    )
    await office.run()
    await office.record(end(1))
    await office.drain(channel, office.worker("127.0.0.1:1"))
    [refused] = await office.log(channel)
    assert refused.status == "failed"
    assert refused.failure
    assert refused.failure.code == "alert-host-private"
    assert not office.receiver.got


async def test_slow_receiver_is_given_up_and_tried_again(office: Office) -> None:
    office.receiver.seconds = 1
    channel = await office.open()
    await office.run()
    await office.record(end(1))
    await office.turn(channel, office.worker(seconds=0.2))
    [tried] = await office.log(channel)
    assert tried.failure == Notice.of("fetch-late", host="127.0.0.1", seconds=0.2)
    office.receiver.seconds = 0
    await asyncio.sleep(0.1)
    await office.drain(channel)
    assert [each.status for each in await office.log(channel)] == ["delivered"]


async def test_alert_that_fails_for_days_stays_in_the_log_and_is_replayed(office: Office) -> None:
    office.receiver.answers = [Response(status_code=500)] * 2
    office.patience = timedelta(0)
    channel = await office.open()
    await office.run()
    await office.record(ask(1), ask(2))
    await office.drain(channel)
    second, first = await office.log(channel)
    assert (first.status, second.status) == ("failed", "failed")
    await office.alerts.replay(ANA, channel.id, first.id)
    await office.drain(channel)
    assert office.receiver.ids == [first.id]
    assert [each.status for each in await office.log(channel)] == ["failed", "delivered"]


async def test_deadline_is_announced_while_its_checkpoint_is_open(office: Office) -> None:
    channel = await office.open(events=["run.deadline_near"])
    await office.run()
    near = [ask(n, deadline=70, opened_at=-400) for n in (1, 2)]
    still = near[0].payload | {"deadline": near[0].payload["deadline"]}
    await office.record(*near, snapshot={"phases": [], "pending": [still]})
    await office.drain(channel)
    [told] = office.receiver.verify(channel.secret)
    assert (told["type"], told["data"]["checkpoint_id"]) == ("run.deadline_near", "c1")
    assert sorted(each.status for each in await office.log(channel)) == ["delivered", "lapsed"]


async def test_postponed_deadline_is_announced_later(office: Office) -> None:
    channel = await office.open(events=["run.deadline_near"])
    await office.run()
    asked = ask(1, deadline=70, opened_at=-400)
    later = asked.payload | {"deadline": at(1_000)}
    await office.record(asked, snapshot={"phases": [], "pending": [later]})
    wait = (await office.turn(channel)).wait_seconds
    assert wait is not None
    assert 800 < wait < 1_000
    assert not office.receiver.got


async def test_only_chosen_events_of_ones_own_runs_are_sent(office: Office) -> None:
    channel = await office.open(events=["run.failed"])
    await office.run("mine")
    await office.runs.create(started("other", user_id="ben"), opened())
    await office.runs.create(started("far", user_id="ana", tenant_id="acme"), opened())
    await office.record(end(1), end(2, "failed"), run_id="mine")
    await office.record(end(1, "failed"), run_id="other")
    await office.runs.record(
        batch("far", 1, tenant_id="acme", events=[end(1, "failed")]),
        list_alerts("acme", "far", [end(1, "failed")]),
    )
    await office.drain(channel)
    assert [each["data"]["run_id"] for each in office.receiver.verify(channel.secret)] == ["mine"]


async def test_removed_run_takes_its_alerts_along(office: Office) -> None:
    channel = await office.open()
    await office.run()
    await office.record(end(1))
    await fetch_as_owner(office.pool, "DELETE FROM runs WHERE id = 'r1'")
    await office.drain(channel)
    assert not office.receiver.got
    assert not await office.log(channel)


async def test_chats_get_the_form_that_they_take(office: Office) -> None:
    await office.run(query="Which <!channel> & country?")
    forms = {}
    for kind in ("slack", "teams", "ntfy"):
        target = office.receiver.url if kind != "ntfy" else f"{office.receiver.url}/my-topic"
        channel = await office.open(kind=kind, target=target, language="de")
        await office.record(end(1, "failed"))
        await office.drain(channel)
        got = office.receiver.accepted[-1]
        assert "webhook-id" not in got.headers
        forms[kind] = json.loads(got.body)
    title, run = say("de", "alert-failed"), "https://greenlight.example/runs/r1"
    section, actions = forms["slack"]["blocks"]
    assert "&lt;!channel&gt; &amp; country" in section["text"]["text"]
    assert actions["elements"][0]["url"] == run
    card = forms["teams"]["attachments"][0]["content"]
    first, query = card["body"][:2]
    assert first["text"] == title
    assert query["inlines"] == [{"type": "TextRun", "text": "Which <!channel> & country?"}]
    assert card["actions"][0]["url"] == run
    assert forms["ntfy"] | {"topic": "my-topic", "title": title, "click": run} == forms["ntfy"]


@dataclass
class Mailbox:
    """Keeps the mails that a server took, or refuses whom they are for."""

    port: int
    mails: list[Envelope] = field(default_factory=list)
    refuses: bool = False

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's own name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.refuses:
            return "550 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        self.mails.append(envelope)
        return "250 OK"


@asynccontextmanager
async def mailbox(host: str = "127.0.0.1") -> AsyncIterator[Mailbox]:
    port = reserve_ports({"mail": 0})["mail"]
    box = Mailbox(port)
    controller = Controller(box, hostname=host, port=port)
    await asyncio.to_thread(controller.start)
    yield box
    await asyncio.to_thread(controller.stop)


async def test_mail_has_the_same_message_id_at_each_attempt(office: Office) -> None:
    async with mailbox() as box:
        office.mail_server = f"smtp://127.0.0.1:{box.port}"
        channel = await office.open(kind="email", target="ana@example.org")
        await office.run()
        await office.record(end(1))
        box.refuses = True
        await office.turn(channel)
        [tried] = await office.log(channel)
        assert tried.failure == Notice.of("mail-recipient-refused", address="ana@example.org")
        box.refuses = False
        await asyncio.sleep(0.1)
        await office.drain(channel)
        [got] = box.mails
    assert got.rcpt_tos == ["ana@example.org"]
    assert isinstance(got.content, bytes)
    assert f"Message-ID: <{tried.id}@greenlight>".encode() in got.content
    assert b"https://greenlight.example/runs/r1" in got.content


async def test_mail_is_never_sent_in_clear_to_another_machine(office: Office) -> None:
    """A server of another name that offers no STARTTLS gets nothing."""
    async with mailbox("127.0.0.2") as box:
        mail = EmailMessage()
        mail["From"], mail["To"] = "a@example.org", "b@example.org"
        sender = MailSender(f"smtp://127.0.0.2:{box.port}", "a@example.org", 2)
        outcome = await sender.send(mail)
        assert outcome.failure
        assert outcome.failure.code == "mail-failed"
        assert not box.mails


async def test_mail_server_that_is_away_is_tried_again(office: Office) -> None:
    office.mail_server = "smtp://127.0.0.1:9"
    channel = await office.open(kind="email", target="ana@example.org")
    await office.run()
    await office.record(end(1))
    await office.turn(channel)
    [tried] = await office.log(channel)
    assert (tried.status, tried.attempts) == ("queued", 1)
    assert tried.failure
    assert tried.failure.code == "mail-failed"


async def test_scheduled_run_that_was_not_compared_says_why(office: Office) -> None:
    run = f"schedule-{'a' * 16}-2026-11-27T09:00:00Z"
    channel = await office.open()
    await office.run(run)
    await office.record(end(1), run_id=run)
    await office.drain(channel)
    [told] = office.receiver.verify(channel.secret)
    assert told["data"]["changes"]["uncompared"]["code"] == "alert-before-gone"
    assert "/compare/" not in "".join(told["data"]["links"])

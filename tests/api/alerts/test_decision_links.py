"""A decision link decides once, for its plan alone, as the user it was sent to; to look decides nothing."""

import re
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from playwright.async_api import async_playwright, expect
from temporalio.client import Client

from bench.page.browser import launch_browser
from contracts.human.decision_links import DecisionLink
from store.access.access_keys import KeyRepository
from store.postgres.pool import Pool
from tests.activities.alerts.receiver import Receiver
from tests.api.access.identities.test_keys import Users
from tests.api.conftest import site_over
from tests.conftest import Postgres
from tests.support.words import de, en, phrase

ALONE = {"id": "alone", "phases": [{"kind": "planning"}, {"kind": "hitl_checkpoint"}]}
APPROVERS = {"of": ["ben", "cy"], "needed": 2}
TOGETHER = {
    "id": "together",
    "phases": [
        {"kind": "planning"},
        {"kind": "hitl_checkpoint", "config": {"approvers": APPROVERS}},
    ],
}


@dataclass
class Office:
    """Users with keys and channels, and the links that they were sent."""

    users: Users
    receiver: Receiver
    channels: dict[str, dict[str, Any]]

    @property
    def http(self) -> httpx.AsyncClient:
        return self.users.site.http

    async def start(self, definition: str = "alone") -> str:
        body = {"query": "Where to sell <b>pumps</b>?"}
        started = await self.users("ana", f"/v1/workflows/{definition}/run", body)
        run: str = started.json()["links"]["self"]
        return run

    async def state(self, run: str, wait: int = 0) -> dict[str, Any]:
        found: dict[str, Any] = (await self.users("ana", f"{run}/state?wait={wait}")).json()
        return found

    async def get_links(self, run: str, *users: str) -> list[str]:
        """Return the path of each user's link, once all were sent."""
        while not all(found := [self.list_links(run, user) for user in users]):
            await self.receiver.until(accepted=len(self.receiver.accepted) + 1)
        return [links[-1] for links in found]

    def list_links(self, run: str, user: str) -> list[str]:
        told = [r for r in self.receiver.accepted if r.path == f"{self.receiver.path}/{user}"]
        texts = [r.body.decode() for r in told if run.rpartition("/")[2] in r.body.decode()]
        return [link for text in texts for link in re.findall(r"/decide/[\w.-]+", text)]


@pytest.fixture(scope="module")
async def office(
    postgres: Postgres,
    template: str,
    temporal: Client,
    tmp_path_factory: pytest.TempPathFactory,
    receiver: Receiver,
) -> AsyncIterator[Office]:
    database = await postgres.database(template)
    allow, folder = [receiver.address], tmp_path_factory.mktemp("blobs")
    async with (
        site_over(database, temporal, folder, greenlight_alert_allow=allow) as site,
        Pool(database, max_size=1) as pool,
    ):
        made = Office(Users(site, KeyRepository(pool)), receiver, {})
        for user in ("ana", "ben", "cy"):
            await made.users.add(user)
            body = {"kind": "webhook", "target": f"{receiver.url}/{user}"}
            body |= {"events": ["run.waiting"]}  # type: ignore[dict-item]
            channel = await made.users(user, "/v1/channels", body)
            made.channels[user] = channel.json()
        for definition in (ALONE, TOGETHER):
            (await made.users("ana", "/v1/workflows", definition)).raise_for_status()
        yield made


def read(answer: httpx.Response, status: int, code: str) -> str:
    assert answer.status_code == status, answer.text
    assert phrase(code) in answer.text
    return answer.text


async def test_link_shows_plan_and_price_and_decides_once(office: Office) -> None:
    run = await office.start()
    [link] = await office.get_links(run, "ana")
    before = await office.state(run)
    for method in ("HEAD", "OPTIONS", "GET"):
        await office.http.request(method, link)
    looked = await office.http.get(link)
    shown = read(looked, 200, "decide-as")
    assert looked.headers["cache-control"] == "no-store"
    assert "script" not in shown
    assert "&lt;b&gt;pumps&lt;/b&gt;" in shown
    plan = before["pending"][0]["subject"]["plan"]
    assert plan["title"] in shown
    assert en("plan-price") in shown
    assert (await office.state(run))["pending"] == before["pending"]
    read(await office.http.post(f"{link}/approve"), 200, "decide-approved")
    after = await office.state(run, wait=20)
    [decision] = after["decisions"]
    assert (decision["action"], decision["by"], decision["by_link"]) == ("approve", "ana", True)
    assert decision["plan_hash"] == before["pending"][0]["plan_hash"]
    assert after["status"] == "completed"
    for again in (office.http.post(f"{link}/approve"), office.http.post(f"{link}/reject")):
        read(await again, 409, "decide-link-used")
    assert (await office.state(run))["decisions"] == after["decisions"]


@pytest.mark.full
async def test_link_rejects(office: Office) -> None:
    run = await office.start()
    [link] = await office.get_links(run, "ana")
    read(await office.http.post(f"{link}/reject"), 200, "decide-rejected")
    after = await office.state(run, wait=20)
    assert (after["status"], after["decisions"][0]["by_link"]) == ("rejected", True)


async def test_decision_by_the_page_says_that_no_link_was_used(office: Office) -> None:
    run = await office.start()
    [link] = await office.get_links(run, "ana")
    body = {"action": "approve", "plan_hash": (await office.state(run))["plan_hash"]}
    forged = await office.users("ana", f"{run}/decision", body | {"by_link": True})
    assert forged.status_code == 422
    done = (await office.users("ana", f"{run}/decision?wait=20", body)).json()
    assert done["decisions"][0]["by_link"] is False
    read(await office.http.get(link), 409, "decide-link-closed")
    read(await office.http.post(f"{link}/reject"), 409, "decide-link-closed")


async def test_forwarded_link_votes_as_its_user_and_only_approvers_have_one(office: Office) -> None:
    run = await office.start("together")
    ben, cy = await office.get_links(run, "ben", "cy")
    assert not office.list_links(run, "ana")
    read(await office.http.post(f"{ben}/approve"), 200, "decide-approved")
    [vote] = (await office.state(run))["pending"][0]["poll"]["votes"]
    assert (vote["by"], vote["by_link"]) == ("ben", True)
    read(await office.http.post(f"{ben}/approve"), 409, "decide-link-used")
    read(await office.http.post(f"{cy}/approve"), 200, "decide-approved")
    after = await office.state(run, wait=20)
    assert (after["status"], after["decisions"][0]["by"]) == ("completed", "ben, cy")


async def test_link_of_a_plan_that_was_changed_is_refused(office: Office) -> None:
    run = await office.start("together")
    ben, cy = await office.get_links(run, "ben", "cy")
    shown = (await office.state(run))["pending"][0]["plan_hash"]
    change = {"action": "modify", "plan_hash": shown, "modifications": {"goal": "Another goal."}}
    changed = await office.users("ben", f"{run}/decision", change)
    assert changed.json()["pending"][0]["plan_hash"] != shown
    for answer in (
        office.http.get(cy),
        office.http.post(f"{cy}/approve"),
        office.http.post(f"{ben}/reject"),
    ):
        read(await answer, 409, "decide-link-stale")
    assert len((await office.state(run))["pending"][0]["poll"]["votes"]) == 1
    await office.users("ana", f"{run}/cancel", {})


@pytest.mark.full
async def test_link_of_a_cancelled_run_is_refused(office: Office) -> None:
    run = await office.start()
    [link] = await office.get_links(run, "ana")
    await office.users("ana", f"{run}/cancel?wait=20", {})
    read(await office.http.get(link), 409, "decide-link-closed")
    read(await office.http.post(f"{link}/approve"), 409, "decide-link-closed")
    assert not (await office.state(run))["decisions"]


@pytest.mark.parametrize("step", [17, pytest.param(3, marks=pytest.mark.full)])
async def test_changed_expired_and_foreign_tokens_are_refused(office: Office, step: int) -> None:
    run = await office.start()
    [link] = await office.get_links(run, "ana")
    other = await office.start()
    token = link.removeprefix("/decide/")
    links = office.users.site.services.alerting.links
    good = links.open(token)
    for place in range(0, len(token), step):
        letter = "A" if token[place] != "A" else "B"
        changed = f"{token[:place]}{letter}{token[place + 1 :]}"
        if changed.rstrip("=") != token:
            answer = await office.http.post(f"/decide/{changed}/approve")
            assert answer.status_code == 404, (place, answer.text)
    for odd in ("x", "x.y", f"{token}.{token}", token.partition(".")[0]):
        read(await office.http.post(f"/decide/{odd}/approve"), 404, "decide-link-unknown")
    late = links.sign(good.model_copy(update={"expires_at": int(time.time()) - 1}))
    read(await office.http.post(f"/decide/{late}/approve"), 409, "decide-link-expired")
    strange = links.sign(
        DecisionLink(**dict(good) | {"run_id": other.rpartition("/")[2], "plan_hash": "0" * 64})
    )
    answer = await office.http.post(f"/decide/{strange}/approve")
    assert answer.status_code == 409, answer.text
    for each in (run, other):
        assert not (await office.state(each))["decisions"]
        await office.users("ana", f"{each}/cancel", {})


async def test_foreign_page_cannot_post_a_link(office: Office) -> None:
    run = await office.start()
    [link] = await office.get_links(run, "ana")
    for origin in ("https://evil.example", "null"):
        sent = await office.http.post(f"{link}/approve", headers={"Origin": origin})
        assert sent.status_code == 403, sent.text
    assert not (await office.state(run))["decisions"]
    await office.users("ana", f"{run}/cancel", {})


async def test_browser_decides_by_the_button_and_nobody_is_signed_in(office: Office) -> None:
    run = await office.start()
    [link] = await office.get_links(run, "ana")
    async with async_playwright() as playwright:
        browser = await launch_browser(playwright)
        page = await browser.new_page(locale="de-DE", viewport={"width": 390, "height": 844})
        await page.goto(f"{office.http.base_url}{link}")
        assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") == 0
        button = page.get_by_role("button", name=de("decide-approve"))
        await expect(button).to_be_visible()
        await button.click()
        await expect(page.get_by_role("heading", level=1)).to_contain_text(
            de("decide-approved", user="ana")
        )
        await browser.close()
    assert (await office.state(run, wait=20))["decisions"][0]["by"] == "ana"


async def test_link_ends_with_its_key_and_its_channel(office: Office) -> None:
    """The last test: it takes ana's key."""
    run = await office.start()
    [ana] = await office.get_links(run, "ana")
    joint = await office.start("together")
    [ben] = await office.get_links(joint, "ben")
    await office.users.site.http.delete(
        f"/v1/channels/{office.channels['ben']['id']}",
        headers={"Authorization": f"Bearer {office.users.tokens['ben']}"},
    )
    read(await office.http.post(f"{ben}/approve"), 403, "decide-link-void")
    await office.users.keys.revoke(office.users.ids["ana"].principal, office.users.ids["ana"].id)
    read(await office.http.get(ana), 403, "decide-link-void")
    read(await office.http.post(f"{ana}/approve"), 403, "decide-link-void")

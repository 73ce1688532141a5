"""Signing in, in the browser, where the gateway asks for keys."""

from collections.abc import AsyncIterator
from contextlib import suppress

import httpx
import pytest
from playwright.async_api import Page, Route, expect
from playwright.async_api import TimeoutError as TookTooLong

from contracts.access.principal import ApiKey, Principal
from store.access.access_keys import KeyRepository
from store.postgres.pool import Pool
from tests.page.conftest import Visitor, find_barriers, measure_overflow
from tests.page.words import like, t
from tests.support.databases import fetch_as_owner
from tests.support.stack import Whole

ANA = Principal(user_id="ana", role="finance")


@pytest.fixture
async def keys(whole: Whole) -> AsyncIterator[KeyRepository]:
    """The keys; from the first one on everybody needs one, until they are gone at the end."""
    async with Pool(whole.stack.addresses.database, max_size=1) as pool:
        yield KeyRepository(pool)
        await fetch_as_owner(pool, "DELETE FROM api_keys")


@pytest.fixture
async def key(keys: KeyRepository) -> tuple[ApiKey, str]:
    return await keys.create(ANA)


async def test_a_key_becomes_a_session_which_ends_with_it(
    visitor: Visitor, whole: Whole, keys: KeyRepository, key: tuple[ApiKey, str]
) -> None:
    made, token = key
    page = await visitor.open("/settings")
    assert await find_barriers(page) == []
    await page.get_by_label(t("session.key")).fill("gl_wrong")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("alert")).to_contain_text(t("sign-in-unknown"))
    await page.get_by_label(t("session.key")).fill(token)
    await page.keyboard.press("Enter")
    await expect(
        page.get_by_text(t("settings.account.user.role", user="ana", role="finance"))
    ).to_be_visible()
    kept = await page.evaluate(
        "JSON.stringify({...localStorage, ...sessionStorage}) + document.cookie"
    )
    assert token not in kept
    assert "greenlight_session" not in kept

    await page.get_by_role("link", name=t("nav.ask"), exact=True).click()
    await page.get_by_label(t("ask.question")).fill("What do Peru and Chile export?")
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name=t("clarify.skip"), exact=True).wait_for()
    whole.run(page.url.rpartition("/")[2])
    [question] = [page.get_by_role("textbox").first]
    await question.fill("since 2020")

    await keys.revoke(ANA, made.id)
    with suppress(TookTooLong):  # the page may have noticed by itself, and be at its sign-in
        await page.get_by_role("button", name=t("clarify.submit"), exact=True).click(timeout=3_000)
    await expect(page.get_by_role("heading", level=1)).to_have_text(t("session.title"))
    _, fresh = await keys.create(ANA)
    await page.get_by_label(t("session.key")).fill(fresh)
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("textbox").first).to_have_value("since 2020")
    await page.get_by_role("button", name=t("clarify.submit"), exact=True).click()
    await expect(page.get_by_text(t("ask-after_planning"))).to_be_visible()
    visitor.excuse("401")


async def make_agents_key(page: Page, former: str) -> None:
    """Make a key that decides nothing, and find it in the list as such."""
    await page.get_by_role("button", name=t("settings.keys.create.ask")).click()
    await expect(page.locator(".token")).not_to_have_text(former)
    token = await page.locator(".token").inner_text()
    await expect(page.locator(".keys li", has_text=token[:9])).to_contain_text(
        t("settings.keys.ask")
    )


@pytest.mark.full
async def test_keys_are_made_and_revoked_and_one_signs_out(
    visitor: Visitor, key: tuple[ApiKey, str]
) -> None:
    page = await visitor.open("/settings")
    await page.get_by_label(t("session.key")).fill(key[1])
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name=t("settings.keys.create")).click()
    token = await page.locator(".token").inner_text()
    assert token.startswith("gl_")
    await page.get_by_role("button", name=t("settings.keys.revoke.one", key=token[:9])).click()
    await expect(page.locator(".keys li", has_text=token[:9])).to_contain_text(
        t("settings.keys.revoked")
    )
    await make_agents_key(page, token)
    assert await find_barriers(page) == []
    assert await measure_overflow(page) <= 0
    written = ("What do Peru and Chile export?", "Exports of two countries")
    await page.get_by_role("link", name=t("nav.ask"), exact=True).click()
    await page.get_by_label(t("ask.question")).fill(written[0])
    await page.get_by_role("button", name=t("nav.more")).click()
    await page.get_by_role("link", name=t("nav.settings"), exact=True).click()
    asking, composing = await visitor.open("/"), await visitor.open("/compose?from=")
    await asking.get_by_label(t("ask.question")).fill(written[0])
    await composing.get_by_label(t("compose.title"), exact=True).fill(written[1])
    keeping = "JSON.stringify({...localStorage, ...sessionStorage})"
    for tab, words in ((page, written[0]), (asking, written[0]), (composing, written[1])):
        assert words in await tab.evaluate(keeping)
    await page.get_by_role("button", name=t("session.leave")).click()
    for tab in (page, asking, composing):  # what was written is of the session, in every tab
        await expect(tab.get_by_role("heading", level=1)).to_have_text(t("session.title"))
        await expect(tab.get_by_text(t("session.over"))).to_have_count(0)
        kept = await tab.evaluate(keeping)
        assert not [words for words in written if words in kept]
    await page.reload()
    await expect(page.get_by_role("heading", level=1)).to_have_text(t("session.title"))
    assert await measure_overflow(page) <= 0
    visitor.excuse("401")


@pytest.mark.full
async def test_key_shows_its_scope_and_when_it_ends(visitor: Visitor, keys: KeyRepository) -> None:
    _, token = await keys.create(ANA.model_copy(update={"scope": "admin"}), days=30)
    page = await visitor.open("/settings")
    await expect(page.get_by_role("main")).to_contain_text(t("settings.account.command"))
    await page.get_by_label(t("session.key")).fill(token)
    await page.keyboard.press("Enter")
    shown = page.locator(".keys li", has_text=t("settings.keys.admin"))
    await expect(shown).to_contain_text(like("share.until"))
    visitor.excuse("401")


@pytest.mark.full
async def test_nobody_finds_what_another_one_wrote_whatever_fails_as_they_enter(
    visitor: Visitor, keys: KeyRepository, key: tuple[ApiKey, str]
) -> None:
    made, token = key
    page = await visitor.open("/")
    await page.get_by_label(t("session.key")).fill(token)
    await page.keyboard.press("Enter")
    await page.get_by_label(t("ask.question")).fill("What does ana want to know?")
    await keys.revoke(ANA, made.id)
    await page.reload()
    await expect(page.get_by_text(t("session.over"))).to_be_visible()
    _, other = await keys.create(Principal(user_id="ben"))

    async def answer_but_reads(route: Route) -> None:
        await (route.abort() if route.request.method == "GET" else route.continue_())

    await page.route("**/v1/session", answer_but_reads)
    await page.get_by_label(t("session.key")).fill(other)
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("alert")).to_contain_text(t("problem.unreachable"))
    await expect(page.get_by_label(t("ask.question"))).to_have_count(0)
    await page.unroute("**/v1/session")
    await page.reload()
    await expect(page.get_by_label(t("ask.question"))).to_have_value("")
    await page.get_by_role("link", name=t("nav.settings"), exact=True).click()
    await expect(page.get_by_text(t("settings.account.user", user="ben"))).to_be_visible()
    visitor.excuse("401")
    visitor.excuse("ERR_FAILED")


@pytest.mark.full
async def test_approvers_see_who_has_decided_and_vote(
    visitor: Visitor, whole: Whole, keys: KeyRepository
) -> None:
    tokens = {
        user: (await keys.create(Principal(user_id=user)))[1] for user in ("ana", "ben", "cy")
    }
    approvers = {"of": ["ben", "cy"], "needed": 2}
    body = {
        "id": "pair",
        "phases": [
            {"kind": "planning"},
            {"kind": "hitl_checkpoint", "config": {"approvers": approvers}},
        ],
    }
    headers = {"Authorization": f"Bearer {tokens['ana']}"}
    at = whole.stack.addresses.gateway
    async with httpx.AsyncClient(base_url=at, headers=headers, timeout=70, trust_env=False) as ana:
        (await ana.post("/v1/workflows", json=body)).raise_for_status()
        start = {"query": "What do Peru and Chile export?"}
        run = (await ana.post("/v1/workflows/pair/run", json=start)).json()["run_id"]
        (await ana.get(f"/v1/runs/{run}/state", params={"wait": 30})).raise_for_status()
        page = await visitor.open(f"/runs/{whole.run(run).id}")
        await page.get_by_label(t("session.key")).fill(tokens["ben"])
        await page.keyboard.press("Enter")
        votes = page.locator(".approvers")
        await expect(votes).to_contain_text(t("approve.missing", n=2, needed=2))
        await page.get_by_role("button", name=t("approve.plan.approve"), exact=True).click()
        await expect(votes).to_contain_text(f"ben {t('approve.voted.yes')}")
        await expect(votes).to_contain_text(f"cy {t('approve.voted.open')}")
        await expect(votes).to_contain_text(t("approve.missing", n=1, needed=2))
        gone = await ana.delete("/v1/workflows/pair", params={"force": True})
        assert gone.is_success, gone.text
    visitor.excuse("401")

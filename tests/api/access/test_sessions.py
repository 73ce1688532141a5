"""A browser's session: made from a key, as good as it, and of no use to another site."""

import time

from api.sessions import COOKIE, HEADER, LIFETIME, SessionSigner
from contracts.principal import ApiKey, Principal
from store.keys import KeyRepository
from tests.api.conftest import Site

PAGE = {HEADER: "1"}
ANA = Principal(user_id="ana")


async def signed_in(site: Site, token: str) -> str:
    """Return the cookie that a key is exchanged for."""
    answer = await site.http.post("/v1/session", json={"key": token})
    assert answer.status_code == 204, answer.text
    told = answer.headers["set-cookie"]
    assert "HttpOnly" in told
    assert "SameSite=strict" in told
    assert token not in told
    site.http.cookies.clear()
    return told.partition(";")[0]


async def test_a_session_is_its_keys_user_until_the_key_is_revoked(
    site: Site, keys: KeyRepository
) -> None:
    key, token = await keys.create(ANA)
    cookie = {"Cookie": await signed_in(site, token)}
    told = await site.http.get("/v1/session", headers=cookie)
    assert told.json() == {"user_id": "ana", "role": ""}
    refused = await site.http.post("/v1/session", json={"key": "gl_wrong"})
    assert refused.status_code == 401
    await keys.revoke(ANA, key.id)
    assert (await site.http.get("/v1/session", headers=cookie)).status_code == 401
    assert (await site.http.get("/v1/runs", headers=cookie)).status_code == 401


async def test_a_sessions_change_needs_the_pages_header(site: Site, keys: KeyRepository) -> None:
    _, token = await keys.create(ANA)
    cookie = {"Cookie": await signed_in(site, token)}
    body = {"query": "Where to sell pumps?"}
    path = "/v1/workflows/deep_research/run"
    refused = await site.http.post(path, json=body, headers=cookie)
    assert (refused.status_code, refused.json()["type"]) == (403, "not-allowed")
    assert HEADER in refused.json()["detail"]
    taken = await site.http.post(path, json=body, headers={**cookie, **PAGE})
    assert taken.status_code == 202


async def test_a_user_makes_and_revokes_keys_of_their_own_alone(
    site: Site, keys: KeyRepository
) -> None:
    _, token = await keys.create(ANA)
    other, _ = await keys.create(Principal(user_id="ben"))
    headers = {"Authorization": f"Bearer {token}"}
    made = (await site.http.post("/v1/keys", headers=headers)).json()
    assert (made["user_id"], made["token"][:3]) == ("ana", "gl_")
    listed = (await site.http.get("/v1/keys", headers=headers)).json()["items"]
    assert {key["user_id"] for key in listed} == {"ana"}
    assert not any("token" in key for key in listed)
    refused = await site.http.delete(f"/v1/keys/{other.id}", headers=headers)
    assert refused.status_code == 404
    assert (await site.http.delete(f"/v1/keys/{made['id']}", headers=headers)).status_code == 204
    again = {"Authorization": f"Bearer {made['token']}"}
    assert (await site.http.get("/v1/session", headers=again)).status_code == 401


def test_a_cookie_of_another_secret_or_past_its_time_is_nobodys() -> None:
    key = ApiKey(
        id="key-1",
        tenant_id="default",
        user_id="ana",
        role="",
        prefix="gl_abc",
        created_at="",
        revoked_at=None,
        last_used_at=None,
    )
    signer, now = SessionSigner("one"), time.time()
    cookie = signer.issue(key, now)
    assert signer.read(cookie, now) == "key-1"
    assert signer.read(cookie, now + LIFETIME.total_seconds() + 1) == ""
    assert SessionSigner("two").read(cookie, now) == ""
    assert SessionSigner("").read(cookie, now) == ""
    for broken in ("", "é.1.é", "key-1", f"key-2{cookie[5:]}", cookie[:-1], "..", f"{COOKIE}"):
        assert signer.read(broken, now) == ""

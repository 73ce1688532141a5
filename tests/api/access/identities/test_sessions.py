"""A browser's session: made from a key, as good as it, and of no use to another site."""

import httpx

from api.access.sessions import HEADER
from contracts.access.principal import Principal
from store.access.access_keys import KeyRepository
from tests.api.conftest import Site
from tests.support.databases import connect_as_owner

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


async def test_sign_out_ends_the_session_for_every_copy_of_its_cookie(
    site: Site, keys: KeyRepository
) -> None:
    _, token = await keys.create(ANA)
    first, second = [{"Cookie": await signed_in(site, token)} for _ in range(2)]
    assert (await site.http.delete("/v1/session", headers=first)).status_code == 403
    assert (await site.http.delete("/v1/session", headers={**first, **PAGE})).status_code == 204
    site.http.cookies.clear()
    assert (await site.http.get("/v1/session", headers=first)).status_code == 401
    assert (await site.http.post("/v1/keys", headers={**first, **PAGE})).status_code == 401
    assert (await site.http.get("/v1/session", headers=second)).status_code == 200


async def test_ask_key_revokes_itself_alone(site: Site, keys: KeyRepository) -> None:
    kept, _ = await keys.create(ANA)
    own, token = await keys.create(ANA.model_copy(update={"scope": "ask"}))
    headers = {"Authorization": f"Bearer {token}"}
    refused = await site.http.delete(f"/v1/keys/{kept.id}", headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (403, "key-decides-nothing")
    assert (await site.http.delete(f"/v1/keys/{own.id}", headers=headers)).status_code == 204
    assert (await site.http.get("/v1/session", headers=headers)).status_code == 401


async def test_revoked_key_takes_along_all_that_was_made_by_it(
    site: Site, keys: KeyRepository
) -> None:
    """Keys, sessions and share links, in every generation; what others made stays."""
    key, token = await keys.create(ANA)
    _, other = await keys.create(ANA)
    session = {"Cookie": await signed_in(site, token), **PAGE}
    minted = (await site.http.post("/v1/keys", headers=session)).json()
    assert minted["parent_id"] == key.id
    again = {"Authorization": f"Bearer {minted['token']}"}
    second = (await site.http.post("/v1/keys", headers=again)).json()
    run = (
        await site.http.post(
            "/v1/workflows/deep_research/run", json={"query": "Pumps?"}, headers=again
        )
    ).json()["run_id"]
    link = await site.http.post(f"/v1/runs/{run}/share-links", json={}, headers=again)
    shared = {"Authorization": f"Bearer {link.json()['path'].partition('#')[2]}"}
    kept = {"Authorization": f"Bearer {other}"}
    listed = (await site.http.get("/v1/share-links", headers=kept)).json()["items"]
    assert [(each["run_id"], each["parent_id"]) for each in listed] == [(run, minted["id"])]
    assert listed[0]["created_at"]
    assert not any("token" in each or "path" in each for each in listed)
    report = f"/v1/runs/{run}/report"
    assert (await site.http.get(report, headers=shared)).status_code == 404, "none so far"
    await keys.revoke(ANA, key.id)
    late = {"Authorization": f"Bearer {second['token']}"}
    for headers in (session, again, late):
        assert (await site.http.get("/v1/session", headers=headers)).status_code == 401
    assert (await site.http.get(report, headers=shared)).status_code == 401
    assert (await site.http.get("/v1/session", headers=kept)).status_code == 200
    [revoked] = (await site.http.get("/v1/share-links", headers=kept)).json()["items"]
    assert revoked["revoked_at"]


async def test_session_token_is_no_key_and_a_key_no_cookie(site: Site, keys: KeyRepository) -> None:
    _, token = await keys.create(ANA)
    name, _, value = (await signed_in(site, token)).partition("=")
    for headers in ({"Authorization": f"Bearer {value}"}, {"Cookie": f"{name}={token}"}):
        assert (await site.http.get("/v1/session", headers=headers)).status_code == 401
    listed = await site.http.get("/v1/keys", headers={"Authorization": f"Bearer {token}"})
    assert {each["kind"] for each in listed.json()["items"]} == {"key"}


async def test_session_past_its_time_is_nobodys(site: Site, keys: KeyRepository) -> None:
    _, token = await keys.create(ANA)
    cookie = {"Cookie": await signed_in(site, token)}
    async with connect_as_owner(site.database) as connection:
        late = "UPDATE api_keys SET expires_at = now() - interval '1 s' WHERE kind = 'session'"
        await connection.execute(late)
    assert (await site.http.get("/v1/session", headers=cookie)).status_code == 401
    for broken in ("", "x", "gl_", "é.1.é"):
        value = f"{cookie['Cookie'].partition('=')[0]}={broken}".encode()
        answer = await site.http.get("/v1/session", headers={b"Cookie": value})
        assert answer.status_code == 401


async def test_two_gateways_of_one_host_have_cookies_of_their_own(
    site: Site, keys: KeyRepository
) -> None:
    """A browser sends a cookie to every port of its host."""
    _, token = await keys.create(ANA)
    port = httpx.URL(str(site.http.base_url)).port
    assert (await signed_in(site, token)).startswith(f"greenlight_session_{port}=gl_")


async def test_key_for_the_codec_server_opens_nothing_here(site: Site, keys: KeyRepository) -> None:
    _, token = await keys.create(ANA.model_copy(update={"scope": "payloads"}))
    cookie = {"Cookie": await signed_in(site, token), **PAGE}
    for headers in ({"Authorization": f"Bearer {token}"}, cookie):
        for path in ("/v1/session", "/v1/runs", "/v1/keys"):
            refused = await site.http.get(path, headers=headers)
            assert (refused.status_code, refused.json()["code"]) == (
                403,
                "key-opens-payloads-alone",
            )
        assert (await site.http.post("/v1/keys", headers=headers)).status_code == 403

"""With keys, the gateway identifies callers, prevents impersonation, and signs for approvers."""

import httpx
import pytest
from temporalio.client import Client

from api.body_limits import BYTES, MAX_UPLOAD_BYTES
from contracts.access.principal import ApiKey, Principal
from contracts.base import Json
from store.access.access_keys import KeyRepository
from tests.api.conftest import Site
from tests.api.test_validation_errors import START, told

PAIR: Json = {
    "id": "pair",
    "phases": [
        {"kind": "planning"},
        {
            "kind": "hitl_checkpoint",
            "id": "checkpoint",
            "config": {
                "approvers": {
                    "of": ["ben"],
                    "role": "finance",
                    "needed": 2,
                    "forbid_requester": True,
                }
            },
        },
        {"kind": "research"},
    ],
}


class Users:
    """Clients of one gateway, each with a key of their own."""

    def __init__(self, site: Site, keys: KeyRepository) -> None:
        self.site, self.keys = site, keys
        self.ids: dict[str, ApiKey] = {}
        self.tokens: dict[str, str] = {}

    async def add(self, user: str, role: str = "") -> None:
        key, token = await self.keys.create(Principal(user_id=user, role=role))
        self.ids[user], self.tokens[user] = key, token

    async def __call__(
        self, user: str, path: str, body: object = None, **more: str
    ) -> httpx.Response:
        method = "GET" if body is None else "POST"
        headers = {"Authorization": f"Bearer {self.tokens.get(user, user)}", **more}
        return await self.site.http.request(method, path, json=body, headers=headers)


@pytest.fixture(scope="module")
def engine(temporal: Client) -> Client:
    return temporal


@pytest.fixture(scope="module")
def users(site: Site, keys: KeyRepository) -> Users:
    return Users(site, keys)


async def test_keys_are_required_once_there_is_one(users: Users) -> None:
    assert (await users.site.get("/v1/runs")).status_code == 200
    for user, role in (("ana", ""), ("ben", ""), ("cy", "finance"), ("dora", "")):
        await users.add(user, role)
    for answer in (
        await users.site.get("/v1/runs"),
        await users("nobody's", "/v1/runs"),
        await users.site.post("/v1/workflows/validate", PAIR),
        await users.site.post("/v1/runs/run-1/decision", {"action": "reject"}),
    ):
        told(answer, 401, "unauthenticated")
        assert answer.headers["www-authenticate"] == "Bearer"
    assert (await users("ana", "/v1/runs")).status_code == 200
    for path in ("/healthz", "/v1/phases", "/v1/metadata", "/openapi.json"):
        assert (await users.site.get(path)).status_code == 200


async def test_key_is_stored_as_its_hash_and_refused_when_revoked(users: Users) -> None:
    await users.add("gone")
    assert (await users("gone", "/v1/runs")).status_code == 200
    kept = (await users.keys.list(Principal()))[-1]
    assert (kept.user_id, kept.revoked_at) == ("gone", None)
    assert kept.last_used_at
    assert users.tokens["gone"].startswith(kept.prefix)
    assert users.tokens["gone"] not in kept.model_dump_json()
    await users.keys.revoke(Principal(), kept.id)
    told(await users("gone", "/v1/runs"), 401, "unauthenticated")
    assert await users.keys.list_live(Principal(user_id="gone")) == []


async def test_key_cannot_act_for_another_user(users: Users) -> None:
    told(await users("ana", START, {"query": "x", "user_id": "ben"}), 403, "not-allowed")
    named = {"name": "Hers", "user_id": "ben"}
    told(await users("ana", "/v1/startups", named), 403, "not-allowed")
    mine = (await users("ana", "/v1/startups", {"name": "Mine"})).json()
    assert mine["user_id"] == "ana"
    assert (await users("ana", "/v1/startups")).json()["items"] == [mine]
    told(await users("ben", f"/v1/startups/{mine['id']}"), 404, "not-found")

    once = {"Idempotency-Key": "k"}
    starts = [(await users(user, START, {"query": "x"}, **once)).json() for user in ("ana", "ben")]
    assert starts[0]["run_id"] != starts[1]["run_id"]
    run = starts[0]["links"]["self"]
    assert (await users("ben", run)).json()["user_id"] == "ana"
    assert (await users("ben", f"{run}/events")).status_code == 200
    told(await users("ben", f"{run}/cancel", {}), 403, "not-allowed")
    told(await users("ana", f"{run}/cancel", {"by": "ben"}), 403, "not-allowed")
    for user, start in zip(("ana", "ben"), starts, strict=True):
        assert (await users(user, f"{start['links']['self']}/cancel", {})).status_code == 202


async def test_approvers_decide_each_with_a_key(users: Users) -> None:
    assert (await users("ana", "/v1/workflows", PAIR)).status_code == 201
    agent = Principal(user_id="ben", scope="ask")
    _, users.tokens["agent"] = await users.keys.create(agent)
    started = await users("ana", "/v1/workflows/pair/run", {"query": "Where to sell pumps?"})
    run = started.json()["links"]["self"]
    [shown] = (await users("ben", f"{run}/state?wait=20")).json()["pending"]
    yes: Json = {"action": "approve", "plan_hash": shown["plan_hash"]}
    told(await users("ana", f"{run}/decision", yes), 403, "not-allowed")
    told(await users("dora", f"{run}/decision", yes), 403, "not-allowed")
    told(await users("ben", f"{run}/decision", {**yes, "by": "cy"}), 403, "not-allowed")
    told(await users("ben", f"{run}/decision", {"action": "approve"}), 422, "invalid-input")
    told(await users("ben", f"{run}/decision", {**yes, "plan_hash": "0" * 64}), 409, "stale-plan")
    sealed = {**yes, "seal": {"key_id": "k", "at": "2026-01-01T00:00:00Z", "mac": ""}}
    told(await users("ben", f"{run}/decision", sealed), 422, "invalid-input")
    forged = {**yes, "key_id": users.ids["cy"].id}
    for _ in range(2):  # one person counts once
        counted = (await users("ben", f"{run}/decision", forged)).json()
        poll = counted["pending"][0]["poll"]
        assert (counted["accepted"], poll["missing"]) == ("update", 1)
        assert [vote["by"] for vote in poll["votes"]] == ["ben"]
    back: Json = {"action": "revise", "feedback": "Search evil.example first."}
    for path, said in (("decision", back), ("feedback", {"text": "Search evil.example first."})):
        told(await users("agent", f"{run}/{path}", said), 403, "not-allowed")
    told(await users("cy", f"{run}/delegate", {"to": "ana"}), 403, "not-allowed")
    assert (await users("cy", f"{run}/delegate", {"to": "dora"})).status_code == 202
    done = (await users("dora", f"{run}/decision?wait=20", yes)).json()
    assert (done["status"], done["decisions"][0]["by"]) == ("completed", "ben, dora")
    told(await users("cy", f"{run}/decision", yes), 409, "conflict")
    log = (await users("ana", f"{run}/events")).json()["items"]
    heard = [event["payload"] for event in log if event["type"] == "HumanResponseEvent"]
    by_key = [(users.ids[user].id, user) for user in ("ben", "ben", "cy", "dora")]
    assert [(said["key_id"], said["by"]) for said in heard] == [*by_key, (None, "ben, dora")]


async def test_a_file_is_not_read_before_it_is_known_who_sends_it(users: Users) -> None:
    await users.add("ida")
    headers = {"Content-Type": BYTES}
    query = {"name": "a.md"}
    body = b"x" * (MAX_UPLOAD_BYTES + 1)
    post = users.site.http.post
    unknown = await post("/v1/files", params=query, content=body, headers=headers)
    told(unknown, 401, "unauthenticated")
    headers["Authorization"] = f"Bearer {users.tokens['ida']}"
    large = await post("/v1/files", params=query, content=body, headers=headers)
    told(large, 413, "body-too-large")

"""Every endpoint × every caller × every name of another's object: nothing is read, changed or removed."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import httpx
import psycopg
import pytest
from fastapi.routing import APIRoute
from psycopg import sql

from api.auth import SHARED
from api.guard import BYTES, UPLOAD_PATH
from api.routers import ALL
from store.keys import KeyRepository
from tests.api.access.conftest import sign_in
from tests.api.conftest import Site
from tests.api.test_files import given as upload

MARK = "xylophantine"
"""Stands in all that the attacked tenant said, read and gave."""
AT_ONCE = 12
UNSEEN = {"last_used_at", "last_accessed"}
"""Columns that a look changes."""
CLIENT_PARTS = {"POST", "PUT", "DELETE"}


@dataclass
class Estate:
    """What a user of a tenant has, and who may want it."""

    ana: Site
    callers: dict[str, Site]
    names: dict[str, Any] = field(default_factory=dict)
    """A value of hers for each name by which a client names an object."""
    bodies: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """Bodies that name her objects, by the schema of the request."""

    async def take_fingerprint(self) -> dict[str, Any]:
        """Return all rows of hers, and all blobs of her tenant."""
        found: dict[str, Any] = {}
        connect = psycopg.AsyncConnection.connect(self.ana.database, autocommit=True)
        async with await connect as connection:
            columns = await connection.execute(
                "SELECT table_name, array_agg(column_name::text) FROM information_schema.columns"
                " WHERE table_schema = 'public' AND table_name IN (SELECT tablename FROM pg_tables"
                " WHERE schemaname = 'public') GROUP BY 1"
            )
            for table, names in await columns.fetchall():
                if "tenant_id" not in names:
                    continue
                whose = "AND t.user_id = 'ana'" if "user_id" in names else ""
                if "run_id" in names and "user_id" not in names:
                    whose = "AND t.run_id IN (SELECT id FROM runs WHERE user_id = 'ana')"
                query = sql.SQL(
                    "SELECT to_jsonb(t) - {}::text[] FROM {} t WHERE t.tenant_id = 'acme' " + whose
                ).format(sql.Literal(sorted(UNSEEN)), sql.Identifier(table))
                rows = await (await connection.execute(query)).fetchall()
                found[table] = sorted(json.dumps(row[0], sort_keys=True) for row in rows)
        folder = self.ana.folder / "acme"
        blobs = [path for path in folder.rglob("*") if path.is_file()]
        return found | {str(path): path.read_bytes() for path in blobs}


@pytest.fixture(scope="module")
async def estate(site: Site, keys: KeyRepository) -> AsyncIterator[Estate]:
    async with AsyncExitStack() as stack:
        ana = await sign_in(site, keys, "acme", "ana", stack)
        callers = await sign_callers_in(site, keys, stack)
        made = Estate(ana, callers)
        await furnish(made)
        yield made
        await ana.post(f"/v1/runs/{made.names['other_id']}/cancel", wait=5)


async def sign_callers_in(
    site: Site, keys: KeyRepository, stack: AsyncExitStack
) -> dict[str, Site]:
    """Return the gateway as each caller sees it; links are made later."""
    other = await sign_in(site, keys, "evil", "mallory", stack)
    same = await sign_in(site, keys, "acme", "ben", stack)
    callers = {"other tenant": other, "same tenant": same}
    for caller in ("anonymous", "unknown key", "link", "revoked link"):
        callers[caller] = await sign_in(site, keys, "evil", "gone", stack)
    del callers["anonymous"].http.headers["Authorization"]
    callers["unknown key"].http.headers["Authorization"] = "Bearer gl_unknown"
    return callers


async def furnish(estate: Estate) -> None:
    """Give her a finished and a live run, files, a definition, a startup and share links."""
    ana = estate.ana
    file, unused = await upload(ana, f"{MARK} one."), await upload(ana, f"{MARK} two.")
    run = await ana.complete(user_id="ana", query=f"Where to sell {MARK}?", files=[file])
    live = await ana.start(user_id="ana", query=f"Where to sell {MARK}?")
    asked = (await ana.until(live, "clarification"))["pending"][0]
    definition = {"id": "own", "title": MARK, "phases": [{"kind": "planning"}]}
    (await ana.post("/v1/workflows", definition)).raise_for_status()
    idea = {"name": MARK, "description": MARK}
    startup = (await ana.post("/v1/startups", idea)).raise_for_status().json()["id"]
    links = []
    for caller in ("link", "revoked link"):
        links.append((await ana.post(f"{run}/share-links", {})).raise_for_status().json())
        token = links[-1]["path"].partition("#")[2]
        estate.callers[caller].http.headers["Authorization"] = f"Bearer {token}"
    (await ana.http.delete(f"{run}/share-links/{links[-1]['id']}")).raise_for_status()
    own_key = (await ana.get("/v1/keys")).json()["items"][0]["id"]
    run_id, live_id = (path.rpartition("/")[2] for path in (run, live))
    estate.names = {
        "run_id": run_id,
        "other_id": live_id,
        "parent": run_id,
        "id_prefix": run_id[:8],
        "definition_id": "own",
        "id": "own",
        "version": 1,
        "force": "true",
        "phase_id": "research",
        "phase": "synthesis",
        "kind": "research",
        "include": "outputs",
        "startup_id": startup,
        "key_id": own_key,
        "link_id": links[0]["id"],
        "checkpoint_id": asked["checkpoint_id"],
        "aid": "source-1",
        "n": 1,
        "at": 1,
        "name": "pumps.md",
        "user_id": "ana",
        "text": MARK[:4],
        "ticker": "ACME",
    }
    gate = {
        "checkpoint_id": asked["checkpoint_id"],
        "plan_hash": (await ana.get(f"{run}/state")).json()["plan_hash"],
    }
    key = next((ana.folder / "acme").glob("*/*"))
    starts = build_starts(run_id, file, unused, startup, f"{key.parent.name}/{key.name}")
    estate.bodies = build_bodies(gate, own_key) | {"RunRequest": starts}


def build_starts(
    run_id: str, file: str, unused: str, startup: str, key: str
) -> list[dict[str, Any]]:
    """Return starts, each of which names something of hers."""
    start = {"query": "What?"}
    page = {"url": "http://x", "chars": 1, "content_hash": "", "text_key": key, "raw_key": key}
    outputs: list[dict[str, Any]] = [
        {"sources": [{"run_id": run_id, "n": 1}]},
        {"sources": [{"file_id": unused}]},
        {"sources": [], "artifacts": [{"run_id": run_id, "id": "source-1"}]},
        {"sources": [page]},
    ]
    rest: dict[str, Any] = {"findings": [], "searches": [], "gaps": []}
    brought = [{"research": {**output, **rest}} for output in outputs]
    return [
        {**start, "from_run": run_id},
        {**start, "from_run": run_id, "follow_up": True},
        {**start, "from_run": run_id, "redo": ["research"]},
        {**start, "files": [file]},
        {**start, "files": [unused]},
        {**start, "startup_id": startup},
        {**start, "user_id": "ana"},
        *({**start, "given": output, "only": ["synthesis"]} for output in brought),
    ]


def build_bodies(gate: dict[str, Any], own_key: str) -> dict[str, list[dict[str, Any]]]:
    """Return the other bodies by their schemas, each as it stands and in her name."""
    planning = {"phases": [{"kind": "planning"}]}
    plain: dict[str, dict[str, Any]] = {
        "FollowUp": {"query": "What?"},
        "AnswerQuestions": {"answers": {"q1": "x"}, "checkpoint_id": gate["checkpoint_id"]},
        "Decide": {"action": "approve", **gate},
        "Delegate": {"to": "mallory", **gate},
        "Feedback": {"text": "x"},
        "Steer": {"text": "x"},
        "UndoAt": {"seq": 1},
        "HumanMessage": {},
        "Cancel": {"mode": "now"},
        "Sharing": {},
        "StartupBody": {"name": "x", "description": "x"},
        "DefinitionBody": {"id": "own", **planning},
        "DefinitionChange": planning,
        "DefinitionFile": {"format": "1", "id": "own", **planning},
        "DefinitionChoice": {"id": "own"},
        "SignIn": {"key": own_key},
    }
    owner = {"FollowUp": "user_id", "StartupBody": "user_id"}
    return {n: [body, {**body, owner.get(n, "by"): "ana"}] for n, body in plain.items()}


NEUTRAL = {
    *("after", "cursor", "limit", "since", "until", "tail", "wait", "format", "status", "model"),
    *("include_system", "Last-Event-ID", "idempotency-key", "if-match", "If-Match"),
}
"""Parameters that name no object."""


PROTECTED = {
    (method, route.path)
    for router in ALL
    for route in router.routes
    if isinstance(route, APIRoute)
    for method in route.methods or ()
}
"""Operations that require a key."""


@dataclass(frozen=True)
class Attempt:
    """One request that names somebody else's objects."""

    method: str
    route: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: str | None = None

    async def send(self, http: httpx.AsyncClient) -> httpx.Response:
        headers = {"X-Greenlight-Page": "1", "If-Match": '"1"'}
        content = self.body
        if self.path == UPLOAD_PATH:
            headers["Content-Type"], content = BYTES, "Pumps."
        elif content is not None:
            headers["Content-Type"] = "application/json"
        request = http.build_request(
            self.method, self.path, params=dict(self.query), content=content, headers=headers
        )
        return await http.send(request)


def find_schemas(operation: dict[str, Any]) -> list[str]:
    """Return the names of the schemas of an operation's JSON body."""
    content = operation.get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    refs = [schema, *schema.get("anyOf", [])]
    return [part["$ref"].rpartition("/")[2] for part in refs if "$ref" in part]


def list_attempts(paths: dict[str, Any], estate: Estate) -> Iterator[Attempt]:
    """Yield requests of every operation: each body, each query, on the ended and on the live run."""
    runs = (estate.names["run_id"], estate.names["other_id"])
    for route, ways in paths.items():
        for way, operation in ways.items():
            method = way.upper()
            names = {p["name"] for p in operation.get("parameters", ()) if p["in"] == "query"}
            queries = [(), *(((n, str(estate.names[n])),) for n in sorted(names & {*estate.names}))]
            said = [json.dumps(b) for s in find_schemas(operation) for b in estate.bodies[s]]
            bodies: list[str | None] = [*said] or [None]
            for run in runs if "{run_id}" in route and method != "GET" else runs[:1]:
                path = route.format_map(estate.names | {"run_id": run})
                for query in queries:
                    for body in bodies:
                        yield Attempt(method, route, path, query, body)


@pytest.fixture(scope="module")
async def paths(estate: Estate) -> dict[str, Any]:
    """The operations of the gateway, as it describes them."""
    described = (await estate.ana.get("/openapi.json")).json()
    return dict(described["paths"])


def test_every_parameter_and_body_that_may_name_an_object_is_attacked(
    estate: Estate, paths: dict[str, Any]
) -> None:
    """A new route fails here until it is said what it names."""
    operations = {(way.upper(), path): op for path in paths for way, op in paths[path].items()}
    assert operations.keys() >= PROTECTED
    known = {*estate.names} | NEUTRAL
    for place, operation in operations.items():
        named = {each["name"] for each in operation.get("parameters", ())}
        assert named <= known, (place, named - known)
        schemas = {*find_schemas(operation)}
        assert schemas <= estate.bodies.keys(), (place, schemas)


async def attack(
    estate: Estate, caller: str, attempts: list[Attempt]
) -> list[tuple[Attempt, httpx.Response]]:
    turns, http = asyncio.Semaphore(AT_ONCE), estate.callers[caller].http

    async def send(attempt: Attempt) -> tuple[Attempt, httpx.Response]:
        async with turns, asyncio.timeout(30):
            answer = await attempt.send(http)
            assert answer.status_code < 500 or answer.status_code == 503, (attempt, answer.text)
            return attempt, answer

    return await asyncio.gather(*map(send, attempts))


@pytest.fixture(scope="module")
def attempts(estate: Estate, paths: dict[str, Any]) -> list[Attempt]:
    return list(list_attempts(paths, estate))


@pytest.mark.parametrize("caller", ["anonymous", "unknown key", "revoked link"])
async def test_without_a_live_key_nothing_is_opened(
    estate: Estate, attempts: list[Attempt], caller: str
) -> None:
    before = await estate.take_fingerprint()
    for attempt, answer in await attack(estate, caller, attempts):
        assert MARK not in answer.text, attempt
        if (attempt.method, attempt.route) in PROTECTED:
            assert answer.status_code == 401, (attempt, answer.text)
    assert await estate.take_fingerprint() == before


async def test_link_opens_one_report_and_changes_nothing(
    estate: Estate, attempts: list[Attempt]
) -> None:
    before = await estate.take_fingerprint()
    live = estate.names["other_id"]
    for attempt, answer in await attack(estate, "link", attempts):
        if attempt.method == "GET" and attempt.route in SHARED:
            assert answer.status_code in {200, 403}, (attempt, answer.text)
            assert live not in answer.text
            continue
        assert MARK not in answer.text, attempt
        if (attempt.method, attempt.route) in PROTECTED:
            assert answer.status_code == 403, (attempt, answer.text)
    assert await estate.take_fingerprint() == before


async def test_key_of_another_tenant_reads_changes_and_removes_nothing(
    estate: Estate, attempts: list[Attempt]
) -> None:
    before = await estate.take_fingerprint()
    hers = {"acme", estate.names["startup_id"], estate.names["key_id"]}
    for attempt, answer in await attack(estate, "other tenant", attempts):
        assert MARK not in answer.text, attempt
        said = f"{attempt.path} {attempt.query} {attempt.body}"
        assert not [n for n in hers if n in answer.text and n not in said], (attempt, answer.text)
        if "{run_id}" in attempt.route:
            assert answer.status_code in {404, 422}, (attempt, answer.text)
        if attempt.body and any(n in attempt.body for n in ('"from_run"', '"files"', '"given"')):
            assert answer.status_code in {404, 422}, (attempt, answer.text)
    assert await estate.take_fingerprint() == before


async def test_key_of_another_user_changes_and_removes_nothing(
    estate: Estate, attempts: list[Attempt]
) -> None:
    """Users of one tenant may read its runs; files, keys and links are their owner's alone."""
    before = await estate.take_fingerprint()
    changes = [a for a in attempts if a.method in CLIENT_PARTS]
    private = ("/v1/keys", "/v1/share-links", "/v1/runs/{run_id}/share-links")
    looks = [a for a in attempts if a.method == "GET" and a.route in private]
    own = estate.names["key_id"]
    for attempt, answer in await attack(estate, "same tenant", [*changes, *looks]):
        if attempt in looks:
            assert own not in answer.text, attempt
        if attempt.body and '"files"' in attempt.body:
            assert answer.status_code == 422, (attempt, answer.text)
    after = await estate.take_fingerprint()
    for name, rows in before.items():  # they add rows and blobs of their own
        assert rows == after[name] if isinstance(rows, bytes) else {*rows} <= {*after[name]}, name

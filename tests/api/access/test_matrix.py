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
from temporalio.client import Client

from api.access.auth import SHARED
from api.body_limits import BYTES, is_upload
from api.routers import ALL
from store.access.access_keys import KeyRepository
from tests.api.access.conftest import sign_in
from tests.api.access.identities.test_blob_keys import bring
from tests.api.conftest import Site
from tests.api.documents.test_files import given as upload
from tests.support.databases import as_owner
from tests.support.words import en, phrase

MARK = "xylophantine"
"""A word in all of the attacked tenant's requests, documents and outputs."""
UNNAMED = f"name: {en('value-missing')}"
"""The error for an upload without a name, for collections of any owner."""
HERS = "hers"
"""Name of the attacked user's collection; other users have no collection with this name."""
QUERY = f"Where to sell {MARK}?"
AT_ONCE = 12
FIRST = "given.research.sources[0]"
OWN = ("/v1/channels/{", "/v1/schedules/{")
"""What even users of the same tenant do not see of each other."""
UNSEEN = {"last_used_at", "last_accessed"}
"""Columns that a look changes."""
CLIENT_PARTS = {"POST", "PUT", "DELETE"}
DECIDED = {
    ("DELETE", "/v1/budgets/{holder_kind}"),
    ("DELETE", "/v1/keys/{key_id}"),
    ("DELETE", "/v1/runs/{run_id}"),
    ("DELETE", "/v1/schedules/{schedule_id}"),
    ("POST", "/v1/channels"),
    ("POST", "/v1/runs/{run_id}/cancel"),
    ("POST", "/v1/runs/{run_id}/decision"),
    ("POST", "/v1/runs/{run_id}/delegate"),
    ("POST", "/v1/schedules"),
    ("POST", "/v1/schedules/{schedule_id}/backfill"),
    ("POST", "/v1/schedules/{schedule_id}/trigger"),
    ("PUT", "/v1/budgets/{holder_kind}"),
    ("PUT", "/v1/schedules/{schedule_id}/pause"),
    ("PUT", "/v1/workflows/default"),
}
"""Operations refused to keys with scope `ask`, even for objects of their own user."""
OWN_REMOVED = {
    "/v1/channels/{channel_id}",
    "/v1/collections/{collection}",
    "/v1/collections/{collection}/documents/{document}",
    "/v1/runs/{run_id}/share-links/{link_id}",
    "/v1/session",
    "/v1/startups/{startup_id}",
    "/v1/workflows/{definition_id}",
}
"""What a key of the scope `ask` may remove of its user's own."""
PHASES = {"phases": [{"kind": "planning"}]}
STARTED = "deep_research"
"""What all starts name: it is everybody's, and can all that they ask for."""


@dataclass(frozen=True)
class Start:
    """A start that names one of the attacked user's objects, and the error for each caller; None: it may start."""

    body: dict[str, Any]
    owner: str | None
    same: str | None
    other: str


@dataclass
class Estate:
    """What a user of a tenant has, and who may want it."""

    ana: Site
    callers: dict[str, Site]
    names: dict[str, Any] = field(default_factory=dict)
    """A value of hers for each name by which a client names an object."""
    bodies: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """Bodies that name her objects, by the schema of the request."""
    starts: list[Start] = field(default_factory=list)
    own_runs: dict[str, str] = field(default_factory=dict)
    """A run of the caller's own, by the caller."""

    def get_start(self, attempt: "Attempt") -> Start | None:
        """Return the start that is attempted, if one is."""
        if "{definition_id}" not in attempt.route:
            return None
        return next((s for s in self.starts if json.dumps(s.body) == attempt.body), None)

    async def take_fingerprint(self) -> dict[str, Any]:
        """Return all rows of hers, and all blobs of her tenant."""
        found: dict[str, Any] = {}
        connect = psycopg.AsyncConnection.connect(as_owner(self.ana.database), autocommit=True)
        async with await connect as connection:
            columns = await connection.execute(
                "SELECT table_name, array_agg(column_name::text) FROM information_schema.columns"
                " WHERE table_schema = 'public' AND table_name IN (SELECT tablename FROM pg_tables"
                " WHERE schemaname = 'public') GROUP BY 1"
            )
            for table, names in await columns.fetchall():
                if "tenant_id" not in names or table == "audit_heads":  # it grows with the others'
                    continue
                whose = "AND t.user_id = 'ana'" if "user_id" in names else ""
                if "actor" in names:
                    whose = "AND t.actor = 'ana'"
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
def engine(temporal: Client) -> Client:
    return temporal


@pytest.fixture(scope="module")
async def estate(site: Site, keys: KeyRepository) -> AsyncIterator[Estate]:
    async with AsyncExitStack() as stack:
        ana = await sign_in(site, keys, "acme", "ana", stack)
        callers = await sign_callers_in(site, keys, stack)
        made = Estate(ana, callers)
        await furnish(made)
        yield made
        await ana.post(f"/v1/runs/{made.names['other_id']}/cancel", wait=5)
        for caller, run_id in made.own_runs.items():
            await callers[caller].post(f"/v1/runs/{run_id}/cancel", wait=5)


async def sign_callers_in(
    site: Site, keys: KeyRepository, stack: AsyncExitStack
) -> dict[str, Site]:
    """Return the gateway as each caller sees it; links are made later."""
    other = await sign_in(site, keys, "evil", "mallory", stack)
    same = await sign_in(site, keys, "acme", "ben", stack)
    callers = {"other tenant": other, "same tenant": same}
    callers["ask key"] = await sign_in(site, keys, "acme", "ana", stack, "ask")
    for caller in ("anonymous", "unknown key", "link", "revoked link"):
        callers[caller] = await sign_in(site, keys, "evil", "gone", stack)
    del callers["anonymous"].http.headers["Authorization"]
    callers["unknown key"].http.headers["Authorization"] = "Bearer gl_unknown"
    return callers


async def furnish(estate: Estate) -> None:
    """Give her a finished run, one at its plan, files, a definition, a startup and share links."""
    ana = estate.ana
    for caller, user in (("other tenant", "mallory"), ("same tenant", "ben")):
        begun = await estate.callers[caller].start(user_id=user)
        estate.own_runs[caller] = begun.rpartition("/")[2]
    file, unused = await upload(ana, f"{MARK} one."), await upload(ana, f"{MARK} two.")
    run = await ana.complete(user_id="ana", query=QUERY, files=[file])
    live = await ana.start(user_id="ana", query=QUERY)
    await ana.until(live, "clarification")
    planned = (await ana.post(f"{live}/answers", {"answers": {}, "rest": None}, wait=30)).json()
    asked = planned["pending"][0]
    definition = {"id": "own", "title": MARK, **PHASES}
    (await ana.post("/v1/workflows", definition)).raise_for_status()
    await fill_collection(ana)
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
        **await open_channel(ana),
        **await open_schedule(ana, run_id),
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
        "collection": HERS,
        "folder": HERS,
        "document": "pumps.md",
        "user_id": "ana",
        "holder_kind": "user",
        "holder": "ana",
        "text": MARK[:4],
        "ticker": "ACME",
        "provider": "model",
    }
    gate = {
        "checkpoint_id": asked["checkpoint_id"],
        "plan_hash": planned["plan_hash"],
    }
    key = next((ana.folder / "acme").glob("*/*"))
    place = f"{key.parent.name}/{key.name}"
    estate.starts = list(build_starts(run_id, [file, unused], startup, place))
    starts = [start.body for start in estate.starts]
    estate.bodies = build_bodies(gate, own_key, run_id) | {"RunRequest": starts}


async def open_channel(ana: Site) -> dict[str, str]:
    """Give her a channel with an alert; it is off, or the alert would be tried while it is looked at."""
    channel = {"kind": "webhook", "target": f"http://127.0.0.1:9/{MARK}"}
    place = f"/v1/channels/{(await ana.post('/v1/channels', channel)).json()['id']}"
    sent = (await ana.post(f"{place}/test", wait=10)).raise_for_status().json()
    (await ana.http.put(place, json={"enabled": False})).raise_for_status()
    return {"channel_id": place.rpartition("/")[2], "alert_id": sent["id"]}


async def open_schedule(ana: Site, run_id: str) -> dict[str, str]:
    """Give her a schedule."""
    body = {"from_run": run_id, "time": "05:00", "name": MARK}
    made = (await ana.post("/v1/schedules", body)).raise_for_status().json()
    return {"schedule_id": made["id"], "dry_run": "true"}


async def fill_collection(ana: Site) -> None:
    """Give her a collection with a document that is read."""
    (await ana.post("/v1/collections", {"name": HERS})).raise_for_status()
    place = f"/v1/collections/{HERS}/documents"
    params, headers = {"name": "pumps.md"}, {"Content-Type": BYTES}
    put = ana.http.put(place, content=f"{MARK} three.", params=params, headers=headers)
    (await put).raise_for_status()
    async with asyncio.timeout(60):
        while (await ana.get(f"/v1/collections/{HERS}")).json()["indexed"] < 1:  # noqa: ASYNC110
            await asyncio.sleep(0.1)


def build_starts(run_id: str, files: list[str], startup: str, key: str) -> Iterator[Start]:
    """Yield starts that each name one object of the attacked user, and are valid otherwise."""
    query = {"query": "What?"}
    no_run = f"from_run: {en('run-unknown', run=run_id)}"
    for more in ({"query": QUERY}, {"follow_up": True}, {"query": QUERY, "redo": ["research"]}):
        yield Start({**query, "from_run": run_id, **more}, None, no_run, no_run)
    no_collection = f"collections[0]: {en('collection-not-yours', name=HERS)}"
    yield Start({**query, "collections": [HERS]}, None, no_collection, no_collection)
    for file in files:
        no_file = f"files[0]: {en('file-not-yours', name=file)}"
        yield Start({**query, "files": [file]}, None, no_file, no_file)
    no_startup = f"startup_id: {en('startup-unknown', startup=startup)}"
    yield Start({**query, "startup_id": startup}, None, no_startup, no_startup)
    no_user = f"user_id: {phrase('user-not-of-key')}"
    yield Start({**query, "user_id": "ana"}, None, no_user, no_user)
    yield Start(bring({"run_id": run_id, "n": 1}), None, None, f"{FIRST}: {en('no-such-run')}")
    no_file = f"{FIRST}: {en('no-such-file')}"
    yield Start(bring({"file_id": files[1]}), None, no_file, no_file)
    named, at = {"run_id": run_id, "id": "chart-none"}, "given.research.artifacts[0]"
    no_artifact = f"{at}: {en('run-lacks-artifact', run=run_id)}"
    brought = bring(artifacts=[named])
    yield Start(brought, no_artifact, no_artifact, f"{at}: {en('no-such-run')}")
    page = {"url": "http://x", "chars": 1, "content_hash": "", "text_key": key, "raw_key": key}
    no_key = f"{FIRST}.text_key: {en('server-owns')}"
    yield Start(bring(page), no_key, no_key, no_key)


def build_bodies(
    gate: dict[str, Any], own_key: str, run_id: str
) -> dict[str, list[dict[str, Any]]]:
    """Return the other bodies by schema, each with and without the attacked user's name."""
    plain: dict[str, dict[str, Any]] = {
        "FollowUp": {"query": "What?"},
        "EditSentence": {"sentence": 1, "former": "Pumps sell.", "text": "Pumps boom."},
        "AnswerQuestions": {"answers": {"q1": "x"}, "checkpoint_id": gate["checkpoint_id"]},
        "Decide": {"action": "approve", **gate},
        "Delegate": {"to": "mallory", **gate},
        "Feedback": {"text": "x"},
        "Steer": {"text": "x"},
        "UndoAt": {"seq": 1},
        "HumanMessage": {},
        "Cancel": {"mode": "now"},
        "Sharing": {},
        "KeyBody": {"scope": "ask"},
        "StartupBody": {"name": "x", "description": "x"},
        "DefinitionBody": {"id": "own", **PHASES},
        "DefinitionChange": PHASES,
        "DefinitionFile": {"format": "greenlight.definition/1", "id": "own", **PHASES},
        "DefinitionChoice": {"id": "own"},
        "SignIn": {"key": own_key},
        "CollectionRequest": {"name": "mine"},
        "ProviderTestBody": {},
        "ChannelBody": {"kind": "webhook", "target": "http://127.0.0.1:9/"},
        "ChannelChange": {},
        "ScheduleBody": {"from_run": run_id, "time": "05:00"},
        "PauseBody": {"paused": True},
        "BudgetBody": {"day_usd": 1},
        "BackfillBody": {"start_at": "2026-01-01T00:00:00Z", "end_at": "2026-01-02T00:00:00Z"},
    }
    owner = {"FollowUp": "user_id", "StartupBody": "user_id"}
    return {n: [body, {**body, owner.get(n, "by"): "ana"}] for n, body in plain.items()}


NEUTRAL = {
    *(
        "after",
        "cursor",
        "limit",
        "since",
        "until",
        "tail",
        "wait",
        "format",
        "status",
        "model",
        "markdown",
        "output_schemas",
    ),
    *("appendix", "include_system", "Last-Event-ID", "idempotency-key", "if-match", "If-Match"),
}
"""Parameters that name no object."""


PROTECTED = {
    (method, route.path_format)
    for router in ALL
    for route in router.routes
    if isinstance(route, APIRoute) and route.include_in_schema
    for method in route.methods or ()
}
"""Operations that require a key; the OpenAI-compatible routes, whose form is not ours, are in test_chat.py."""


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
        if is_upload(self.method, self.path):
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
            schemas = find_schemas(operation)
            said = [json.dumps(body) for name in schemas for body in estate.bodies[name]]
            named = {"definition_id": STARTED} if "RunRequest" in schemas else {}
            bodies: list[str | None] = [*said] or [None]
            for run in runs if "{run_id}" in route and method != "GET" else runs[:1]:
                path = route.format_map(estate.names | {"run_id": run} | named)
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
    """A new route fails here until its parameters and bodies are classified."""
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
        async with turns, asyncio.timeout(60):
            answer = await attempt.send(http)
            assert answer.status_code < 500 or answer.status_code == 503, (attempt, answer.text)
            return attempt, answer

    return await asyncio.gather(*map(send, attempts))


@pytest.fixture(scope="module")
def attempts(estate: Estate, paths: dict[str, Any]) -> list[Attempt]:
    return list(list_attempts(paths, estate))


@pytest.mark.parametrize("is_whole", [False, pytest.param(True, marks=pytest.mark.full)])
@pytest.mark.parametrize("caller", ["anonymous", "unknown key", "revoked link"])
async def test_without_a_live_key_nothing_is_opened(
    estate: Estate, attempts: list[Attempt], caller: str, is_whole: bool
) -> None:
    """By default each operation is tried once: who asks is checked before what is asked for."""
    before = await estate.take_fingerprint()
    once = {(each.method, each.route): each for each in attempts}.values()
    for attempt, answer in await attack(estate, caller, attempts if is_whole else [*once]):
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


async def test_owner_may_start_from_what_is_hers(estate: Estate) -> None:
    """What refuses the others is then the id alone."""
    for start in estate.starts:
        answer = await estate.ana.post(f"/v1/workflows/{STARTED}/estimate", start.body)
        assert answer.status_code == (422 if start.owner else 200), (start, answer.text)
        assert (start.owner or "") in answer.text, start


async def test_key_of_another_tenant_reads_changes_and_removes_nothing(
    estate: Estate, attempts: list[Attempt]
) -> None:
    before = await estate.take_fingerprint()
    names = estate.names
    hers = {"acme", '"ana"'}
    hers |= {
        names[n]
        for n in (
            "startup_id",
            "key_id",
            "link_id",
            "run_id",
            "other_id",
            "channel_id",
            "schedule_id",
        )
    }
    for attempt, answer in await attack(estate, "other tenant", attempts):
        assert MARK not in answer.text, attempt
        said = f"{attempt.path} {attempt.query} {attempt.body}"
        assert not [n for n in hers if n in answer.text and n not in said], (attempt, answer.text)
        if "{collection}" in attempt.route and UNNAMED not in answer.text:
            assert answer.status_code == 404, (attempt, answer.text)
            assert en("collection-unknown", name=HERS) in answer.text, (attempt, answer.text)
        if attempt.route.startswith(OWN) and answer.status_code != 422:
            assert answer.status_code == 404, (attempt, answer.text)
        if attempt.route.startswith("/v1/runs/{run_id}"):
            run_id = attempt.path.split("/")[3]
            assert answer.status_code == 404, (attempt, answer.text)
            assert en("run-unknown", run=run_id) in answer.text, (attempt, answer.text)
        if start := estate.get_start(attempt):
            assert answer.status_code in {403, 404, 422}, (attempt, answer.text)
            assert start.other in answer.text, (attempt, answer.text)
    assert await estate.take_fingerprint() == before


async def test_key_of_another_user_changes_and_removes_nothing(
    estate: Estate, attempts: list[Attempt]
) -> None:
    """Users of one tenant may read its runs; files, startups, keys and links are their owner's alone."""
    before = await estate.take_fingerprint()
    changes = [a for a in attempts if a.method in CLIENT_PARTS]
    private = {"/v1/keys", "/v1/share-links", "/v1/runs/{run_id}/share-links", "/v1/collections"}
    private |= {"/v1/schedules", "/v1/schedules/{schedule_id}"}
    private |= {"/v1/channels", "/v1/channels/{channel_id}/deliveries"}
    hidden = [a for a in attempts if a.method == "GET" and "{collection}" in a.route]
    looks = [a for a in attempts if a.method == "GET" and a.route in private]
    own, live = estate.names["key_id"], estate.names["other_id"]
    for attempt, answer in await attack(estate, "same tenant", [*changes, *looks, *hidden]):
        if attempt in looks:
            assert own not in answer.text, attempt
            assert MARK not in answer.text, attempt
            assert HERS not in answer.text, attempt
            continue
        if attempt.route.startswith(OWN) and answer.status_code != 422:
            assert answer.status_code == 404, (attempt, answer.text)
        if "{collection}" in attempt.route and UNNAMED not in answer.text:
            assert answer.status_code == 404, (attempt, answer.text)
            assert en("collection-unknown", name=HERS) in answer.text, (attempt, answer.text)
        if start := estate.get_start(attempt):
            assert answer.is_success == (start.same is None), (attempt, answer.text)
            assert (start.same or "") in answer.text, (attempt, answer.text)
        if live in attempt.path and not attempt.route.endswith(("/undo", "/follow-up", "/edit")):
            assert answer.status_code == 403, (attempt, answer.text)
    after = await estate.take_fingerprint()
    for name, rows in before.items():  # they add rows and blobs of their own
        assert rows == after[name] if isinstance(rows, bytes) else {*rows} <= {*after[name]}, name


async def test_ask_key_decides_nothing_and_removes_no_run_schedule_or_key(
    estate: Estate, attempts: list[Attempt]
) -> None:
    """A new DELETE route fails here until it is classified as allowed or refused for such keys."""
    assert {(a.method, a.route) for a in attempts if a.method == "DELETE"} <= DECIDED | {
        ("DELETE", route) for route in OWN_REMOVED
    }
    before = await estate.take_fingerprint()
    decided = [a for a in attempts if (a.method, a.route) in DECIDED]
    assert {(a.method, a.route) for a in decided} == DECIDED
    for attempt, answer in await attack(estate, "ask key", decided):
        assert answer.status_code == 403, (attempt, answer.text)
        code = "key-sets-no-budgets" if "/budgets/" in attempt.path else "key-decides-nothing"
        assert answer.json()["code"] == code, (attempt, answer.text)
    assert await estate.take_fingerprint() == before


@pytest.mark.parametrize("caller", ["other tenant", "same tenant"])
async def test_ids_beside_a_run_of_the_callers_own_open_nothing(
    estate: Estate, caller: str
) -> None:
    """A path, or a follow-up, that names her object after a run that the caller may see."""
    before = await estate.take_fingerprint()
    site, names = estate.callers[caller], estate.names
    own = f"/v1/runs/{estate.own_runs[caller]}"
    link = await site.http.delete(f"{own}/share-links/{names['link_id']}")
    assert link.status_code == 404
    [problem] = link.json()["problems"]
    assert (problem["path"], problem["code"]) == ("link_id", "link-unknown")
    assert problem["params"]["link"] == names["link_id"]
    other = await site.get(f"{own}/compare/{names['run_id']}")
    if caller == "other tenant":
        assert other.status_code == 404
        assert en("run-unknown", run=names["run_id"]) in other.text
    for part in (
        "artifacts/source-1",
        "sources/1/snapshot",
        f"checkpoints/{names['checkpoint_id']}",
    ):
        assert (await site.get(f"{own}/{part}")).status_code == 404, part
    for part, schema in (("answers", "AnswerQuestions"), ("decision", "Decide")):
        answer = await site.post(f"{own}/{part}", estate.bodies[schema][0])
        assert answer.status_code == 409, (part, answer.text)
    follow_up = {"query": "What?", "user_id": "mallory" if caller == "other tenant" else "ben"}
    answer = await site.post(f"/v1/runs/{names['run_id']}/follow-up", follow_up)
    assert (answer.status_code, phrase("run-unknown") in answer.text) == (404, True)
    assert await estate.take_fingerprint() == before

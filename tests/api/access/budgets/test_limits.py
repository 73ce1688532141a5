"""One caller's many requests, streams, connections and heads hold up nobody else."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path

import httpx
import pytest
import uvicorn
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send
from temporalio.client import Client
from uvicorn.server import ServerState

from api import head_and_connection_limits
from api.access.callers import Callers, hash_credential
from api.access.rate_limits import Ceiling, Slots, TokenBucket, Turns, UserRate
from api.errors import TooManyRequests
from contracts.access.principal import ApiKey, Principal
from contracts.notices import Notice
from store.access.access_keys import KeyRepository
from store.postgres.pool import Pool
from tests.api.access.conftest import sign_in
from tests.api.conftest import Site, site_over
from tests.api.test_validation_errors import told
from tests.support.offline_services import eventually
from tests.support.words import opening

STREAMS = 20
PATIENCE_SECONDS = 5
"""Client, server and worker share this process, and the machine its cores."""


@pytest.fixture(scope="module")
async def site(
    database: str, temporal: Client, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Site]:
    folder = tmp_path_factory.mktemp("blobs")
    limits = {"greenlight_streams_per_key": STREAMS, "greenlight_requests_per_key": 30}
    async with site_over(database, temporal, folder, **limits) as made:
        yield made


async def watch(http: httpx.AsyncClient, run: str, statuses: Counter[int]) -> None:
    """Open a stream, count how it is answered, and keep it."""
    async with http.stream("GET", f"{run}/stream", timeout=60) as answer:
        statuses[answer.status_code] += 1
        if answer.status_code == 200:
            await asyncio.sleep(60)
        else:
            assert int(answer.headers["retry-after"]) > 0


async def test_streams_of_one_key_slow_no_other_users_list(site: Site, keys: KeyRepository) -> None:
    """A stream uses no database connection, and requests above the limit never reach the database."""
    async with AsyncExitStack() as stack:
        mallory = await sign_in(site, keys, "evil", "mallory", stack)
        ana = await sign_in(site, keys, "acme", "ana", stack)
        run = await mallory.start(user_id="mallory")
        await mallory.until(run, "clarification")
        statuses: Counter[int] = Counter()
        limits = httpx.Limits(max_connections=None)
        many = httpx.AsyncClient(
            base_url=site.http.base_url,
            headers=mallory.http.headers,
            limits=limits,
            trust_env=False,
            verify=False,
        )
        await stack.enter_async_context(many)
        watching = [asyncio.create_task(watch(many, run, statuses)) for _ in range(10 * STREAMS)]

        async def are_all_answered() -> bool:
            began = time.monotonic()
            assert (await ana.get("/v1/runs")).status_code == 200
            assert time.monotonic() - began < PATIENCE_SECONDS
            return statuses.total() == 10 * STREAMS

        assert await eventually(are_all_answered)
        assert statuses == {200: STREAMS, 429: 9 * STREAMS}
        assert (await mallory.get("/v1/runs")).status_code == 200, "requests count apart"
        for task in watching:
            task.cancel()
        await asyncio.gather(*watching, return_exceptions=True)

        async def is_free() -> bool:
            return (await many.get(f"{run}/stream?after=x")).status_code != 429

        assert await eventually(is_free)


def test_requests_are_counted_while_they_last() -> None:
    ceiling = Ceiling(2, "limit-requests")
    for _ in range(2):
        with ExitStack() as held:
            for who in ("a", "a", "b"):
                held.enter_context(ceiling.hold(who))
            with pytest.raises(TooManyRequests, match=opening("limit-requests", "most", most=2)):
                held.enter_context(ceiling.hold("a"))


async def test_bucket_of_each_caller_is_filled_again_token_by_token() -> None:
    pace = TokenBucket(2, 1, "limit-provider-tests")
    for who in ("a", "a", "b", "b"):
        pace.take(who)
    with pytest.raises(
        TooManyRequests, match=opening("limit-provider-tests", "most", most=2)
    ) as refused:
        pace.take("a")
    assert 0 < (refused.value.retry_after or 0) <= 0.5
    await asyncio.sleep(0.55)
    pace.take("a")
    with pytest.raises(TooManyRequests):
        pace.take("a")


def test_tokens_for_several_starts_are_taken_together_or_not_at_all() -> None:
    pace = UserRate(6, "limit-start-rate")
    pace.take("ana", "key", 2)
    with pytest.raises(TooManyRequests) as refused:
        pace.take("ana", "key", 3)
    assert (
        39 < (refused.value.retry_after or 0) <= 40
    )  # two tokens of a key that gets three a minute
    pace.take("ana", "key")
    pace.take("ben", "another", 31)  # more than a bucket holds: a full one
    with pytest.raises(TooManyRequests):
        pace.take("ben", "another")


def test_request_that_the_user_may_not_make_takes_nothing_of_its_key() -> None:
    pace = UserRate(4, "limit-start-rate")
    for key in ("first", "first", "second", "second"):
        pace.take("ana", key)
    for _ in range(3):
        with pytest.raises(TooManyRequests):
            pace.take("ana", "third")
    pace.take("ben", "third", 2)


async def test_requests_and_starts_are_limited_by_key_and_by_user(
    database: str, temporal: Client, tmp_path: Path, keys: KeyRepository
) -> None:
    """One key has half of its user's minute; another key of the user has the other half, and another user a minute of their own."""
    limits = {"greenlight_requests_per_minute": 20, "greenlight_starts_per_minute": 4}
    async with site_over(database, temporal, tmp_path, **limits) as slow, AsyncExitStack() as stack:
        first, second, third = [await sign_in(slow, keys, "acme", "ana", stack) for _ in range(3)]
        ben = await sign_in(slow, keys, "acme", "ben", stack)
        starts = [
            await who.post("/v1/workflows/deep_research/run", {"query": "Why?"})
            for who in (first, first, first, second, second, third, ben)
        ]
        assert [start.status_code for start in starts] == [202, 202, 429, 202, 202, 429, 202]
        late = starts[2]
        assert late.json()["code"] == "limit-start-rate"
        assert 1 <= int(late.headers["retry-after"]) <= 30
        asked = [await first.get("/v1/session") for _ in range(9)]
        assert [one.status_code for one in asked].count(200) in {7, 8}, "it had asked three times"
        assert asked[-1].json()["code"] == "limit-request-rate"
        assert (await ben.get("/v1/session")).status_code == 200


async def test_refused_keys_of_an_address_lock_out_nobody_else_behind_it(
    database: str, temporal: Client, tmp_path: Path, keys: KeyRepository
) -> None:
    """Behind a proxy, all callers have its address: one caller's invalid keys are refused by 401, and then by 429."""
    async with (
        site_over(database, temporal, tmp_path, greenlight_requests_per_minute=10) as site,
        AsyncExitStack() as stack,
    ):
        ana = await sign_in(site, keys, "acme", "ana", stack)
        _, to_show = await keys.create(Principal(tenant_id="acme", user_id="ana"))
        junk = [{"Authorization": f"Bearer gl_junk{n}"} for n in range(20)]
        statuses = [(await site.http.get("/v1/session", headers=one)).status_code for one in junk]
        assert statuses == [401] * 10 + [429] * 10
        tried = await site.http.post("/v1/session", json={"key": "gl_junk"}, headers=junk[-1])
        assert tried.status_code == 429
        assert (await ana.get("/v1/session")).status_code == 200
        signed_in = await site.http.post("/v1/session", json={"key": to_show})
        assert signed_in.status_code == 204
        site.http.cookies.clear()
        without = [(await site.http.get("/v1/workflows")).status_code for _ in range(12)]
        assert without[-1] == 429
        assert (await site.http.get("/healthz")).status_code == 200


async def test_one_key_is_one_key_however_it_is_spelled(
    database: str, temporal: Client, tmp_path: Path, keys: KeyRepository
) -> None:
    async with site_over(database, temporal, tmp_path, greenlight_requests_per_minute=20) as site:
        _, token = await keys.create(Principal(tenant_id="acme", user_id="ana"))
        told = await site.http.post("/v1/session", json={"key": token})
        cookie = told.headers["set-cookie"].partition(";")[0]
        site.http.cookies.clear()
        bearers = ("Bearer ", "bearer ", "BEARER ", "Bearer  ", "beareR   ")
        spelled = [{"Authorization": f"{scheme}{token}"} for scheme in bearers]
        sessions = [{"Cookie": f"x={n}; {cookie}"} for n in range(6)]
        sessions += [{"Cookie": cookie, "Authorization": f"Basic {n}"} for n in range(6)]
        asked = [await site.http.get("/v1/session", headers=one) for one in spelled * 3]
        statuses = [one.status_code for one in asked]
        assert statuses[:8] == [200] * 8
        assert 429 in statuses, "one key has half of its user's minute"
        credentials = [HTTPConnection(make_scope(site, one)) for one in (*spelled, *sessions)]
        assert len({hash_credential(one) for one in credentials}) == 2


def make_scope(site: Site, headers: dict[str, str]) -> Scope:
    """Return the scope of a request to a gateway."""
    shown = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    place = ("127.0.0.1", site.http.base_url.port)
    return {"type": "http", "scheme": "http", "path": "/", "server": place, "headers": shown}


async def test_bodies_of_strangers_are_bounded_by_address(site: Site) -> None:
    """Each caller shows another key and never finishes its body; together they count as one caller."""
    place, open_ones = site.http.base_url, []
    for n in range(40):
        reader, writer = await asyncio.open_connection(place.host, place.port)
        head = f"POST /v1/session HTTP/1.1\r\nHost: 127.0.0.1:{place.port}\r\nAuthorization: Bearer gl_{n}\r\n"
        kind = "Content-Type: application/json\r\nContent-Length: 900000\r\n\r\n{"
        writer.write(f"{head}{kind}".encode())
        await writer.drain()
        open_ones.append((reader, writer))

    async def is_full() -> bool:
        return (
            site.services.limits.requests._open["127.0.0.1"] == site.services.limits.requests.most
        )

    try:
        assert await eventually(is_full)
        answers = [asyncio.ensure_future(reader.readline()) for reader, _ in open_ones]

        async def are_refused() -> bool:
            return sum(one.done() for one in answers) >= 10

        assert await eventually(are_refused)
        await asyncio.sleep(0.1)  # an eleventh would come by now
        done = [one for one in answers if one.done()]
        assert Counter(one.result().split()[1] for one in done) == {b"429": 10}
        for one in answers:
            one.cancel()
    finally:
        for _, writer in open_ones:
            writer.close()


async def test_some_uploads_of_a_user_wait_and_the_rest_is_refused() -> None:
    slots, order, done = Slots(at_once=1, waiting=1, code="limit-uploads"), [], asyncio.Event()

    async def upload(name: str) -> None:
        async with slots.take("ana"):
            order.append(name)
            await done.wait()

    async with asyncio.TaskGroup() as group:
        for name in ("first", "second"):
            group.create_task(upload(name))
        await asyncio.sleep(0)
        with pytest.raises(
            TooManyRequests, match=opening("limit-uploads", "most", at_once=1, most=2)
        ):
            await upload("third")
        async with slots.take("bo"):
            assert order == ["first"]
            done.set()
    assert order == ["first", "second"]


def address(site: Site) -> tuple[str, int]:
    url = httpx.URL(str(site.http.base_url))
    return url.host, url.port or 80


async def talk(site: Site, *parts: bytes) -> bytes:
    """Send bytes and return what comes back until the server hangs up."""
    reader, writer = await asyncio.open_connection(*address(site))
    try:
        for part in parts:
            writer.write(part)
            await writer.drain()
        async with asyncio.timeout(60):
            return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


GET = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n"
LARGE = b"x" * (head_and_connection_limits.MAX_HEAD_BYTES + 1)


@pytest.mark.parametrize(
    "parts",
    [
        (GET + b"A: " + LARGE + b"\r\n\r\n",),
        (GET, b"A: ", LARGE),
        (GET, *(b"A%d: " % n + b"x" * 1_000 + b"\r\n" for n in range(80))),
        (b"GET /" + LARGE,),
        (b"GET /" + LARGE + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",),
    ],
    ids=["one header", "unfinished header", "many headers", "unfinished path", "path"],
)
async def test_head_beyond_its_size_is_refused(site: Site, parts: tuple[bytes, ...]) -> None:
    answer = await talk(site, *parts)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 431"), answer[:200]


async def test_large_body_is_no_large_head(site: Site) -> None:
    body = b'{"x": "' + b"y" * 500_000 + b'"}'
    answer = await site.http.post(
        "/v1/workflows/validate", content=body, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code in {401, 422}
    assert (await site.http.get("/healthz")).status_code == 200


async def test_unfinished_head_is_closed_after_its_time(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(head_and_connection_limits, "HEAD_SECONDS", 0.5)
    for begun in (b"", b"GET /healthz HTTP/1.1\r\nHo"):
        began = time.monotonic()
        assert await talk(site, begun) == b""
        assert time.monotonic() - began < 5
    assert (await site.http.get("/healthz")).status_code == 200


def make_protocols(most: int, app: ASGIApp) -> Callable[[], asyncio.Protocol]:
    """Return what makes the protocol of each connection."""
    config, state = uvicorn.Config(app, log_level="error"), ServerState()
    config.load()
    bounded = head_and_connection_limits.bound_protocol(most)
    return lambda: bounded(config, state, {})


async def read_answer(place: tuple[str, int]) -> bytes:
    """Return a server's answer to an invalid HTTP request."""
    reader, writer = await asyncio.open_connection(*place)
    try:
        writer.write(b"no HTTP at all\r\n\r\n")
        async with asyncio.timeout(60):
            return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def connect_until_full(place: tuple[str, int], begun: bytes) -> list[Connection]:
    """Hold as many connections as an address may have, each with what it has sent."""
    held = []
    for _ in range(MOST):
        reader, writer = await asyncio.open_connection(*place)
        writer.write(begun)
        await writer.drain()
        held.append((reader, writer))
    return held


async def answer_late(scope: Scope, _: Receive, send: Send) -> None:
    """Answer a path `/now` at once, others never."""
    if scope["path"] != "/now":
        await asyncio.sleep(60)
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


MOST = 3
NOW, LATE = (f"GET /{path} HTTP/1.1\r\nHost: a\r\n\r\n".encode() for path in ("now", "late"))


@pytest.mark.parametrize(
    ("begun", "rest"),
    [(b"", NOW), (NOW[:-5], NOW[-5:]), (NOW, NOW)],
    ids=["nothing", "half a head", "answered"],
)
async def test_longest_idle_connection_of_an_address_makes_room(begun: bytes, rest: bytes) -> None:
    """Who holds heads or answered connections open keeps no neighbour at the same address out."""
    made = make_protocols(MOST, answer_late)
    async with await asyncio.get_running_loop().create_server(made, "127.0.0.1", 0) as server:
        place = server.sockets[0].getsockname()
        held = await connect_until_full(place, begun)
        if begun == NOW:
            for reader, _ in held:
                await reader.readuntil(b"\r\n\r\n")
        assert (await read_answer(place)).startswith(b"HTTP/1.1 400")
        assert await held[0][0].read() == b"", "it was the first to be idle"
        for _, writer in held[1:]:
            writer.write(rest)
            await writer.drain()
        for reader, writer in held[1:]:
            assert (await reader.readline()).startswith(b"HTTP/1.1 204")
            writer.close()


async def test_connections_with_requests_are_bounded() -> None:
    """Those beyond the limit are closed at once, and there is room again when others go."""
    made = make_protocols(MOST, answer_late)
    async with await asyncio.get_running_loop().create_server(made, "127.0.0.1", 0) as server:
        place = server.sockets[0].getsockname()
        held = await connect_until_full(place, LATE)

        async def is_full() -> bool:
            return await read_answer(place) == b""

        assert await eventually(is_full)
        for _, writer in held:
            writer.close()
            await writer.wait_closed()

        async def has_room() -> bool:
            return (await read_answer(place)).startswith(b"HTTP/1.1 400")

        assert await eventually(has_room)


async def begin(turns: Turns, caller: str, order: list[str], seconds: float = 0.0) -> None:
    async with turns.take(caller):
        order.append(caller)
        await asyncio.sleep(seconds)


async def test_flood_of_one_caller_delays_no_other() -> None:
    """Callers are served in turn, and one of them never has all turns."""
    turns = Turns(at_once=4, seconds=10)
    order: list[str] = []
    flood = [asyncio.create_task(begin(turns, "mallory", order)) for _ in range(100)]
    await asyncio.sleep(0)
    assert order == ["mallory"] * 2
    others = [asyncio.create_task(begin(turns, who, order)) for who in ("ana", "bob")]
    await asyncio.gather(*flood, *others)
    assert {"ana", "bob"} <= set(order[:6])


async def test_turn_ends_when_the_response_starts_or_takes_long() -> None:
    turns = Turns(at_once=2, seconds=0.05)
    order: list[str] = []
    slow = asyncio.create_task(begin(turns, "ana", order, seconds=60))
    await asyncio.sleep(0)
    async with asyncio.timeout(60):
        await begin(turns, "ana", order)
        async with turns.take("ana") as end:
            end()
            await begin(turns, "ana", order)
    slow.cancel()


@pytest.mark.parametrize("is_called", [False, True], ids=["before its turn", "as its turn comes"])
async def test_caller_that_leaves_while_it_waits_keeps_no_turn(is_called: bool) -> None:
    turns = Turns(at_once=2, seconds=10)
    order: list[str] = []
    async with turns.take("ana") as end:
        leaving = asyncio.create_task(begin(turns, "ana", order))
        await asyncio.sleep(0)
        if is_called:
            end()
        leaving.cancel()
    async with asyncio.timeout(60):
        await begin(turns, "ana", order)
    assert order == ["ana"]


class Counted(KeyRepository):
    """Counts look-ups and how many are in flight."""

    def __init__(self, pool: Pool) -> None:
        super().__init__(pool)
        self.looked_up = self.in_flight = self.most = 0

    async def authenticate(
        self, token: str | None, *, by_cookie: bool = False
    ) -> tuple[ApiKey | None, bool]:
        self.looked_up += 1
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        try:
            return await super().authenticate(token, by_cookie=by_cookie)
        finally:
            self.in_flight -= 1


async def test_unknown_keys_of_an_address_are_looked_up_few_at_once_and_once(
    site: Site, keys: KeyRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key that was refused is not looked up again for some seconds."""
    async with AsyncExitStack() as stack:
        await sign_in(site, keys, "acme", "ana", stack)
        counted = Counted(site.services.keys._pool)
        monkeypatch.setattr(
            "api.access.callers.REFUSED_SECONDS", 3_600
        )  # a busy machine takes long
        monkeypatch.setattr(site.services.limits, "callers", Callers())
        monkeypatch.setattr(site.services.limits, "turns", Turns(at_once=16, seconds=3_600))
        monkeypatch.setattr(site.services, "keys", counted)
        many = httpx.AsyncClient(
            base_url=site.http.base_url,
            limits=httpx.Limits(max_connections=None),
            trust_env=False,
            verify=False,
            timeout=60,
        )
        await stack.enter_async_context(many)

        async def ask(n: int, kind: str) -> int:
            cookie = {"Cookie": f"greenlight_session_{many.base_url.port}={n}"}
            headers = {"Authorization": f"Bearer gl_{n}"} if kind == "key" else cookie
            return (await many.get("/v1/runs", headers=headers)).status_code

        for _ in range(2):
            for kind in ("key", "cookie"):
                statuses = await asyncio.gather(*(ask(n, kind) for n in range(30)))
                assert set(statuses) == {401}
        assert counted.looked_up == 90, "of a session also whether there are keys"
        assert counted.most <= site.services.limits.turns.most


def test_what_is_remembered_of_callers_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.access.callers.MAX_REMEMBERED", 3)
    callers, shown = Callers(), [str(n) for n in range(5)]
    for credential in shown:
        callers.refuse(credential, Notice.of("key-unknown"))
    assert [bool(callers.find_refusal(credential)) for credential in shown] == [False] * 2 + [
        True
    ] * 3
    monkeypatch.setattr("api.access.callers.REFUSED_SECONDS", 0)
    brief = Callers()
    brief.refuse(shown[0], Notice.of("key-unknown"))
    assert brief.find_refusal(shown[0]) is None


async def test_active_runs_of_a_tenant_are_bounded_and_those_that_wait_count(
    database: str, temporal: Client, tmp_path: Path, keys: KeyRepository
) -> None:
    async with (
        site_over(database, temporal, tmp_path, greenlight_runs_per_tenant=2) as site,
        AsyncExitStack() as stack,
    ):
        ana = await sign_in(site, keys, "many-runs", "ana", stack)
        other = await sign_in(site, keys, "few-runs", "bo", stack)
        path, body = "/v1/workflows/deep_research/run", {"query": "Where to sell pumps?"}
        first = await ana.start(user_id="ana")
        again = {"Idempotency-Key": "second"}
        second = await ana.http.post(path, json=body, headers=again)
        assert second.status_code == 202, second.text
        runs = [first, f"/v1/runs/{second.json()['run_id']}"]
        for run in runs:
            await ana.until(run, "clarification")

        async def all_wait() -> bool:
            return await ana.runs(status="waiting") == set(runs)

        await eventually(all_wait)  # rows follow the runs
        refused = await ana.http.post(path, json=body)
        problem = told(refused, 429, "too-many-requests")
        counts = {"n": 2, "most": 2, "waiting": 2}
        assert (problem["code"], problem["params"]) == ("runs-many", counts)
        assert int(refused.headers["retry-after"]) > 0
        assert (await ana.http.post(path, json=body, headers=again)).status_code == 202
        spared = await other.start(user_id="bo")
        await ana.post(f"{first}/cancel")
        await ana.follow(first, 0)
        third = await ana.start(user_id="ana")
        await asyncio.gather(
            *(ana.post(f"{run}/cancel") for run in (runs[1], third)), other.post(f"{spared}/cancel")
        )


async def test_starts_at_once_do_not_exceed_the_active_runs_of_a_tenant(
    database: str, temporal: Client, tmp_path: Path, keys: KeyRepository
) -> None:
    async with (
        site_over(database, temporal, tmp_path, greenlight_runs_per_tenant=2) as site,
        AsyncExitStack() as stack,
    ):
        ana = await sign_in(site, keys, "runs-at-once", "ana", stack)
        path, body = "/v1/workflows/deep_research/run", {"query": "Where to sell pumps?"}
        starts = await asyncio.gather(*(ana.http.post(path, json=body) for _ in range(12)))
        again = await ana.http.post(path, json=body)
        runs = [start.json()["run_id"] for start in starts if start.status_code == 202]
        await asyncio.gather(*(ana.post(f"/v1/runs/{run}/cancel") for run in runs))
        assert Counter(start.status_code for start in starts) == {202: 2, 429: 10}
        assert again.json()["params"]["n"] == 2, "each was counted once"

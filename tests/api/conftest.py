"""A gateway on a real port, over real PostgreSQL and Temporal; models and web answer at once."""

import asyncio
import functools
import uuid
from collections.abc import AsyncIterator, Collection
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from httpx_sse import aconnect_sse
from pydantic import SecretStr
from temporalio import activity
from temporalio.client import Client
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from activities.alerts.run_alerts import RunAlerts
from activities.calls.journaled_call import JournaledCalls
from activities.collections.indexer import IndexActivities
from activities.collections.library import FolderMirror
from activities.collections.run_documents import CollectionActivities
from activities.confined.call_pool import INDEXING, READING, REPORTS, CallPool
from activities.heartbeat_interceptor import ActivityInterceptor
from activities.integrations.models.claude import ClaudeClient
from activities.integrations.search.brave import BraveSearch
from activities.parsing.page_parser import PageParser
from activities.providers.provider_test import ProviderTestActivities
from activities.reuse.schedule_probe import ScheduleProbe
from activities.reuse.step_cache import StepCacheActivities
from activities.runs.run_activities import RunActivities
from activities.runs.seal_verification import ApprovalActivities
from activities.startup_companies import StartupActivities
from activities.web.search_calls import SearchServices
from api.app import KEEP_ALIVE_SECONDS, create_app
from api.dependencies import Dependencies
from api.head_and_connection_limits import bound_protocol
from contracts.base import Json
from contracts.evidence.sources import FetchRequest, Source
from contracts.runs.records import LoggedEvent
from settings import Settings
from store.blobs import BlobStore
from store.calls.call_journal import Journal
from store.calls.past_calls import PastCallRepository
from store.collections.queue import IndexQueue
from store.postgres.pool import Pool
from store.postgres.process_lease import Lease
from store.reuse.step_cache import StepCacheRepository
from store.run_records.event_log import Listener
from temporal.side_workflows.alerts import name_alert_queue
from temporal.side_workflows.indexing import name_index_queue
from tests.conftest import Postgres
from tests.support.databases import connect_as_owner
from tests.support.http_server import serve_http
from tests.support.product.published import as_published, share_app
from tests.support.temporal.clients import client_with
from tests.support.temporal.sandbox import UNTIMED
from tests.workflows.support.fake_activities import Fakes
from worker import build_alerts
from workflows.alerts import DeliverAlerts
from workflows.indexing import IndexCollections
from workflows.message_parser import SafeMessages
from workflows.provider_test import AskProvider
from workflows.research import Research

NOWHERE = "http://127.0.0.1:9"
PAGE = "Pumps sell. <script>alert(1)</script>"


class Web(Fakes):
    """Pages with a snapshot that can be looked at."""

    def __init__(self, blobs: BlobStore) -> None:
        super().__init__()
        self.blobs = blobs

    @activity.defn(name="web.fetch")
    async def fetch(self, request: FetchRequest) -> Source:
        key = await self.blobs.put(request.scope.tenant_id, request.scope.run_id, PAGE.encode())
        source = await super().fetch(request)
        return source.model_copy(update={"text_key": key, "raw_key": key})


@dataclass
class Site:
    """The gateway, its HTTP client, and its worker."""

    http: httpx.AsyncClient
    database: str
    temporal: Client
    queue: str
    fakes: Fakes
    activities: list[Any]
    blobs: BlobStore
    folder: Path
    services: Dependencies
    indexing: IndexActivities
    _workers: list[Worker] = field(default_factory=list)
    _working: list[asyncio.Task[None]] = field(default_factory=list)

    async def work(self) -> None:
        """Start the workers: of runs, and of documents."""
        self._workers = [
            Worker(
                self.temporal,
                build_id="tests",
                task_queue=queue,
                workflows=workflows,
                activities=self.activities,
                workflow_runner=UnsandboxedWorkflowRunner(),
                interceptors=[SafeMessages(), ActivityInterceptor()],
                debug_mode=UNTIMED,
            )
            for queue, workflows in (
                (self.queue, [Research, AskProvider]),
                (name_index_queue(self.queue), [IndexCollections]),
                (name_alert_queue(self.queue), [DeliverAlerts]),
            )
        ]
        self._working = [asyncio.create_task(worker.run()) for worker in self._workers]

    async def rest(self) -> None:
        """Stop the workers."""
        await asyncio.gather(*(worker.shutdown() for worker in self._workers))
        await asyncio.gather(*self._working)

    async def post(self, path: str, body: object = None, **params: Any) -> httpx.Response:
        return await self.http.post(path, json=body, params=params)

    async def get(self, path: str, **params: Any) -> httpx.Response:
        return await self.http.get(path, params=params)

    async def start(self, definition: str = "deep_research", **body: Any) -> str:
        answer = await self.post(
            f"/v1/workflows/{definition}/run", {"query": "Where to sell pumps?", **body}
        )
        assert answer.status_code == 202, answer.text
        return f"/v1/runs/{answer.json()['run_id']}"

    async def runs(self, **filters: str) -> set[str]:
        """Return all runs that the filters leave, however many tests of this process have left."""
        found: set[str] = set()
        more: dict[str, str] | None = {}
        while more is not None:
            page = (await self.get("/v1/runs", limit=200, **filters, **more)).json()
            found |= {f"/v1/runs/{item['run_id']}" for item in page["items"]}
            more = {"cursor": page["next_cursor"]} if page["next_cursor"] else None
        return found

    async def until(self, run: str, phase: str) -> dict[str, Any]:
        """Return the state once a phase's checkpoint is open; a 503 is asked again."""
        async with asyncio.timeout(60):
            while True:
                state: dict[str, Any] = (await self.get(f"{run}/state")).json()
                if any(p["phase_id"] == phase for p in state.get("pending", ())):
                    return state
                await asyncio.sleep(0.05)

    async def complete(self, answers: Json | None = None, **body: Any) -> str:
        """Complete a run with its report; unanswered questions are left to the run."""
        run = await self.start(**body)
        await self.until(run, "clarification")
        planned = (
            await self.post(f"{run}/answers", {"answers": answers or {}, "rest": None}, wait=30)
        ).json()
        decision = {"action": "approve", "plan_hash": planned["plan_hash"]}
        ended = (await self.post(f"{run}/decision", decision, wait=30)).json()
        assert ended["status"] == "completed", ended
        await self.follow(run, 0)
        return run

    async def follow(
        self, run: str, after: int, most: int = 10_000, **query: Any
    ) -> list[LoggedEvent]:
        """Read at most `most` events of a stream, then disconnect; fewer if the server ends it."""
        events: list[LoggedEvent] = []
        headers = {"Last-Event-ID": str(after)} if after else {}
        async with aconnect_sse(
            self.http, "GET", f"{run}/stream", headers=headers, params=query
        ) as source:
            async for sent in source.aiter_sse():
                event = as_published(LoggedEvent.model_validate_json(sent.data))
                assert (sent.id, sent.event) == (str(event.seq), event.type)
                events.append(event)
                if len(events) == most:
                    break
        return events


@asynccontextmanager
async def served(
    services: Dependencies, hosts: Collection[str] = ("127.0.0.1", "localhost")
) -> AsyncIterator[httpx.AsyncClient]:
    """Serve an app on a free port for as long as the block lasts."""
    app = create_app(services, hosts)
    app.router.routes = share_app().routes
    config = uvicorn.Config(
        app,
        port=0,
        log_level="error",
        timeout_graceful_shutdown=1,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        http=bound_protocol(Settings().greenlight_connections_per_address),
    )
    async with (
        serve_http(config) as port,
        httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port}", timeout=100, trust_env=False, verify=False
        ) as http,
    ):
        yield http


@asynccontextmanager
async def open_provider_tests(
    settings: Settings, journal: Journal
) -> AsyncIterator[ProviderTestActivities]:
    """Open tests of a model and a search that are away."""
    claude, brave = ClaudeClient(NOWHERE, "a-key"), BraveSearch(NOWHERE, "a-key")
    services, calls = SearchServices({"brave": brave}, ["brave"]), JournaledCalls(journal)
    yield ProviderTestActivities(claude, services, settings.greenlight_prices, calls)
    await claude.close()
    await brave.aclose()


@functools.cache
def share_sandbox() -> CallPool:
    """Return the processes that all sites share: each takes most of a second to start."""
    return CallPool(*READING, *INDEXING, *REPORTS)


@pytest.fixture(scope="session", autouse=True)
async def _sandbox_is_closed() -> AsyncIterator[None]:
    yield
    await share_sandbox().close()


def _make_services(settings: Settings, *clients: Any) -> Dependencies:
    """Return a gateway's services, which read documents in the shared processes."""
    services = Dependencies(settings, *clients)
    services.sandbox = share_sandbox()
    services.parser = PageParser(pool=services.sandbox)
    return services


def list_probing(services: Dependencies, pool: Pool) -> list[Any]:
    """Return the activities that read the run before a scheduled one."""
    probing = ScheduleProbe(services.runs, PastCallRepository(pool))
    return [probing.find_previous, probing.compare_searches, probing.find_output]


@asynccontextmanager
async def site_over(
    database: str, temporal: Client, folder: Path, **more: Any
) -> AsyncIterator[Site]:
    """A gateway with a worker, both with more settings."""
    settings = Settings(
        database_url=database,
        blob_url=folder.as_uri(),
        greenlight_signing_key=SecretStr("of gateway and worker"),
        greenlight_task_queue=f"test-{uuid.uuid4()}",
        **{"greenlight_offline": True, **more},
    )
    blobs = BlobStore(settings.blob_url)
    client = client_with(temporal, blobs)
    async with (
        Pool(database) as pool,
        Listener(database) as listener,
        Lease(database) as lease,
        open_provider_tests(settings, Journal(pool, lease)) as providers,
        AsyncExitStack() as ending,
    ):
        services = _make_services(settings, pool, listener, client, blobs)
        fakes = Web(blobs)
        library = FolderMirror(None, services.documents)
        alerts = RunAlerts(services.alerting.alerts, services.alerting.courier)
        journal = Journal(pool, lease)
        kept_runs = services.resolver, services.runs, journal, library, services.schedules
        own = RunActivities(*kept_runs, None, alerts)
        inspecting = CollectionActivities(services.documents)
        startups = StartupActivities(services.startups)
        approvals = ApprovalActivities(services.seals, services.keys)
        kept = StepCacheActivities(StepCacheRepository(pool))
        indexing = IndexActivities(
            IndexQueue(pool), blobs, services.parser, services.sandbox.run, turn_seconds=2
        )
        real = [own.open, own.record, own.edit, kept.find, startups.recall, startups.save]
        real += [
            *list_probing(services, pool),
            approvals.verify,
            indexing.index,
            inspecting.inspect,
            providers.test,
        ]
        real += [build_alerts(settings, pool, services.sandbox.run, ending).deliver]
        names = {a.__name__ for a in real}
        others = [a for a in fakes.all() if a.__name__ not in names]
        queue = settings.greenlight_task_queue
        async with served(services) as http:
            made = Site(
                http,
                database,
                client,
                queue,
                fakes,
                [*real, *others],
                blobs,
                folder,
                services,
                indexing,
            )
            await made.work()
            yield made
            await made.rest()


@pytest.fixture(scope="session")
async def dev_site(
    postgres: Postgres, template: str, temporal: Client, tmp_path_factory: Any
) -> AsyncIterator[Site]:
    """A gateway over the dev server that asks nobody for a key."""
    folder: Path = tmp_path_factory.mktemp("blobs")
    async with site_over(await postgres.database(template), temporal, folder) as made:
        yield made


@pytest.fixture(scope="session")
async def quick_site(
    postgres: Postgres, template: str, quick_temporal: Client, tmp_path_factory: Any
) -> AsyncIterator[Site]:
    """The same over Temporal's test server, by default."""
    folder: Path = tmp_path_factory.mktemp("blobs")
    async with site_over(await postgres.database(template), quick_temporal, folder) as made:
        yield made


@pytest.fixture(scope="session")
def site(quick_site: Site) -> Site:
    """The gateway that tests ask; files that need what the test server cannot do take `dev_site`."""
    return quick_site


@pytest.fixture(scope="module")
async def quiet(site: Site) -> None:
    """Wait until runs that earlier tests have left ask for nothing more: calls are counted here."""
    seen, now = -1, 0
    while seen != now:
        seen = now
        await asyncio.sleep(0.5)
        now = len(site.fakes.requests) + len(site.fakes.searches) + len(site.fakes.fetches)


@pytest.fixture
async def tidy(site: Site) -> AsyncIterator[None]:
    """Delete all definitions and their version counters afterwards."""
    yield
    async with connect_as_owner(site.database) as connection:
        await connection.execute("TRUNCATE definitions, definition_ids, default_definitions")

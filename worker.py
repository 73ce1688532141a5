"""Composition root of the worker: settings -> clients and store -> activities -> worker."""

import gc

if __name__ == "__main__":  # imported objects are never freed: collecting them wastes time
    gc.disable()

import argparse
import asyncio
import logging
import math
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import ValidationError
from temporalio.client import Client, Interceptor
from temporalio.service import RPCError
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from activities.alerts.decision_links import DecisionLinks
from activities.alerts.delivery import AlertActivities
from activities.alerts.run_alerts import RunAlerts
from activities.calculations_and_charts import WorkbenchActivities
from activities.calls.journaled_call import JournaledCalls
from activities.calls.model_gateway import ModelGateway
from activities.calls.tool_calls import ToolCalls, is_permanent
from activities.claims.claim_activities import ClaimActivities
from activities.claims.evidence_code import EVIDENCE_CODE
from activities.collections.indexer import IndexActivities
from activities.collections.library import FolderMirror
from activities.collections.run_documents import CollectionActivities, RunDocuments
from activities.collections.search import OwnDocumentSearch
from activities.collections.storage import DocumentStorage
from activities.company.company_figures import CompanyActivities
from activities.company.edgar import Edgar
from activities.company.share_prices import PriceSource
from activities.confined.call_pool import CHARTS, EVIDENCE, INDEXING, READING, CallPool, Runner
from activities.crew.crew_task import CrewActivities
from activities.heartbeat_interceptor import ActivityInterceptor
from activities.integrations.alert_senders import HttpSender, MailSender
from activities.integrations.charts import draw
from activities.integrations.crewai_env import LateKickoff
from activities.integrations.embedder import LocalEmbedder, ServiceEmbedder
from activities.integrations.http.page_fetcher import PageFetcher
from activities.integrations.http.site_policy import SitePolicy
from activities.integrations.late_mcp_client import LateMcpClient
from activities.integrations.models.chat_completions import ChatClient
from activities.integrations.models.claude import ClaudeClient
from activities.integrations.models.model_client import ModelClient
from activities.integrations.models.model_clients import ModelClients
from activities.integrations.search.anthropic_fetch import AnthropicFetch
from activities.integrations.search.anthropic_web import AnthropicSearch
from activities.integrations.search.brave import BraveSearch
from activities.integrations.search.exa import ExaSearch
from activities.integrations.search.http_service import HttpService
from activities.integrations.search.own_endpoint import EndpointSearch
from activities.integrations.search.searxng import SearxngSearch
from activities.integrations.search.tavily import TavilySearch
from activities.late_packages import is_installed
from activities.parsing.page_parser import PageParser
from activities.providers.provider_check import ProviderCheck
from activities.providers.provider_test import ProviderTestActivities
from activities.reuse.recall import Embedder, RecallActivities
from activities.reuse.schedule_probe import ScheduleProbe
from activities.reuse.step_cache import StepCacheActivities
from activities.runs.run_activities import RunActivities
from activities.runs.run_removal import RemovalActivities, Remover
from activities.runs.schedule_changes import ScheduleChanges
from activities.runs.seal_verification import ApprovalActivities
from activities.runs.start_resolver import StartResolver
from activities.startup_companies import StartupActivities
from activities.temporal_failures import settles
from activities.tool_servers import ToolServerActivities
from activities.web.gap_passages import GapActivities
from activities.web.search_calls import PageReads, SearchCalls, SearchService, SearchServices
from activities.web.web_activities import WebActivities
from contracts.access.principal import Principal
from contracts.models.catalogue import find_model_warnings
from contracts.models.prices import find_price
from contracts.preset_definitions import PRESETS
from contracts.search import ServiceName
from domain.decision_seals import Sealer
from domain.evidence.figures.arithmetic import calculate
from domain.evidence.pages.passage_search import search_pages
from settings import Settings
from store.access.access_keys import KeyRepository
from store.access.audit_log_reader import AuditRepository
from store.access.secret_encryption import TextCipher
from store.alerts import AlertRepository
from store.blobs import BlobStore
from store.calls.call_journal import Journal
from store.calls.past_calls import PastCallRepository
from store.collections.documents import CollectionRepository
from store.collections.index import IndexRepository
from store.collections.queue import IndexQueue
from store.definitions import DefinitionRepository
from store.files import FileRepository
from store.postgres.database import read_installation
from store.postgres.pool import Pool
from store.postgres.process_lease import Lease
from store.reuse.semantic_cache import QuestionRepository
from store.reuse.startup_companies import StartupRepository
from store.reuse.step_cache import StepCacheRepository
from store.run_records.event_log import EventRepository
from store.run_records.listed_urls import ListedUrlRepository
from store.run_records.removals import RemovalRepository
from store.run_records.runs import RunRepository
from store.schedules import ScheduleRepository
from temporal.connection import load_connect_options
from temporal.probe_files import ProbeFiles
from temporal.run_client import RunClient
from temporal.search_attributes import list_missing_search_attributes
from temporal.side_workflows.alerts import Courier, name_alert_queue
from temporal.side_workflows.indexing import Indexer, name_index_queue
from temporal.side_workflows.sweep_schedule import schedule_sweep
from temporal.task_queues.queue_owner import QueueTaken, require_database
from temporal.task_queues.worker_slots import DEFAULT_SLOTS, build_tuner
from temporal.task_queues.worker_versioning import VersionOptions, build_version_options
from temporal.telemetry.logs import READY, configure_logs
from temporal.telemetry.prometheus_metrics import make_runtime, serve_product_metrics
from temporal.telemetry.traces import start_tracing, stop_tracing
from temporal.workflow_threads import WorkflowThreads
from workflows.alerts import DeliverAlerts
from workflows.indexing import IndexCollections
from workflows.message_parser import SafeMessages
from workflows.provider_test import AskProvider
from workflows.research import Research
from workflows.runtime.activity_timeouts_and_retries import CREW_QUEUE, OPTIONS
from workflows.start.resolution import open_run
from workflows.sweep import Sweep

Activities = list[Callable[..., Any]]
WORKFLOWS = [Research, Sweep, AskProvider]
MAX_INDEX_TURNS = 4
"""Tenants whose documents a worker indexes concurrently; the others wait in a queue."""
LEAST_ACTIVITIES = 10
"""Concurrent activities of a research worker even when memory is short, because most wait for a provider."""
MAX_DELIVERIES = 50
"""Channels to which a worker delivers alerts concurrently."""
WORKFLOW_RUNNER = UnsandboxedWorkflowRunner()
"""No sandbox, see docs/decisions/0011."""
USAGE = "Works on runs until SIGTERM or Ctrl-C; configured by environment variables, see docs/settings.md."
CONNECT_SECONDS = 0.5
DATABASE_SECONDS, POLL_SECONDS = 3.0, 0.1
"""How long a worker waits at its start for a database that is also starting, and how often it checks."""
logger = logging.getLogger("greenlight.worker")
WARM_AFTER_SECONDS = 1
"""Delay before the sandbox starts its first process, because the rest of the stack is still starting."""
EXIT_SECONDS = 4
"""Time to close clients and pools after the grace period for calls."""


@asynccontextmanager
async def open_activities(
    settings: Settings, blobs: BlobStore, client: Client, *, crews: bool = False
) -> AsyncIterator[Activities]:
    """Yield the activities of a worker; drain calls and close clients at the end."""
    models = build_client(settings)
    sites = SitePolicy.of(settings.greenlight_web_allow, settings.greenlight_web_deny)
    search = build_search(settings, sites)
    edgar = Edgar(settings.edgar_base_url, settings.edgar_www_url, settings.edgar_contact)
    prices = PriceSource(settings.prices_url, settings.prices_currency)
    async with (
        Pool(settings.database_url) as pool,
        Lease(settings.database_url) as lease,
        AsyncExitStack() as ending,
    ):
        journal, events = Journal(pool, lease), EventRepository(pool)
        calls = JournaledCalls(journal)
        sandbox = CallPool(*READING, *EVIDENCE, *INDEXING, *([] if crews else CHARTS))
        ending.push_async_callback(sandbox.close)
        sandbox.warm(WARM_AFTER_SECONDS)
        run = sandbox.run
        gateway = ModelGateway(models, calls, events, blobs, settings.greenlight_prices, run)
        claims = ClaimActivities(gateway, EVIDENCE_CODE, blobs, run)
        tools = ToolCalls(calls, events, settles if crews else None)
        fetcher = PageFetcher(settings.greenlight_fetch_allow, sites=sites, contacts=edgar.contacts)
        listed, parser, mcp = (
            ListedUrlRepository(pool),
            PageParser(pool=sandbox),
            LateMcpClient(settings.tool_servers()),
        )
        found = OwnDocumentSearch(IndexRepository(pool), run)
        own = RunDocuments(FileRepository(pool), CollectionRepository(pool), found)
        web = WebActivities(
            *(SearchCalls(calls, search), fetcher, parser, blobs, tools, listed, own, run),
            build_page_reads(settings, calls, blobs, ending),
        )
        clients = (models.close, edgar.aclose, prices.aclose, search.aclose, fetcher.aclose)
        for end in (*clients, calls.drain):
            ending.push_async_callback(end)  # callbacks run in reverse order
        tool_servers = ToolServerActivities(mcp, calls, tools, blobs, parser, own, run)
        if crews:
            yield bind_activities([_load_crews(settings, gateway, web, tool_servers)], CREW_QUEUE)
            return
        certain = ToolCalls(calls, events, is_permanent)
        workbench = WorkbenchActivities(calculate, draw, blobs, certain, run)
        company = CompanyActivities(edgar, prices, parser, blobs, tools, draw, run)
        yield bind_activities(
            [
                *_build_record_activities(
                    settings, blobs, client, pool, journal, ProviderCheck(models, edgar), ending
                ),
                *(_build_indexing(pool, blobs, ending), GapActivities(search_pages, blobs, run)),
                *(gateway, claims, web, company, workbench, tool_servers),
                build_alerts(settings, pool, run, ending),
                ProviderTestActivities(models, search, settings.greenlight_prices, calls, mcp),
            ]
        )


def bind_activities(owners: Sequence[object], queue: str | None = None) -> Activities:
    """Return the activities of a task queue as bound methods.

    Raises:
        KeyError: No owner is of an activity's class.
    """
    by_class = {type(owner).__name__: owner for owner in owners}
    wanted = (method for method, how in OPTIONS.items() if how.get("task_queue") == queue)
    return [getattr(by_class[m.__qualname__.partition(".")[0]], m.__name__) for m in wanted]


def _build_indexing(pool: Pool, blobs: BlobStore, ending: AsyncExitStack) -> IndexActivities:
    """Return the indexing activities with a separate process pool, so that runs never wait for indexing."""
    reading = CallPool(*READING, *INDEXING)
    ending.push_async_callback(reading.close)
    return IndexActivities(IndexQueue(pool), blobs, PageParser(pool=reading), reading.run)


def _build_record_activities(  # noqa: PLR0913 - all are independent clients and stores
    settings: Settings,
    blobs: BlobStore,
    client: Client,
    pool: Pool,
    journal: Journal,
    providers: ProviderCheck,
    ending: AsyncExitStack,
) -> Sequence[object]:
    """Return the activities on stored records: runs, startups, collections, caches, approvals."""
    runs, startups = RunRepository(pool), StartupRepository(pool)
    definitions = DefinitionRepository(
        pool, PRESETS, settings.greenlight_research, settings.greenlight_phase_seconds
    )
    terms = settings.terms()
    index = settings.greenlight_search_attributes
    address = client.service_client.config.target_host
    files, collections = FileRepository(pool), CollectionRepository(pool)
    resolver = StartResolver(
        definitions,
        runs,
        startups,
        files,
        collections,
        PastCallRepository(pool),
        terms,
        open_run,
        index,
        address,
        settings.samples(),
    )
    indexer = Indexer(client, settings.greenlight_task_queue)
    documents = DocumentStorage(collections, IndexQueue(pool), blobs, indexer)
    library = FolderMirror(settings.greenlight_library_folder, documents)
    warming = asyncio.create_task(library.warm(Principal().tenant_id))
    ending.callback(warming.cancel)
    sealer = Sealer(settings.greenlight_signing_key.get_secret_value())
    run_client = RunClient(client, settings.greenlight_task_queue)
    alerts = AlertRepository(pool, TextCipher(settings.channel_keys()))
    courier = Courier(client, settings.greenlight_task_queue)
    remover = Remover(RemovalRepository(pool), blobs, run_client)
    kept, days = settings.greenlight_temp_kept, settings.greenlight_retention_days
    return [
        RunActivities(
            resolver,
            runs,
            journal,
            library,
            ScheduleRepository(pool),
            providers,
            RunAlerts(alerts, courier),
        ),
        CollectionActivities(documents),
        StartupActivities(startups),
        StepCacheActivities(StepCacheRepository(pool)),
        ScheduleProbe(runs, PastCallRepository(pool)),
        RecallActivities(QuestionRepository(pool), build_embedder(settings)),
        ApprovalActivities(sealer, KeyRepository(pool)),
        RemovalActivities(remover, kept, days, documents, alerts, courier, AuditRepository(pool)),
    ]


def build_alerts(
    settings: Settings, pool: Pool, run: Runner, ending: AsyncExitStack
) -> AlertActivities:
    """Return the alert activities; `run` runs the comparison of scheduled runs' reports in the sandbox."""
    http = HttpSender(settings.greenlight_alert_allow)
    ending.push_async_callback(http.aclose)
    mail = MailSender(settings.smtp_url.get_secret_value(), settings.smtp_from)
    secret = settings.greenlight_signing_key.get_secret_value()
    links = DecisionLinks(secret, settings.public_url)
    changes = ScheduleChanges(RunRepository(pool), run)
    pause, patience = settings.greenlight_alert_pause, settings.greenlight_alert_patience
    alerts = AlertRepository(pool, TextCipher(settings.channel_keys()))
    return AlertActivities(alerts, http, mail, links, changes, pause, patience)


def _load_crews(
    settings: Settings, gateway: ModelGateway, web: WebActivities, servers: ToolServerActivities
) -> CrewActivities:
    """Return the crew activities; import CrewAI now, or at the first crew if it has yet to be installed."""
    kickoff = LateKickoff(settings.greenlight_crew_scratch, installs=settings.greenlight_installs)
    if is_installed("crew") or not settings.greenlight_installs:
        kickoff.load()
    threads = ThreadPoolExecutor(settings.greenlight_max_crews, thread_name_prefix="crew")
    return CrewActivities(kickoff, threads, gateway, web, servers)


def build_client(settings: Settings) -> ModelClient:
    """Return a client for all models, both the provider's and those in GREENLIGHT_SERVERS."""
    silence, servers = settings.greenlight_model_silence_seconds, settings.servers()
    claude = ClaudeClient(
        settings.anthropic_base_url,
        settings.anthropic_api_key.get_secret_value(),
        silence_seconds=silence,
        servers={m: (s.url, s.key) for m, s in servers.items() if s.api == "messages"},
    )
    chats = {
        model: ChatClient(server.url, server.key, silence_seconds=silence)
        for model, server in servers.items()
        if server.api == "chat"
    }
    claude.limits |= settings.greenlight_limits
    for chat in chats.values():
        chat.limits |= settings.greenlight_limits
    return ModelClients(claude, chats)


def build_search(settings: Settings, sites: SitePolicy) -> SearchServices:
    """Return the configured search services with their fees."""
    made: dict[ServiceName, SearchService] = {}
    places: dict[ServiceName, tuple[type[HttpService], str, str]] = {
        "brave": (BraveSearch, settings.brave_base_url, settings.brave_api_key.get_secret_value()),
        "tavily": (
            TavilySearch,
            settings.tavily_base_url,
            settings.tavily_api_key.get_secret_value(),
        ),
        "exa": (ExaSearch, settings.exa_base_url, settings.exa_api_key.get_secret_value()),
        "searxng": (SearxngSearch, settings.searxng_url, ""),
        "endpoint": (
            EndpointSearch,
            settings.search_endpoint_url,
            settings.search_endpoint_key.get_secret_value(),
        ),
    }
    for name in settings.list_search_services():
        fee = settings.find_search_fee(name)
        if name == "anthropic":
            model = settings.greenlight_search_model
            made[name] = AnthropicSearch(
                settings.anthropic_base_url,
                settings.anthropic_api_key.get_secret_value(),
                model,
                find_price(model, settings.greenlight_prices),
                fee_usd=fee,
                sites=sites,
            )
        else:
            service, url, key = places[name]
            made[name] = service(url, key, sites=sites, usd=fee)
    return SearchServices(made, settings.choose_search_services())


def build_page_reads(
    settings: Settings, calls: JournaledCalls, blobs: BlobStore, ending: AsyncExitStack
) -> PageReads | None:
    """Return the provider's fetch tool for pages that refuse us; None unless its search is a default service."""
    if "anthropic" not in settings.choose_search_services():
        return None
    model = settings.greenlight_search_model
    key, price = settings.anthropic_api_key, find_price(model, settings.greenlight_prices)
    reader = AnthropicFetch(settings.anthropic_base_url, key.get_secret_value(), model, price)
    ending.push_async_callback(reader.aclose)
    return PageReads(calls, blobs, reader)


def build_embedder(settings: Settings) -> Embedder:
    """Return the configured embedding service, or else the bundled model."""
    key = settings.embedder_api_key.get_secret_value()
    service = ServiceEmbedder(settings.embedder_url, settings.embedder_model, key)
    return (
        service if settings.embedder_url else LocalEmbedder(installs=settings.greenlight_installs)
    )


def _build_version_options(settings: Settings) -> VersionOptions:
    return build_version_options(settings.greenlight_task_queue, settings.greenlight_build_id)


def build_worker(client: Client, settings: Settings, callables: Activities) -> Worker:
    """Return the research worker, with the timeouts that recovered fastest in measurements."""
    return Worker(
        client,
        **_build_version_options(settings),
        task_queue=settings.greenlight_task_queue,
        workflows=WORKFLOWS,
        activities=callables,
        workflow_runner=WORKFLOW_RUNNER,
        interceptors=[SafeMessages(), ActivityInterceptor()],
        workflow_failure_exception_types=[ValidationError],
        tuner=build_tuner(DEFAULT_SLOTS, LEAST_ACTIVITIES, settings.greenlight_memory_share),
        workflow_task_executor=WorkflowThreads(),
        sticky_queue_schedule_to_start_timeout=settings.greenlight_sticky_timeout,
        graceful_shutdown_timeout=settings.greenlight_stop_grace,
    )


def build_index_worker(client: Client, settings: Settings, callables: Activities) -> Worker:
    """Return the worker that indexes collections, for the same process as the research worker."""
    queue = name_index_queue(settings.greenlight_task_queue)
    return _build_side_worker(client, settings, queue, IndexCollections, callables, MAX_INDEX_TURNS)


def build_alert_worker(client: Client, settings: Settings, callables: Activities) -> Worker:
    """Return the worker that delivers alerts, for the same process as the research worker."""
    queue = name_alert_queue(settings.greenlight_task_queue)
    return _build_side_worker(client, settings, queue, DeliverAlerts, callables, MAX_DELIVERIES)


def _build_side_worker(  # noqa: PLR0913 - the differences between both workers
    client: Client,
    settings: Settings,
    queue: str,
    workflow: type,
    callables: Activities,
    most: int,
) -> Worker:
    """Return a worker for one workflow on a separate task queue with at most `most` concurrent activities."""
    return Worker(
        client,
        **_build_version_options(settings),
        task_queue=queue,
        workflows=[workflow],
        activities=callables,
        workflow_runner=WORKFLOW_RUNNER,
        interceptors=[ActivityInterceptor()],
        tuner=build_tuner(most, 1, settings.greenlight_memory_share),
        workflow_task_executor=WorkflowThreads(),
    )


def build_crew_worker(client: Client, settings: Settings, callables: Activities) -> Worker:
    """Return the crew worker."""
    return Worker(
        client,
        **_build_version_options(settings),
        task_queue=CREW_QUEUE,
        activities=callables,
        interceptors=[ActivityInterceptor()],
        tuner=build_tuner(settings.greenlight_max_crews, 1, settings.greenlight_memory_share),
        # A cancellation arrives with a heartbeat's response; until then, turns cost money.
        max_heartbeat_throttle_interval=timedelta(seconds=1),
        graceful_shutdown_timeout=settings.greenlight_stop_grace,
    )


async def connect(
    settings: Settings, blobs: BlobStore, interceptors: Sequence[Interceptor] = ()
) -> Client:
    """Return a client as configured by `TEMPORAL_*`; retry until the server is reachable."""
    options = load_connect_options(blobs, settings.payload_keys())
    runtime = make_runtime(settings.greenlight_temporal_metrics)
    while True:
        try:
            return await Client.connect(**options, runtime=runtime, interceptors=interceptors)
        except (RPCError, RuntimeError) as error:
            logger.warning("Temporal is not reachable yet: %s", error)
            await asyncio.sleep(CONNECT_SECONDS)


class QueueClaim:
    """Checks that the task queue belongs to this worker's database, and then creates the sweep's schedule."""

    def __init__(self, client: Client, settings: Settings, *, schedules: bool) -> None:
        self._client = client
        self._settings = settings
        self._schedules = schedules
        self._is_settled = False

    async def _check(self) -> None:
        """Check the claim if the database is reachable; exit if the task queue belongs to another database."""
        installation = await read_installation(self._settings.database_url)
        if installation is None:
            return
        await self._require(installation)
        if self._schedules:
            await schedule_sweep(self._client, self._settings.greenlight_task_queue, installation)
            await self._require(installation)  # workers of two databases may start at once
        self._is_settled = True

    async def _require(self, installation: str) -> None:
        try:
            await require_database(self._client, self._settings.greenlight_task_queue, installation)
        except QueueTaken as error:
            logger.critical("%s", error)
            flush_and_exit(1)

    @asynccontextmanager
    async def check_later(self) -> AsyncIterator[None]:
        """Retry in the background while the database is unreachable: no activity can write to it meanwhile."""
        trying = asyncio.create_task(self.settle())
        yield
        trying.cancel()

    async def settle(self) -> None:
        """Retry the check until the database is reachable."""
        while not self._is_settled:
            await self._check()
            await asyncio.sleep(0 if self._is_settled else POLL_SECONDS)


def flush_and_exit(code: int) -> None:
    """Exit with `os._exit`, because an ordinary exit with a Temporal client may abort."""
    stop_tracing()
    logging.shutdown()
    sys.stdout.flush()
    os._exit(code)


def parse_arguments(arguments: Sequence[str]) -> bool:
    """Return whether to start a crew worker; print the usage and exit for invalid arguments."""
    parser = argparse.ArgumentParser(prog="python -m worker", description=USAGE)
    parser.add_argument("kind", nargs="?", choices=["crews"], help="a worker for crews alone")
    kind: str | None = parser.parse_args(arguments).kind
    return kind == "crews"


def _warn_of_models(settings: Settings) -> None:
    if not settings.greenlight_offline:
        for told in find_model_warnings(settings.models_used(), datetime.now(UTC).date()):
            logger.warning("%s", told.text)


async def _require_search_attributes(client: Client, settings: Settings) -> None:
    """Exit if runs need search attributes that are not registered."""
    if settings.greenlight_search_attributes and (
        todo := await list_missing_search_attributes(client)
    ):
        sys.exit("search attributes are not registered; run\n" + "\n".join(todo))


def _keep_libraries() -> None:
    """Enable garbage collection for new objects only, because scanning the libraries' objects takes up to a second."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000)  # a company's facts are many objects with few cycles
    gc.enable()


def _start_observing(settings: Settings, *, crews: bool) -> Sequence[Interceptor]:
    """Serve metrics and send traces as configured; return interceptors for this process's Temporal client."""
    serve_product_metrics(settings.greenlight_metrics)
    process = "crew-worker" if crews else "worker"
    return start_tracing(settings.otel_exporter_otlp_endpoint, process)


async def main(*, crews: bool) -> None:
    """Run until SIGTERM or Ctrl-C, then let calls in flight finish within the grace period."""
    settings = Settings()
    configure_logs(settings.greenlight_log)
    _warn_of_models(settings)
    probes = ProbeFiles(settings.greenlight_probe_folder)
    beating = asyncio.create_task(probes.beat())
    blobs = BlobStore(settings.blob_url)
    client = await connect(settings, blobs, _start_observing(settings, crews=crews))
    await _require_search_attributes(client, settings)
    async with open_activities(settings, blobs, client, crews=crews) as callables:
        builders = (
            [build_crew_worker] if crews else [build_worker, build_index_worker, build_alert_worker]
        )
        workers = [build(client, settings, callables) for build in builders]
        claim = QueueClaim(client, settings, schedules=not crews)
        with suppress(TimeoutError):
            async with asyncio.timeout(DATABASE_SECONDS):
                await claim.settle()
        stop = asyncio.Event()  # handle signals only now: during startup there is nothing to finish
        for name in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(name, stop.set)
        _keep_libraries()
        async with AsyncExitStack() as working:
            for worker in workers:
                await working.enter_async_context(worker)
            await working.enter_async_context(claim.check_later())
            logger.info(READY)
            probes.mark_ready()
            await stop.wait()
            # After that, SIGALRM kills this process, because no supervisor may be left to do it.
            signal.alarm(math.ceil(settings.greenlight_stop_grace.total_seconds()) + EXIT_SECONDS)
            await asyncio.gather(*(worker.shutdown() for worker in workers))  # in parallel
    beating.cancel()


if __name__ == "__main__":
    asyncio.run(main(crews=parse_arguments(sys.argv[1:])))
    flush_and_exit(0)

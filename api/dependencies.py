"""Dependencies of the routes, as `Annotated` aliases."""

from typing import Annotated

from fastapi import Depends, Request
from temporalio.client import Client

from activities.alerts.decision_links import DecisionLinks
from activities.collections.storage import DocumentStorage
from activities.confined.call_pool import INDEXING, READING, REPORTS, CallPool
from activities.parsing.page_parser import PageParser
from activities.runs.run_removal import Remover
from activities.runs.start_resolver import StartResolver
from api.access.oidc import TokenVerifier
from api.access.rate_limits import TESTS_A_MINUTE, CallerLimits, TokenBucket
from api.event_stream import EventLog
from contracts.preset_definitions import PRESETS
from domain.decision_seals import Sealer
from settings import Settings
from store.access.access_keys import KeyRepository
from store.access.audit_log_reader import AuditRepository
from store.access.secret_encryption import TextCipher
from store.alerts import AlertRepository, ChannelRepository
from store.blobs import BlobStore
from store.calls.budgets import BudgetRepository
from store.calls.past_calls import PastCallRepository
from store.calls.spend import SpendRepository
from store.collections.documents import CollectionRepository
from store.collections.queue import IndexQueue
from store.definitions import DefinitionRepository
from store.files import FileRepository
from store.postgres.pool import Pool
from store.reuse.startup_companies import StartupRepository
from store.run_records.archives import ArchiveRepository
from store.run_records.event_log import EventRepository, Listener
from store.run_records.removals import RemovalRepository
from store.run_records.runs import RunRepository
from store.schedules import ScheduleRepository
from temporal.research_schedules import ResearchSchedules
from temporal.run_client import RunClient
from temporal.side_workflows.alerts import Courier
from temporal.side_workflows.indexing import Indexer
from temporal.side_workflows.provider_test import ProviderTester
from workflows.start.resolution import open_run


class Alerting:
    """Alerts to users: their channels, the alerts, and the links in them."""

    def __init__(self, settings: Settings, pool: Pool, client: Client) -> None:
        cipher = TextCipher(settings.channel_keys())
        self.channels = ChannelRepository(pool, cipher)
        self.alerts = AlertRepository(pool, cipher)
        self.courier = Courier(client, settings.greenlight_task_queue)
        self.links = DecisionLinks(
            settings.greenlight_signing_key.get_secret_value(), settings.public_url
        )
        self.sends_mail = bool(settings.smtp_from)
        self.tests = TokenBucket(most=TESTS_A_MINUTE, seconds=60, code="limit-alert-tests")


class Installation:
    """The operator's settings for the whole installation that clients may see or depend on."""

    def __init__(self, settings: Settings) -> None:
        self.research_settings = settings.greenlight_research
        self.phase_seconds = settings.greenlight_phase_seconds
        self.temporal_ui = settings.greenlight_temporal_ui
        self.tool_servers = settings.list_tool_servers()
        self.research_collection = settings.greenlight_research_collection
        self.installs = settings.greenlight_installs


class Dependencies:
    """Repositories and clients of the gateway, built once a process; connections may be down."""

    def __init__(
        self, settings: Settings, pool: Pool, listener: Listener, client: Client, blobs: BlobStore
    ) -> None:
        self.pool = pool
        self.blobs = blobs
        self.limits = CallerLimits(settings)
        self.installation = Installation(settings)
        self.terms = settings.terms()
        self.signing_key = settings.greenlight_signing_key.get_secret_value()
        self.definitions = DefinitionRepository(
            pool,
            PRESETS,
            self.installation.research_settings,
            self.installation.phase_seconds,
        )
        self.runs = RunRepository(pool)
        self.archives = ArchiveRepository(pool)
        self.spend = SpendRepository(pool)
        self.budgets = BudgetRepository(pool)
        self.startups = StartupRepository(pool)
        self.files = FileRepository(pool)
        self.collections = CollectionRepository(pool)
        self.documents = DocumentStorage(
            self.collections,
            IndexQueue(pool),
            blobs,
            Indexer(client, settings.greenlight_task_queue),
        )
        self.sandbox = CallPool(*READING, *INDEXING, *REPORTS)
        self.parser = PageParser(pool=self.sandbox)
        self.keys = KeyRepository(pool)
        self.audit = AuditRepository(pool)
        self.require_keys = settings.greenlight_require_keys
        self.tokens = TokenVerifier.of(settings.oidc())
        self.log = EventLog(EventRepository(pool), self.runs, listener)
        self.run_client = RunClient(client, settings.greenlight_task_queue)
        self.provider_tester = ProviderTester(
            client,
            settings.greenlight_task_queue,
            TokenBucket(most=TESTS_A_MINUTE, seconds=60, code="limit-provider-tests").take,
        )
        self.remover = Remover(RemovalRepository(pool), blobs, self.run_client)
        self.seals = Sealer(self.signing_key)
        self.alerting = Alerting(settings, pool, client)
        self.schedules = ScheduleRepository(pool)
        self.research_schedules = ResearchSchedules(client, settings.greenlight_task_queue)
        self.resolver = StartResolver(
            self.definitions,
            self.runs,
            self.startups,
            self.files,
            self.collections,
            PastCallRepository(pool),
            self.terms,
            open_run,
            index=settings.greenlight_search_attributes,
            samples=settings.samples(),
        )


async def get_dependencies(request: Request) -> Dependencies:
    """Return the dependencies that `create_app` received; not in a thread, as it would be without `async`."""
    dependencies: Dependencies = request.app.state.dependencies
    return dependencies


Deps = Annotated[Dependencies, Depends(get_dependencies)]

"""The real things every test may use: PostgreSQL, Temporal, the offline services."""

import asyncio
import contextlib
import gc
import inspect
import json
import os
import shutil
import signal
import sys
import sysconfig
import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import hypothesis
import psutil
import psycopg
import pytest
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from activities.confined.subprocess_sandbox import SubprocessSandbox
from activities.parsing.page_parser import PageParser
from greenlight.stack.ports import reserve_ports
from greenlight.stack.postgres import PostgresCluster
from greenlight.stack.processes import Child
from greenlight.stack.temporal_server import (
    DEV_SERVER_FLAGS,
    ENVIRONMENT,
    TIMER_SLACK_NS,
    find_program,
)
from tests.chaos.fragile_stack import FragileStack
from tests.greenlight.forks import run_in_forks
from tests.support.databases import HOMES, as_owner
from tests.support.fork_server import (
    INHERITED,
    INHERITED_POOL,
    POOL,
    PRODUCT,
    launch_by,
    run_fork_server,
)
from tests.support.process_state import kept_state, make_executor
from tests.support.product.published import read_description
from tests.support.stack import CREW, Undisturbed, Whole
from tests.support.temporal.sandbox import WorkflowRunners

for profile, count in (("default run", 30), ("complete run", 200)):
    hypothesis.settings.register_profile(profile, deadline=None, max_examples=count)

os.environ.setdefault("GOGC", "300")
"""Temporal's servers, a third of the suite's processor time, collect garbage less often."""

os.environ.setdefault("GREENLIGHT_SAMPLES", os.devnull)
"""The stand-in answers all questions by rule, those of the recorded samples too."""

ROOT = Path(__file__).parent.parent
SCRIPTS = Path(sysconfig.get_path("scripts"))
TEMPLATE = "greenlight"


# The server deletes an execution once its queue's progress is noted: every half minute, else.
DELETES_SOON = ("--dynamic-config-value", 'history.transferProcessorUpdateAckInterval="100ms"')

SHARED = {
    **dict.fromkeys(("tests/page/run/", "tests/page/all_views/"), "views"),
    "tests/page/": "page",
    "tests/chaos/seeded/": "seeds",
    "tests/e2e/test_backup": "backup",
    "tests/e2e/test_upgrade": "upgrade",
    **dict.fromkeys(("tests/chaos/", "tests/e2e/"), "stack"),
    "tests/observe/": "observe",
    **dict.fromkeys(
        ("tests/greenlight/stack/test_open_ports", "tests/greenlight/stack/test_stack"), "up"
    ),
    "tests/activities/crew/": "crewai",
    **dict.fromkeys(
        (
            "tests/test_architecture",
            "tests/contracts/test_words_are",
            "tests/contracts/test_notice",
        ),
        "trees",
    ),
}
"""Places that share what there should be only one of, the longest first: they start before all other tests."""
STACKS = {"views", "page", "seeds", "backup", "stack", "observe"}
"""Of these, what starts stacks that are not `greenlight up`; each ends with its tests."""
ORDER = [*dict.fromkeys(SHARED.values())]
QUICK = ("tests/domain/", "tests/contracts/", "tests/offline/")
"""Folders whose files take a second or less: they come last, so that all processes end at about the same time."""
PROGRAMS = (
    "tests/activities/test_confinement.py",
    "tests/activities/test_subprocess_sandbox.py",
    "tests/activities/parsing/office/test_hostile_documents.py",
    "tests/api/reports/test_pdf_and_word_process.py",
    "tests/api/runs/test_get_growth.py",
)
"""Tests of how confined processes are started, end, and what they take: theirs are programs, not forks of a server."""


def _place(nodeid: str) -> str:
    """Return what a test has to share a process with: its place's, else its own file's tests."""
    shared = (name for place, name in SHARED.items() if nodeid.startswith(place))
    return next(shared, nodeid.split("::")[0])


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--processes", type=int, default=0, help="run the tests in so many processes")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run the tests in several processes, if that is asked for; keep together what belongs together."""
    options = session.config.option
    if not options.processes or options.collectonly or session.testsfailed:
        return None
    groups: dict[str, list[pytest.Item]] = {}
    for item in session.items:
        groups.setdefault(_place(item.nodeid), []).append(item)
    final = {groups[name][-1] for name in STACKS & groups.keys()}
    run_in_forks(session, list(groups.values()), options.processes, final)
    return True


def pytest_configure(config: pytest.Config) -> None:
    """Have the default run take workflows out of Temporal's sandbox, save where a test asks for it.

    It speaks no TLS either: its clients need not read the certificates, for 20 ms each.
    Every run starts with Python's own handler of SIGINT; a shell that starts a run in its
    background has the signal ignored, and then a handler that a test leaves changed is not seen.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    WorkflowRunners.is_complete = config.option.markexpr != "not full"
    profile = "complete run" if WorkflowRunners.is_complete else "default run"
    hypothesis.settings.load_profile(profile)  # without deadline: speed is for bench alone
    if not WorkflowRunners.is_complete:
        os.environ.update(SSL_CERT_FILE="", SSL_CERT_DIR=os.devnull)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Start the fork servers of a whole run, which import meanwhile, and freeze what is imported: it stays.

    What each process of a whole run would make for itself is made before.
    """
    is_whole = session.config.option.processes and session.config.args == ["tests"]
    if is_whole:
        _run_fork_servers(session.config)
    gc.disable()
    yield
    if is_whole:
        read_description()
    gc.freeze()
    gc.set_threshold(50_000)  # as in workers: tests make many objects and few cycles
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {name: n for n, name in enumerate(ORDER)}

    def rank(item: pytest.Item) -> int:
        usual = len(places) + item.nodeid.startswith(QUICK)
        return places.get(_place(item.nodeid), usual)

    items.sort(key=rank)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Start the fork servers if there will be stacks."""
    if not session.config.option.collectonly and any(
        _place(item.nodeid) in STACKS for item in session.items
    ):
        _run_fork_servers(session.config)


def _run_fork_servers(config: pytest.Config) -> None:
    """Run the servers that the processes of stacks are forked from, unless they run."""
    if INHERITED in os.environ:
        return
    ending = contextlib.ExitStack()
    ending.enter_context(run_fork_server(*POOL, variable=INHERITED_POOL))
    ending.enter_context(run_fork_server(*PRODUCT))
    config.add_cleanup(ending.close)
    SubprocessSandbox.program = launch_by(os.environ[INHERITED_POOL])


@dataclass(frozen=True)
class Postgres:
    """The test session's PostgreSQL."""

    cluster: PostgresCluster
    port: int
    child: Child

    def dsn(self, database: str = TEMPLATE) -> str:
        return self.cluster.dsn(self.port, database)

    async def database(self, template: str = "template1") -> str:
        """Make a database and return its dsn."""
        name = f"test_{uuid.uuid4().hex}"
        admin = await psycopg.AsyncConnection.connect(
            self.cluster.owner_dsn(self.port, "postgres"), autocommit=True
        )
        async with admin:
            await admin.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
        return self.dsn(name)


@pytest.fixture(scope="session")
async def postgres(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Postgres]:
    """One cluster that does not wait for the disk; its database `greenlight` is empty."""
    home = tmp_path_factory.mktemp("postgres")
    cluster = PostgresCluster(home, durable=False)
    cluster.initialize()
    port = reserve_ports({"postgres": 0})["postgres"]
    child = cluster.make_server(port, home / "postgres.log")
    await child.start()
    await child.wait_until_ready(lambda: cluster.create_database(port))
    HOMES[port] = home
    yield Postgres(cluster, port, child)
    await child.stop()


@pytest.fixture(scope="session")
async def template(postgres: Postgres) -> str:
    """The name of a database with every migration applied, for others to be copied from."""
    from store.postgres.database import migrate

    await migrate(as_owner(postgres.dsn()), postgres.dsn())
    return TEMPLATE


@pytest.fixture(scope="module")
async def database(postgres: Postgres, template: str) -> str:
    """The dsn of a fresh, migrated database."""
    return await postgres.database(template)


@pytest.fixture(scope="session")
async def environment(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[WorkflowEnvironment]:
    """A Temporal dev server, in memory, tuned as a stack's is."""
    port = reserve_ports({"temporal": 0})["temporal"]
    address = f"127.0.0.1:{port}"
    options = ("--headless", "--ip", "127.0.0.1", "--port", str(port), "--log-level", "error")
    child = Child(
        "temporal",
        [find_program(), "server", "start-dev", *options, *DEV_SERVER_FLAGS, *DELETES_SOON],
        tmp_path_factory.mktemp("temporal") / "temporal.log",
        ENVIRONMENT,
        timer_slack_ns=TIMER_SLACK_NS,
    )
    await child.start()

    async def connect() -> None:
        await Client.connect(address)

    await child.wait_until_ready(connect)
    yield WorkflowEnvironment.from_client(await Client.connect(address))
    await child.stop()


@pytest.fixture(scope="session")
def temporal(environment: WorkflowEnvironment) -> Client:
    """A client of the dev server."""
    return environment.client


async def _start_time_skipping(attempts: int = 4) -> WorkflowEnvironment:
    """Start the server anew if it is late: the SDK waits five seconds, while four processes of tests begin at once."""
    try:
        return await WorkflowEnvironment.start_time_skipping(
            test_server_existing_path=str(SCRIPTS / "temporal-test-server")
        )
    except RuntimeError:
        if attempts == 1:
            raise
    return await _start_time_skipping(attempts - 1)


@contextlib.asynccontextmanager
async def time_skipping_server() -> AsyncIterator[WorkflowEnvironment]:
    """Start Temporal's test server, and kill it at the end: asked to stop, it may wait for a poll forever."""
    started = await _start_time_skipping()
    port = started.client.service_client.config.target_host.rpartition(":")[2]
    [server] = [each for each in psutil.Process().children() if port in each.cmdline()]
    async with started:
        yield started
        server.kill()


@pytest.fixture(scope="session")
async def time_skipping() -> AsyncIterator[WorkflowEnvironment]:
    """A Temporal server on which days pass in milliseconds; it knows no search attributes."""
    async with time_skipping_server() as started:
        yield started


@pytest.fixture(scope="session")
async def test_server() -> AsyncIterator[Client]:
    """A client of Temporal's test server that leaves its time alone."""
    async with time_skipping_server() as started:
        service = started.client.service_client
        yield await Client.connect(service.config.target_host, namespace=started.client.namespace)


@pytest.fixture(scope="session")
def quick_temporal(request: pytest.FixtureRequest) -> Client:
    """A client of the dev server in a complete run; else of the test server, which takes a fifth of its time.

    The test server loses an update that meets a workflow at work (a cancel just after the start may hold a run for ever),
    keeps tasks for a worker that has gone, knows no schedules and no task queue's pollers, and neither pauses, lists nor
    deletes executions: tests of those run on the dev server.
    """
    if WorkflowRunners.is_complete:
        client: Client = request.getfixturevalue("environment").client
        return client
    server: Client = request.getfixturevalue("test_server")
    return server


@pytest.fixture(scope="session")
async def parser() -> AsyncIterator[PageParser]:
    """A parser of pages and files; its processes take a second each to start."""
    made = PageParser()
    yield made
    await made.close()


@pytest.fixture(scope="module", autouse=True)
def _confined_programs(request: pytest.FixtureRequest) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        if request.node.nodeid in PROGRAMS:
            patch.setattr(SubprocessSandbox, "program", (sys.executable,))
        yield


@pytest.fixture(scope="session")
async def shared_loop() -> asyncio.AbstractEventLoop:
    """The event loop of all tests of a process."""
    return await make_executor()


@pytest.fixture(autouse=True)
def _process_is_left_as_it_was(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail the test that leaves the process, or its loop's executor, changed, and not one of those that follow."""
    is_async = inspect.iscoroutinefunction(request.function)
    with kept_state(request.getfixturevalue("shared_loop") if is_async else None):
        yield


@pytest.fixture(scope="session")
def forks() -> Iterator[None]:
    """A server whose forks have the product imported: that of stacks, or one of its own."""
    with contextlib.nullcontext() if INHERITED in os.environ else run_fork_server(*PRODUCT):
        yield


@pytest.fixture
def task_queue() -> str:
    """A task queue nobody else uses."""
    return f"test-{uuid.uuid4()}"


@dataclass(frozen=True)
class Offline:
    """Where the offline services answer."""

    model: str
    search: str
    requests: str
    pages: str
    edgar: str


@pytest.fixture(scope="session")
async def offline() -> AsyncIterator[Offline]:
    """The offline services over the sample library, as fast as they can."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "offline", "--port", "0", "--pace", "0"),
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    assert process.stdout is not None
    addresses = json.loads(await asyncio.wait_for(process.stdout.readline(), 30))
    yield Offline(**addresses)
    process.terminate()
    await process.wait()


@pytest.fixture(scope="session")
async def stack(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[FragileStack]:
    """The whole of Greenlight, as `up` runs it."""
    async with FragileStack(tmp_path_factory.mktemp("whole"), print) as started:
        yield started


@pytest.fixture
async def whole(stack: FragileStack) -> AsyncIterator[Whole]:
    """The stack with clients of it; nothing of an earlier test goes on or is in the log."""
    async with Whole.of(stack) as whole:
        yield whole


@pytest.fixture(scope="session")
async def undisturbed(stack: FragileStack) -> Undisturbed:
    """A run that nothing happened to, for others to be compared with."""
    async with Whole.of(stack) as whole:
        return await whole.undisturbed()


@pytest.fixture(scope="session")
async def market(stack: FragileStack) -> Undisturbed:
    """A market analysis that nothing happened to; its answers take long enough to be streamed."""
    await stack.ready(
        "crew-worker"
    )  # it loads for longer than a run is waited for, on a busy machine
    async with Whole.of(stack) as whole:
        await whole.providers.told(pace=0.15)
        return await whole.undisturbed(definition=CREW)


@pytest.fixture(scope="session", autouse=True)
def _programs_are_installed() -> None:
    """Fail at once, and clearly, where the wheels' programs are missing."""
    assert shutil.which(SCRIPTS / "temporal"), "run `python3 -m greenlight test`"

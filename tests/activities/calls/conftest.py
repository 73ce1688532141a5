"""A gateway over a real journal, log and blob store, and a provider to talk to."""

import contextlib
import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, ApplicationError
from temporalio.testing import ActivityEnvironment
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput

from activities.calls.journaled_call import JournaledCalls
from activities.calls.model_gateway import ModelGateway
from activities.claims.claim_activities import ClaimActivities
from activities.claims.evidence_code import EVIDENCE_CODE
from activities.heartbeat_interceptor import ActivityInterceptor
from activities.integrations.models.claude import ClaudeClient
from contracts.access.principal import Principal
from contracts.base import Json
from contracts.errors import GreenlightError, OutOfTime, Transient
from contracts.evidence.claims import Ruling
from contracts.models.call import Block, Input, Message, ModelRequest, ModelResult, Scope, Tool
from contracts.models.prices import LongerPrice, Price
from contracts.models.usage import Usage
from contracts.notices import Notice
from contracts.runs.lost_inputs import LostInput
from contracts.runs.records import LoggedEvent
from store.blobs import BlobStore
from store.calls.call_journal import Journal
from store.postgres.pool import Pool
from store.postgres.process_lease import Lease
from store.run_records.event_log import EventRepository
from tests.activities.calls.provider import Provider, serving
from tests.support.databases import fetch_as_owner
from tests.support.offline_services import PATIENCE
from workflows.runtime.failures import describe_cause
from workflows.verification.answer_verification import Verification
from workflows.verification.judge_queue import JudgeQueue

PRICES = {
    "m": Price(input_usd=1, output_usd=5),
    "dear": Price(input_usd=10, output_usd=50),
    "claude-opus-5-5": Price(input_usd=4, output_usd=20),
    "long": Price(
        input_usd=1,
        output_usd=5,
        longer=LongerPrice(above_tokens=500, input_usd=5, output_usd=25),
    ),
}
NUMBER: Json = {
    "type": "object",
    "properties": {"number": {"type": "integer", "minimum": 1}},
    "required": ["number"],
    "additionalProperties": False,
}


@dataclass
class House:
    """What a model call needs, and a run of its own."""

    dsn: str
    pool: Pool
    journal: Journal
    events: EventRepository
    blobs: BlobStore
    calls: JournaledCalls
    gateway: ModelGateway
    provider: Provider
    run_id: str
    client: ClaudeClient
    steps: list[str] = field(default_factory=list)
    """The activities that verified the last answer."""
    judged: dict[str, Ruling] = field(default_factory=dict)
    """The judge's rulings on the last answer, by digest."""
    optional_calls: int | None = None
    """Number of a verification's optional calls that there is time for; None: all."""

    def request(
        self, question: str = "How many?", name: str = "ask", **changes: object
    ) -> ModelRequest:
        fenced = Block(type="inputs", inputs=[Input(name="question", text=question)])
        return ModelRequest(
            scope=Scope(run_id=self.run_id, phase_id="plan", attempt=1, name=name),
            role="planner",
            model="m",
            system="You count.",
            messages=[Message(role="user", content=[fenced])],
            cap_usd=1.0,
        ).model_copy(update=changes)

    async def call(self, request: ModelRequest, attempt: int = 1) -> ModelResult:
        """Return an answer, its claims verified as its workflow has it done; with what all of it cost and lost."""
        written = await environment(attempt).run(self.gateway.call, request)
        if request.pages is None:
            return written
        activities = ClaimActivities(self.gateway, EVIDENCE_CODE, self.blobs)
        caller = DirectCaller(activities, self.optional_calls)
        result = await Verification(caller, request, written).run()
        self.steps, self.judged = caller.names, caller.judged
        lost = [*written.lost_inputs, *caller.lost]
        return result.model_copy(
            update={"usage": written.usage + caller.usage, "lost_inputs": lost}
        )

    async def log(self) -> list[LoggedEvent]:
        return await self.events.read(Principal(), self.run_id)

    async def told(self) -> list[str]:
        return [event.type for event in await self.log()]

    async def list_paid(self) -> list[str]:
        """Return the names of the settled model calls, in order."""
        settled = (
            "SELECT name FROM calls WHERE run_id = %(run)s AND settled_usd > 0 ORDER BY settled_at"
        )
        return await fetch_as_owner(self.dsn, settled, {"run": self.run_id})

    async def spent(self) -> float:
        return (await self.journal.sum_usage("default", self.run_id)).usd


class DirectCaller:
    """Runs activities without a server: three attempts each."""

    def __init__(self, claims: ClaimActivities, optional_calls: int | None = None) -> None:
        self._claims = claims
        self._left = optional_calls
        self.usage = Usage()
        self.lost: list[LostInput] = []
        self.names: list[str] = []
        self.judged: dict[str, Ruling] = {}
        self.judges = JudgeQueue({}, self.judged.update)

    async def execute_activity(self, name: str, method: Any, request: Any, *, summary: str) -> Any:
        assert name not in self.names, "names are unique in an attempt"
        self.names.append(name)
        for attempt in (1, 2, 3):
            try:
                work = getattr(self._claims, method.__name__)
                result = await environment(attempt).run(work, request)
            except GreenlightError as error:
                if isinstance(error, Transient) and attempt < 3:
                    continue
                reason = ApplicationError(str(error), *error.details, type=error.type())
                raise _fail(name) from reason
            else:
                self.usage += getattr(result, "usage", Usage())
                return result
        raise AssertionError

    def name_call(self, request: ModelRequest, name: str) -> ModelRequest:
        scope = request.scope.model_copy(update={"name": name})
        return request.model_copy(update={"scope": scope})

    @contextlib.asynccontextmanager
    async def do_in_time(self, request: ModelRequest) -> AsyncIterator[None]:
        if 0 in (request.seconds_left, self._left):
            raise OutOfTime(Notice.of("phase-ended-late"))
        self._left = self._left and self._left - 1
        yield

    def lose_check(self, error: Exception, code: str) -> None:
        cause = describe_cause(error)
        self.lost.append(LostInput(kind="check", name=code, causes=[cause], optional=True))


def _fail(name: str) -> ActivityError:
    return ActivityError(
        "failed",
        scheduled_event_id=1,
        started_event_id=2,
        identity="",
        activity_type="",
        activity_id=name,
        retry_state=None,
    )


async def insert_run(pool: Pool, run_id: str) -> None:
    """Insert a minimal row for a run."""
    await fetch_as_owner(
        pool, "INSERT INTO runs (tenant_id, id) VALUES ('default', %(id)s)", {"id": run_id}
    )


def environment(attempt: int = 1, seconds: float = 4) -> ActivityEnvironment:
    made = ActivityEnvironment()
    made.info = replace(
        ActivityEnvironment.default_info(),
        attempt=attempt,
        retry_policy=RetryPolicy(maximum_attempts=3),
        start_to_close_timeout=timedelta(seconds=seconds),
        heartbeat_timeout=timedelta(seconds=0.2),
    )
    return made


def tool(name: str) -> Tool:
    return Tool(name=name, description=name, input_schema={"type": "object", "properties": {}})


@pytest.fixture(scope="session")
async def server() -> AsyncIterator[Provider]:
    async with serving() as serves:
        yield serves


@pytest.fixture
def provider(server: Provider) -> Iterator[Provider]:
    """The provider, with no script and its gate shut."""
    yield server
    server.reset()


@contextlib.asynccontextmanager
async def connected(dsn: str) -> AsyncIterator[tuple[Pool, Lease]]:
    """Open connections to this database, one of which holds the lease of a journal's calls."""
    async with Pool(dsn) as pool, Lease(dsn) as lease:
        await lease.held.wait()
        yield pool, lease


@contextlib.asynccontextmanager
async def over(
    dsn: str, pool: Pool, lease: Lease, provider: Provider, folder: Path
) -> AsyncIterator[House]:
    """Open a gateway over these connections."""
    journal, events, blobs = (
        Journal(pool, lease),
        EventRepository(pool),
        BlobStore(folder.as_uri()),
    )
    client = ClaudeClient(provider.url, "a-key", limit_seconds=60, silence_seconds=30)
    calls = JournaledCalls(journal)
    gateway = ModelGateway(client, calls, events, blobs, PRICES)
    run_id = f"run-{uuid.uuid4()}"
    yield House(dsn, pool, journal, events, blobs, calls, gateway, provider, run_id, client)
    await client.close()


@contextlib.asynccontextmanager
async def opened(dsn: str, provider: Provider, folder: Path) -> AsyncIterator[House]:
    """Open a gateway over this database."""
    async with connected(dsn) as (pool, lease), over(dsn, pool, lease, provider, folder) as house:
        yield house


@pytest.fixture(scope="module")
async def connections(database: str) -> AsyncIterator[tuple[Pool, Lease]]:
    """The module's connections: runs keep its tests apart."""
    async with connected(database) as made:
        yield made


@pytest.fixture
async def house(
    database: str, connections: tuple[Pool, Lease], provider: Provider, tmp_path: Path
) -> AsyncIterator[House]:
    async with over(database, *connections, provider, tmp_path) as made:
        yield made


class Innermost(ActivityInboundInterceptor):
    """Where the SDK calls the activity itself."""

    def __init__(self) -> None: ...

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        return await input.fn(*input.args)


async def behind_interceptor(
    house: House, request: ModelRequest, seconds: float = 2 * PATIENCE
) -> ModelResult:
    """Make the call as a worker does, which waits for the store for half of so many seconds."""
    inbound = ActivityInterceptor().intercept_activity(Innermost())
    input = ExecuteActivityInput(fn=house.gateway.call, args=(request,), executor=None, headers={})
    result: ModelResult = await environment(seconds=seconds).run(inbound.execute_activity, input)
    return result

"""The whole of Greenlight under test: runs as a client uses them, and the stack."""

import asyncio
import contextlib
import json
import sys
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psycopg
from httpx_sse import aconnect_sse
from temporalio.api.enums.v1 import PendingActivityState
from temporalio.client import Client

from contracts.human.checkpoints import Checkpoint
from contracts.runs.records import LoggedEvent
from contracts.runs.state_view import StateView
from contracts.runs.statuses import ENDED
from greenlight.stack.temporal_server import find_program
from tests.chaos.fragile_stack import FragileStack
from tests.support.databases import as_owner, note_home
from tests.support.offline_services import PATIENCE, Call, Providers, eventually
from tests.support.product.published import as_published

QUESTION = (
    "Which of Kenya, Ethiopia and Tanzania should we enter first with solar irrigation pumps?"
)
CREW = "market_analysis"
STARTED = PendingActivityState.PENDING_ACTIVITY_STATE_STARTED


@dataclass(frozen=True)
class Run:
    """One run, as a client of the gateway sees it."""

    http: httpx.AsyncClient
    id: str

    async def get(self, path: str = "", **params: Any) -> httpx.Response:
        answer = await self.http.get(f"/v1/runs/{self.id}{path}", params=params)
        return answer.raise_for_status()

    async def post(self, path: str, body: object = None, **params: Any) -> httpx.Response:
        return await self.http.post(f"/v1/runs/{self.id}{path}", json=body, params=params)

    async def state(self, wait: float = 0) -> StateView:
        """Return its state: the present one, or after `wait` seconds at most that in which it asks a human or has ended."""
        return StateView.model_validate((await self.get("/state", wait=wait)).json())

    async def recorded(self) -> dict[str, Any]:
        """Return its row, which its first activity writes: until then the gateway answers 404."""

        async def row() -> dict[str, Any]:
            return (await self.get()).json()  # type: ignore[no-any-return]

        return await eventually(row)  # type: ignore[no-any-return]

    async def asks(self, kind: str, seconds: float = PATIENCE, after: str = "") -> Checkpoint:
        """Return the checkpoint of that kind once it is open; `after` is one that was before."""

        async def opened() -> Checkpoint | None:
            state = await self.state(wait=1)
            assert state.status not in ENDED, f"{state.status}: {state.phases}"
            asked = (c for c in state.pending if c.kind == kind and c.checkpoint_id != after)
            return next(asked, None)

        return await eventually(opened, seconds)  # type: ignore[no-any-return]

    async def answer(self, answer: str | None = None) -> Checkpoint:
        """Give the same answer to every question; None leaves them to the run."""
        asked = await self.asks("questions")
        answers = {question.id: answer for question in asked.questions}
        said = await self.post("/answers", {"answers": answers})
        assert said.status_code == 202, said.text
        return asked

    async def approve(self) -> Checkpoint:
        """Approve the plan that is shown."""
        shown = await self.asks("decision")
        said = await self.post("/decision", {"action": "approve", "plan_hash": shown.plan_hash})
        assert said.status_code == 202, said.text
        return shown

    async def ended(self, seconds: float = PATIENCE) -> StateView:
        """Return the state once the run has ended and is recorded so."""

        async def over() -> StateView | None:
            row = (await self.get()).json()
            return await self.state() if row["status"] in ENDED else None

        return await eventually(over, seconds)  # type: ignore[no-any-return]

    async def finish(self, seconds: float = PATIENCE) -> StateView:
        """Answer, approve, and see the run complete."""
        await self.answer()
        await self.approve()
        return await self.completed(seconds)

    async def completed(self, seconds: float = PATIENCE) -> StateView:
        state = await self.ended(seconds)
        told = [(p.id, p.status, p.error, p.warnings) for p in state.phases]
        assert state.status == "completed", told
        return state

    async def report(self) -> str:
        return (await self.get("/report")).text

    async def events(self, *types: str) -> list[LoggedEvent]:
        """Return the whole log, or its events of these types."""
        events: list[LoggedEvent] = []
        cursor: str | None = "0"
        while cursor:
            page = (await self.get("/events", after=cursor)).json()
            events += map(as_published, map(LoggedEvent.model_validate, page["items"]))
            cursor = page["next_cursor"]
        return [event for event in events if not types or event.type in types]

    async def stream(self, after: int = 0) -> AsyncIterator[LoggedEvent]:
        """Yield events as they come, until the server ends the stream."""
        headers = {"Last-Event-ID": str(after)} if after else {}
        path = f"/v1/runs/{self.id}/stream"
        async with aconnect_sse(self.http, "GET", path, headers=headers) as source:
            source.response.raise_for_status()
            async for sent in source.aiter_sse():
                event = as_published(LoggedEvent.model_validate_json(sent.data))
                assert (sent.id, sent.event) == (str(event.seq), event.type)
                yield event

    async def watch(self) -> list[LoggedEvent]:
        """Return all events of the stream, from the start to its end."""
        return [event async for event in self.stream()]


@dataclass(frozen=True)
class Undisturbed:
    """What comes of the question when nothing is broken, what was seen, and what that took."""

    run: Run
    asked: Checkpoint
    shown: Checkpoint
    state: StateView
    watched: list[LoggedEvent]
    report: str
    outputs: dict[str, Any]
    calls: Counter[Call]
    models: int
    paid: list[dict[str, Any]]

    def asked_of(self, path: str) -> list[int]:
        """Return how often each request to a provider's path was answered."""
        return [times for call, times in self.calls.items() if call[0] == path]

    def turns(self, task: str) -> int:
        """Return how many turns a task of its crew took."""
        done = [e for e in self.watched if e.type == "AgentOutput"]
        return [event.plan_step for event in done].count(task)


def _count_unheard(calls: list[dict[str, Any]], broken: int) -> int:
    """Return how many answers may have come while their worker ended, which the journal did not hear."""
    taken_over: int = sum(call["taken_over"] for call in calls)
    return max(taken_over - broken, 0)


CALL = ("kind", "phase_id", "attempt", "plan_step", "name")
"""Fields that distinguish a run's calls, for any content."""


@dataclass
class Whole:
    """Everything at once."""

    stack: FragileStack
    http: httpx.AsyncClient
    providers: Providers
    runs: list[Run] = field(default_factory=list)

    async def start(self, query: str = QUESTION, **more: Any) -> Run:
        """Start a run."""
        answer = await self.ask(query, **more)
        assert answer.status_code == 202, answer.text
        return self.run(answer.json()["run_id"])

    async def planned(self, definition: str = "deep_research", **more: Any) -> Run:
        """Return a run whose plan awaits a decision."""
        run = await self.start(definition=definition, **more)
        await run.answer()
        await run.asks("decision")
        return run

    async def ask(
        self,
        query: str = QUESTION,
        headers: dict[str, str] | None = None,
        definition: str = "deep_research",
        **more: Any,
    ) -> httpx.Response:
        """Return the answer to a start, also for errors."""
        body = {"query": query, "save_startup": False, "fresh": True, **more}
        path = f"/v1/workflows/{definition}/run"
        return await self.http.post(path, json=body, headers=headers)

    def run(self, run_id: str) -> Run:
        """Return a run that may have been started elsewhere; it is ended with the test."""
        self.runs.append(Run(self.http, run_id))
        return self.runs[-1]

    async def ledger(self, run: Run, kind: str = "model") -> list[dict[str, Any]]:
        """Return the settled calls of a run, as the journal has them."""
        at = as_owner(self.stack.addresses.database)
        async with await psycopg.AsyncConnection.connect(at) as connection:
            cursor = await connection.execute(
                "SELECT to_jsonb(c) FROM calls c WHERE run_id = %s AND kind = %s"
                " AND settled_at IS NOT NULL ORDER BY settled_at",
                [run.id, kind],
            )
            return [row[0] for row in await cursor.fetchall()]

    async def paid_once(self, run: Run, undisturbed: Undisturbed, of_crew: bool = False) -> None:
        """Check that the run made an undisturbed run's requests, and that no settled call was made or settled again.

        Concurrent agents number pages as they arrive and share the remaining pages and the judge's calls,
        so the texts of model requests may differ; searches and pages are the same. A call may be repeated
        for each worker that ended during it, unless the provider saw the disconnection: its answer may
        not have reached the journal. A page that two tasks of a crew read may be read again by the next
        worker.
        """
        models, tools = await self.ledger(run), await self.ledger(run, "tool")
        settled = Counter(tuple(call[part] for part in CALL) for call in models + tools)
        repeated = [call for call, times in settled.items() if times > 1]
        assert repeated == []
        asked = await self.providers.asked()
        paths = {entry["path"] for entry in asked if entry["service"] == "model"}
        broken = Counter(entry["path"] in paths for entry in asked if entry["disconnected"])
        made, calls = await self.providers.finished(), undisturbed.calls
        answers = sum(n for call, n in made.items() if call[0] in paths)
        assert 0 <= answers - len(models) <= _count_unheard(models, broken[True])
        assert {call for call in calls - made if call[0] not in paths} == set()
        again = {call: n for call, n in (made - calls).items() if call[0] not in paths}
        if of_crew:
            again = {call: n for call, n in again.items() if n > 1 or "/pages/" not in call[0]}
        assert sum(again.values()) <= _count_unheard(tools, broken[False]), again

    async def spent(self, run: Run) -> list[dict[str, Any]]:
        """Return what a run's models cost, whether it is still there or not."""
        at = as_owner(self.stack.addresses.database)
        async with await psycopg.AsyncConnection.connect(at) as connection:
            query = "SELECT to_jsonb(s) FROM spend s WHERE run_id = %s"
            return [row[0] for row in await (await connection.execute(query, [run.id])).fetchall()]

    async def undisturbed(self, **options: Any) -> Undisturbed:
        """Do one whole run."""
        run = await self.start(**options)
        watching = asyncio.create_task(run.watch())
        return Undisturbed(
            run,
            asked=await run.answer(),
            shown=await run.approve(),
            state=await run.completed(),
            watched=await watching,
            report=await run.report(),
            outputs=(await run.get(include="outputs")).json()["outputs"],
            calls=await self.providers.finished(),
            models=len(await self.providers.asked("model")),
            paid=await self.ledger(run),
        )

    async def at_work(self, run: Run, but: int = 0, seconds: float = PATIENCE) -> int:
        """Return the id of the process that is at the run's one open call; not `but`."""
        client = await Client.connect(self.stack.addresses.temporal)
        handle = client.get_workflow_handle(run.id)

        async def holder() -> int:
            calls = (await handle.describe()).raw_description.pending_activities
            pids = [int(c.last_worker_identity.split("@")[0]) for c in calls if c.state == STARTED]
            return next((pid for pid in pids if pid != but), 0)

        return int(await eventually(holder, seconds))

    async def rests(self, run: Run) -> None:
        """Wait until a paused run does nothing: no activity and no workflow task of it is under way."""
        client = await Client.connect(self.stack.addresses.temporal)
        handle = client.get_workflow_handle(run.id)

        async def is_at_rest() -> bool:
            found = (await handle.describe()).raw_description
            return not (found.pending_activities or found.HasField("pending_workflow_task"))

        await eventually(is_at_rest)

    async def quiet(self) -> None:
        """End what still runs, so that the next test's log is its own."""
        for run in self.runs:
            if (await run.recorded())["status"] not in ENDED:
                await run.post("/cancel")
                await run.ended()
        self.runs.clear()
        await self.providers.forget()

    @classmethod
    @contextlib.asynccontextmanager
    async def of(cls, stack: FragileStack) -> AsyncIterator["Whole"]:
        """Connect to a stack; what runs when the block ends is ended, its traces forgotten."""
        at = stack.addresses
        note_home(at)
        assert at.offline
        log = httpx.URL(at.offline["requests"])  # the model, or another service, may be a real one
        async with (
            httpx.AsyncClient(
                base_url=at.gateway, timeout=70, trust_env=False, verify=False
            ) as http,
            httpx.AsyncClient(
                base_url=log.copy_with(path="/", query=None),
                params=log.params,
                timeout=10,
                trust_env=False,
                verify=False,
            ) as offline,
        ):
            whole = cls(stack, http, Providers(offline))
            await whole.providers.forget()
            yield whole
            await whole.quiet()

    async def command(self, *words: str, home: Path | None = None) -> tuple[int, str, str]:
        """Return exit code, output and complaints of a `greenlight` command; `home` is another's."""
        process = await asyncio.create_subprocess_exec(
            *("env", f"GREENLIGHT_HOME={home or self.stack.addresses.home}", sys.executable),
            *("-c", "from greenlight import cli; cli.main()", *words),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=Path(__file__).parents[2],
        )
        output, complaint = await process.communicate()
        assert process.returncode is not None
        return process.returncode, output.decode(), complaint.decode()

    async def temporal(self, *arguments: str, given: object = None) -> str:
        """Run the `temporal` program against the stack's server and return what it prints."""
        told = ["--input", json.dumps(given)] if given is not None else []
        address = ["--address", self.stack.addresses.temporal]
        process = await asyncio.create_subprocess_exec(
            *(find_program(), *arguments, *told, *address),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        output, complaint = await process.communicate()
        assert process.returncode == 0, complaint.decode()
        return output.decode()

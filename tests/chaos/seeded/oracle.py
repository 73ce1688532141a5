"""The oracle of the chaos suite: what the journal, the provider, Temporal and the records say of a run that has ended."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import psycopg
from temporalio.api.enums.v1 import EventType, WorkflowTaskFailedCause
from temporalio.client import Client, WorkflowExecutionStatus

from contracts.runs.state_view import StateView
from greenlight.archives.archive_reader import open_archive
from greenlight.archives.archive_verification import verify
from tests.chaos.seeded.human import Human
from tests.chaos.seeded.schedule import Fault
from tests.support.offline_services import Call, Providers
from tests.support.stack import CALL
from workflows.checkpoints.approval_gate import is_approval

WEDGING = {WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR}
"""Causes of failed workflow tasks that no retry mends; a full disk's are retried until there is space."""
FREE_OF_APPROVAL = {"web_answer", "investment_analysis", "one_shot", "idea_generation"}
"""Presets that reach the web by their start's consent, or never."""
SETTLED_SECONDS = 3.0
"""Within which an answer is in the journal, on a busy machine."""
CLOCK_SECONDS = 0.5
"""By how much the provider may note an answer later than the journal settles it."""
Settling = tuple[float, float]
"""When a settled call was claimed, and when it was settled."""
EXCUSED = {
    *("model-busy", "model-unreachable", "output-invalid", "search-failed", "fetch-failed"),
    *("facts-failed", "facts-refused", "price-failed", "nothing-found", "input-lost"),
    *("phase-timeout", "call-timed-out", "out-of-time", "worker-lost"),
}
"""Failures of phases that a provider's trouble, or a worker that dies again and again, may end in; a store, a server or a
gateway that is away is waited out."""


@dataclass(frozen=True)
class Struck:
    """A fault that happened, with its times as `time.time` has them."""

    fault: Fault
    began: float
    ended: float


@dataclass
class ProviderCount:
    """When the models answered what in full, over all their lives: a log dies with its process."""

    providers: Providers
    answered: dict[Call, list[float]] = field(default_factory=lambda: defaultdict(list))
    """The times at which each request was answered."""

    async def collect(self) -> bool:
        """Add the entries of the log and clear it; return True."""
        log = await self.providers.asked("model")
        await self.providers.http.delete("/requests")
        for entry in log:
            if entry["finished"] and entry["status"] == 200 and not entry["failure"]:
                at = datetime.fromisoformat(entry["at"]).timestamp() + entry["seconds"]
                self.answered[entry["path"], entry["body_sha256"]].append(at)
        return True

    def list_paid_again(
        self, struck: Sequence[Struck], settled: Sequence[Settling] = ()
    ) -> list[str]:
        """Return the requests that were answered again although the journal had heard the answer before.

        The product asks some questions again in the same words, as another call. Two answers are not one paid again
        if each has a call of its own among the `settled` ones.
        """
        own = find_own_calls(self.answered, settled)
        return [
            f"{path} {body[:8]} answered at {first:.1f}, again at {again:.1f}"
            for (path, body), times in self.answered.items()
            for first, again in pairwise(sorted(times))
            if not is_unheard(first, struck)
            and not {(path, body, first), (path, body, again)} <= own
        ]


def find_own_calls(
    answered: Mapping[Call, Sequence[float]], settled: Sequence[Settling]
) -> set[tuple[str, str, float]]:
    """Return as many answers as possible that have a settled call each, those of requests that were answered once first.

    An answer may be that of a call that was claimed before it and settled after it.
    """
    holders: dict[int, tuple[str, str, float]] = {}

    def place(answer: tuple[str, str, float], tried: set[int]) -> bool:
        for n, (claimed, at) in enumerate(settled):
            if n not in tried and claimed <= answer[2] <= at + CLOCK_SECONDS:
                tried.add(n)
                if n not in holders or place(holders[n], tried):
                    holders[n] = answer
                    return True
        return False

    for (path, body), times in sorted(answered.items(), key=lambda item: len(item[1])):
        for at in times:
            place((path, body, at), set())
    return {*holders.values()}


def is_unheard(at: float, struck: Sequence[Struck]) -> bool:
    """Return whether the journal may not have heard an answer of that time.

    Its worker died before it was settled, which takes until PostgreSQL and the worker are there again; or it was lost
    on the way, since the provider died or was cut off.
    """
    heard_by = at + SETTLED_SECONDS
    for each in sorted(struck, key=lambda each: each.began):
        delays = each.fault.target in {"postgres", "worker", "crew-worker"}
        if delays and each.began <= heard_by and each.ended >= at:
            heard_by = max(heard_by, each.ended + SETTLED_SECONDS)
    return any(
        each.began <= heard_by and each.ended >= at - SETTLED_SECONDS
        for each in struck
        if each.fault.loses_answers
    )


@dataclass
class Findings:
    """What a campaign came to: by kind, what does not hold."""

    lost: list[str] = field(default_factory=list)
    repaid: list[str] = field(default_factory=list)
    wedged: list[str] = field(default_factory=list)
    invented: list[str] = field(default_factory=list)
    unfounded: list[str] = field(default_factory=list)
    reused: int = 0
    """How often a call's answer came from the journal instead of a model."""
    taken_over: int = 0
    """How often a call was made again since the worker that made it had ended."""
    statuses: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)

    @property
    def broken(self) -> dict[str, list[str]]:
        """Return the kinds with findings."""
        kinds = ("lost", "repaid", "wedged", "invented", "unfounded")
        return {kind: found for kind in kinds if (found := getattr(self, kind))}


@dataclass(frozen=True)
class Oracle:
    """Looks at runs in a stack that is whole again."""

    database: str
    temporal: Client
    folder: Path

    async def judge(self, human: Human, state: StateView, found: Findings) -> None:
        """Add what does not hold of a run that has ended."""
        name = f"{human.definition.id} {human.run.id}"
        found.statuses[state.status] += 1
        for phase in state.phases:
            if phase.status == "failed":
                found.failures[phase.error.type if phase.error else "no reason"] += 1
        found.lost += [f"{name}: {why}" for why in await self._find_lost(human, state)]
        found.wedged += [f"{name}: {why}" for why in await self._find_wedged(human)]
        found.repaid += [f"{name}: {why}" for why in await self._find_repaid(human)]
        found.invented += [f"{name}: {why}" for why in await self._find_invented(human, state)]
        found.unfounded += [f"{name}: {why}" for why in await self._find_unfounded(human, state)]

    async def judge_payments(
        self,
        count: ProviderCount,
        humans: list[Human],
        struck: Sequence[Struck],
        found: Findings,
    ) -> None:
        """Add answers that the providers gave again, and how often the journal had to answer or hand a call on."""
        await count.collect()
        query = """SELECT extract(epoch FROM claimed_at)::float8 AS claimed, extract(epoch FROM settled_at)::float8 AS settled
            FROM calls WHERE kind = 'model' AND settled_at IS NOT NULL"""
        settled = [(row["claimed"], row["settled"]) for row in await self._fetch(query, [])]
        found.repaid += count.list_paid_again(struck, settled)
        query = """SELECT count(*) AS calls, coalesce(sum(taken_over), 0) AS taken_over, coalesce(sum(reused), 0) AS reused
            FROM calls WHERE run_id = ANY(%s) AND kind = 'model'"""
        [row] = await self._fetch(query, [[human.run.id for human in humans]])
        if count.answered and not row["calls"]:
            found.lost.append("the journal has no call at all")
        found.reused += int(row["reused"])
        found.taken_over += int(row["taken_over"])

    async def _find_lost(self, human: Human, state: StateView) -> list[str]:
        """Return what of a run's record is missing or does not agree."""
        row, events = (await human.run.get()).json(), await human.run.events()
        lost = []
        if row["status"] != state.status:
            lost.append(f"recorded as {row['status']}, in its state {state.status}")
        if [event.seq for event in events] != [*range(1, len(events) + 1)]:
            lost.append("its log has gaps")
        if not state.notices and state.status != "completed":
            lost.append(f"{state.status} without a reason")
        failed = [phase for phase in state.phases if phase.status == "failed"]
        lost += [
            f"phase {phase.id} failed: {phase.error or 'no reason'}"
            for phase in failed
            if not (phase.error and phase.error.message and phase.error.type in EXCUSED)
        ]
        for table in ("altered_events", "rejected_batches"):
            query = f"SELECT count(*) AS n FROM {table} WHERE run_id = %s"
            [counted] = await self._fetch(query, [human.run.id])
            lost += [f"{counted['n']} rows in {table}"] if counted["n"] else []
        return lost

    async def _find_wedged(self, human: Human) -> list[str]:
        """Return what Temporal has of a run other than executions that completed, task by task."""
        handle = self.temporal.get_workflow_handle(human.run.id)
        status = (await handle.describe()).status
        found = [] if status == WorkflowExecutionStatus.COMPLETED else [f"in Temporal {status}"]
        failed = EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED
        async for event in handle.fetch_history_events():
            if event.event_type == failed:
                told = event.workflow_task_failed_event_attributes
                if told.cause in WEDGING:
                    found.append(f"workflow task failed: {told.failure.message}")
        return found

    async def _find_repaid(self, human: Human) -> list[str]:
        query = (
            "SELECT to_jsonb(c) AS call FROM calls c WHERE run_id = %s AND settled_at IS NOT NULL"
        )
        calls = [row["call"] for row in await self._fetch(query, [human.run.id])]
        settled = Counter(tuple(call[part] for part in CALL) for call in calls)
        return [f"settled {n} times: {call}" for call, n in settled.items() if n > 1]

    async def _find_invented(self, human: Human, state: StateView) -> list[str]:
        """Return decisions that the human did not send, and a way to the web that was not theirs."""
        consented = human.definition.id in FREE_OF_APPROVAL
        found = [
            f"{decision.action} at {decision.checkpoint_id}"
            for decision in state.decisions
            if not (decision.scope and consented)
            and (decision.checkpoint_id, decision.action, decision.plan_hash) not in human.said
        ]
        if not consented:
            query = "SELECT min(claimed_at) AS at FROM calls WHERE run_id = %s AND kind <> 'model'"
            [first] = await self._fetch(query, [human.run.id])
            approved = [datetime.fromisoformat(d.at) for d in state.decisions if is_approval(d)]
            if first["at"] and not (approved and min(approved) <= first["at"]):
                found.append(f"reached the web at {first['at']}, approvals: {approved}")
        return found

    async def _find_unfounded(self, human: Human, state: StateView) -> list[str]:
        """Return sentences without a note or a mark, and what the archive's own verification finds."""
        archive = self.folder / f"{human.run.id}.zip"
        served = await human.run.get("/archive")
        await asyncio.to_thread(archive.write_bytes, served.content)
        found = await asyncio.to_thread(_verify, archive)
        if state.status not in {"completed", "partial"}:
            return found
        document = (await human.run.get("/report", format="json")).json()
        return found + [f"bare sentence: {text[:80]}" for text in list_bare(document)]

    async def _fetch(self, query: str, params: list[Any]) -> list[dict[str, Any]]:
        async with await psycopg.AsyncConnection.connect(
            self.database, row_factory=psycopg.rows.dict_row
        ) as connection:
            return await (await connection.execute(query.encode(), params)).fetchall()


def _verify(path: Path) -> list[str]:
    with open_archive(path) as archive:
        return [f"archive: {finding.text}" for finding in verify(archive).findings]


def list_bare(document: Any) -> Iterator[str]:
    """Yield the claims of a document, at any depth, that have neither a note nor a mark."""
    if isinstance(document, list):
        for each in document:
            yield from list_bare(each)
    elif isinstance(document, dict):
        is_claim = document.get("number") is not None and "marks" in document
        if is_claim and not (document["notes"] or document["marks"]):
            yield document["text"]
        for value in document.values():
            yield from list_bare(value)

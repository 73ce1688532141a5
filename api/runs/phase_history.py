"""Phases as they were executed: inputs, output, time, cost and conversation of each."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field, JsonValue

from api.runs.service import RunService
from contracts.base import Contract, Json, Page
from contracts.runs.records import EventType, LoggedEvent, PhaseRecord
from store.calls.spend import ModelUse
from store.run_records.event_log import LogPart

CHAT_PAGE = 100
CONVERSATION: list[EventType] = [
    "RetryEvent",
    "AgentInput",
    "AgentOutput",
    "InputRequiredEvent",
    "HumanResponseEvent",
]
"""Types of the events in which models, agents and humans speak, and of their retries."""

Role = Literal["user", "assistant", "checkpoint", "human"]
Values = dict[str, dict[str, JsonValue]]


class ChatMessage(Contract):
    """One message of a phase's conversation with its models and humans, oldest first."""

    seq: int = Field(description="its place in the run's log")
    at: str
    attempt: int
    plan_step: str | None
    role: Role = Field(
        description="`user` and `assistant` as models see them, `checkpoint` asks a `human`"
    )
    name: str = Field(description="the agent spoken to or speaking, or who answered")
    model: str = ""
    content: list[Json] = Field(description="blocks; of a human or a checkpoint, what was said")
    tool_calls: list[Json] = []


class Timing(Contract):
    """Times of a phase; `active_seconds` leaves out waits for a human, pauses and failed attempts."""

    started_at: str | None
    ended_at: str | None
    total_seconds: float | None
    active_seconds: float


class Effort(Contract):
    """Time and model usage of a phase."""

    timing: Timing
    models: list[ModelUse]


class ExecutedPhase(Effort, PhaseRecord):
    """A phase's record, its effort, and the first page of its conversation."""

    seeded: bool = Field(
        description="its output came with the start: from `from_run`, or in `given`"
    )
    inputs: Values | None = Field(
        description="if asked for: need -> providing phase -> its value as it is now"
    )
    chat_history: list[ChatMessage]
    chat_cursor: str | None = Field(description="the `after` with which `/chat` goes on")


async def list_executed_phases(
    run: RunService, phase_id: str | None = None, *, values: bool = False
) -> list[ExecutedPhase]:
    """Return a run's phases, or only the one named; with `values` also what it was given by others.

    Raises:
        NotFound: The run has no such phase.
    """
    runs = run.deps.runs
    records = (
        [await runs.get_phase(run.reader, run.id, phase_id)] if phase_id else await run.get_phases()
    )
    given = records
    if phase_id and values:
        lists = [names for names in records[0].input.values() if isinstance(names, list)]
        bound = [str(name) for names in lists for name in names]
        given = await runs.list_phases(run.reader, run.id, bound)
    took = await measure_efforts(run, records)
    chat = await read_conversation(run, [phase_id] if phase_id else [r.id for r in records])
    seeds = run.row.opened.resolved.seeds if run.row.opened else {}
    outputs: dict[JsonValue, Json] = {record.id: record.output or {} for record in given}
    said: dict[str, list[ChatMessage]] = {}
    for of, message in chat.items:
        said.setdefault(of, []).append(message)
    return [
        ExecutedPhase(
            **dict(record),
            **dict(took[record.id]),
            seeded=record.id in seeds,
            inputs=_find_inputs(record, outputs) if values else None,
            chat_history=said.get(record.id, []),
            chat_cursor=chat.next_cursor,
        )
        for record in records
    ]


async def measure_efforts(run: RunService, records: list[PhaseRecord]) -> dict[str, Effort]:
    """Return the time and model use of each phase, by its id."""
    uses = await run.deps.spend.list_usage(run.reader, run.id)
    efforts = {}
    for record in records:
        total = None
        if record.started_at and record.ended_at:
            ended = datetime.fromisoformat(record.ended_at)
            total = (ended - datetime.fromisoformat(record.started_at)).total_seconds()
        timing = Timing(
            started_at=record.started_at,
            ended_at=record.ended_at,
            total_seconds=total,
            active_seconds=record.active_seconds,
        )
        models = [use for use in uses if use.phase_id == record.id]
        efforts[record.id] = Effort(timing=timing, models=models)
    return efforts


async def read_conversation(
    run: RunService, phases: list[str], after: int = 0, limit: int = CHAT_PAGE
) -> Page[tuple[str, ChatMessage]]:
    """Return a page of the messages of phases, each with its phase's id."""
    wanted: LogPart = {"types": CONVERSATION, "phases": phases, "after": after, "limit": limit}
    events = await run.deps.log.events.read(run.reader, run.id, **wanted)
    full = len(events) == limit
    messages: list[tuple[str, ChatMessage]] = []
    heard: list[tuple[str | None, int, Json]] = []
    retried = False
    for event in events:
        this = (event.phase_id, event.attempt, event.payload)
        repeated = retried and this in heard  # a retried call repeats the messages before it
        retried = event.type == "RetryEvent"
        if not (repeated or retried):
            heard.append(this)
            messages.append((event.phase_id or "", _parse_message(event)))
    return Page(items=messages, next_cursor=str(events[-1].seq) if full else None)


def _parse_message(event: LoggedEvent) -> ChatMessage:
    said: Any = event.payload
    role: Role = "human"
    content: list[Json] = [said]
    if event.type == "AgentInput":
        role, content = "user", [block for turn in said["input"] for block in turn["content"]]
    elif event.type == "AgentOutput":
        role, content = "assistant", said["response"]["blocks"]
    elif event.type == "InputRequiredEvent":
        role = "checkpoint"
    return ChatMessage(
        **{name: getattr(event, name) for name in ("seq", "at", "attempt", "plan_step")},
        role=role,
        name=said.get("current_agent_name") or said.get("by") or "",
        model=said.get("model") or "",
        content=content,
        tool_calls=said.get("tool_calls") or [],
    )


def _find_inputs(record: PhaseRecord, outputs: dict[JsonValue, Json]) -> Values:
    """Return the values that a phase's needs are bound to, as they are now."""
    return {
        need: {str(name): outputs.get(name, {}).get(need) for name in bound}
        if isinstance(bound, list)
        else {}
        for need, bound in record.input.items()
    }

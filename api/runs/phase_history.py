"""A run's phases as they were carried out: what each took and gave, and what was said in it."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Literal

from pydantic import Field, JsonValue

from api.responses import Effort, Page, Timing
from api.runs.service import RunService
from contracts.base import Contract, Json
from contracts.runs.records import LoggedEvent, PhaseRecord
from store.ledger import ModelUse

CHAT_PAGE = 100
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


class ExecutedPhase(PhaseRecord):
    """A phase's record, and its conversation as far as one answer holds it."""

    timing: Timing
    models: list[ModelUse]
    seeded: bool = Field(
        description="its output came with the start: the parent's, `given`, or, where "
        "`reused_from` names a run, the step cache's"
    )
    inputs: Values | None = Field(
        description="if asked for: need -> providing phase -> its value as it is now"
    )
    chat_history: list[ChatMessage]
    chat_cursor: str | None = Field(description="the `after` with which `/chat` goes on")


async def list_executed_phases(
    run: RunService, phase_id: str | None = None, *, values: bool = False
) -> list[ExecutedPhase]:
    """Return a run's phases, or the one that is named, if it is there."""
    records = await run.get_phases()
    took = await measure_efforts(run, records)
    chat = await read_conversation(run, phase_id)
    seeds = run.row.opened.resolved.seeds if run.row.opened else {}
    said: dict[str, list[ChatMessage]] = {}
    for of, message in chat.items:
        said.setdefault(of, []).append(message)
    return [
        ExecutedPhase(
            **dict(record),
            **dict(took[record.id]),
            seeded=record.id in seeds,
            inputs=_values(record, records) if values else None,
            chat_history=said.get(record.id, []),
            chat_cursor=chat.next_cursor,
        )
        for record in records
        if phase_id in {None, record.id}
    ]


async def measure_efforts(run: RunService, records: list[PhaseRecord]) -> dict[str, Effort]:
    """Return what each phase took, by its id."""
    uses = await run.deps.ledger.uses(run.reader, run.id)
    return {
        record.id: Effort(
            timing=_timing(record), models=[use for use in uses if use.phase_id == record.id]
        )
        for record in records
    }


async def read_conversation(
    run: RunService, phase_id: str | None, after: int = 0, limit: int = CHAT_PAGE
) -> Page[tuple[str, ChatMessage]]:
    """Return what was said in one phase or in all, each message with its phase."""
    events = await run.deps.log.events.said(run.reader, run.id, phase_id, after, limit)
    full = len(events) == limit
    return Page(items=list(_messages(events)), next_cursor=str(events[-1].seq) if full else None)


def _messages(events: list[LoggedEvent]) -> Iterator[tuple[str, ChatMessage]]:
    """Yield each message once: a call that is tried again has said the same before."""
    heard: list[tuple[str | None, int, Json]] = []
    retried = False
    for event in events:
        this = (event.phase_id, event.attempt, event.payload)
        repeated = retried and this in heard
        retried = event.type == "RetryEvent"
        if not (repeated or retried):
            heard.append(this)
            yield event.phase_id or "", _message(event)


def _message(event: LoggedEvent) -> ChatMessage:
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


def _timing(record: PhaseRecord) -> Timing:
    total = None
    if record.started_at and record.ended_at:
        ended = datetime.fromisoformat(record.ended_at)
        total = (ended - datetime.fromisoformat(record.started_at)).total_seconds()
    return Timing(
        started_at=record.started_at,
        ended_at=record.ended_at,
        total_seconds=total,
        active_seconds=record.active_seconds,
    )


def _values(record: PhaseRecord, records: list[PhaseRecord]) -> Values:
    """Return what a phase's needs are bound to, as it is now."""
    outputs: dict[Any, Json] = {other.id: other.output or {} for other in records}
    return {
        need: {str(name): outputs.get(name, {}).get(need) for name in _list(bound)}
        for need, bound in record.input.items()
    }


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []

"""A run of the caller's: how it stands, and what is said to it."""

from contextlib import aclosing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

from fastapi import Depends, Query

from api.auth import Caller, resolve_author
from api.dependencies import Dependencies, Deps, RunId
from api.runs.approver_seal import meant, sealed
from api.stream import LAST_EVENT_TYPE
from contracts.base import Json
from contracts.errors import Conflict, NotAllowed, NotFound, StoreUnavailable
from contracts.human.approvers import Delegate
from contracts.human.messages import AnswerQuestions, Decide, Said
from contracts.principal import Principal
from contracts.runs.records import Batch, Event, PhaseRecord
from contracts.runs.start import OpenRequest, RunInput
from contracts.runs.state import ENDED, Checkpoint, RunStatus, StateView
from store.runs import RunRow
from temporal.run_client import Accepted
from workflows.interpreter.run_state import opened_state, view

NEVER_OVERWRITTEN = 2**31 - 1
MILESTONES = frozenset({"InputRequiredEvent", LAST_EVENT_TYPE})


class CommandView(StateView):
    """The state after a message, and how the message was taken."""

    accepted: Accepted


@dataclass(frozen=True)
class OwnRun:
    """A run that was found in the caller's records."""

    deps: Dependencies
    caller: Principal
    row: RunRow

    @property
    def reader(self) -> Principal:
        """Who reads it: anybody of its tenant may."""
        return self.caller.reader

    @property
    def id(self) -> str:
        """Its id."""
        return self.row.run_id

    async def phases(self) -> list[PhaseRecord]:
        """Return its phases' records."""
        return await self.deps.runs.phases(self.reader, self.id)

    async def state(self, wait: float = 0) -> StateView:
        """Return the run's own state; the recorded one once it has ended, or where none answers."""
        live = None if self.row.status in ENDED else await self.deps.engine.state(self.id)
        if wait and self.row.status not in ENDED and not _rests(live):
            live = await self._next_rest(wait)
        if live is None and await self.close():
            return (await self._read_again())._as_of(None)
        return self._as_of(live)

    async def close(self) -> bool:
        """Record the end of a run that Temporal closed and that could not say so itself."""
        gone = None if self.row.status in ENDED else await self.deps.engine.closed(self.id)
        current = await self._read_again() if gone else self
        if gone is None or current.row.status in ENDED:
            return gone is not None
        await current._record_end(gone)
        return True

    async def _record_end(self, status: RunStatus) -> None:
        now = datetime.now(UTC).isoformat()
        message = "Temporal closed the run: it failed or was terminated from outside"
        changes = {"status": status, "ended_at": now, "pending": [], "warnings": [message]}
        recorded = self.recorded().model_copy(update=changes)
        payload: Json = {"status": status, "message": message}
        last = Event(key="closed", type="workflow_complete", status=status, at=now, payload=payload)
        batch = Batch(
            tenant_id=self.caller.tenant_id,
            run_id=self.id,
            version=NEVER_OVERWRITTEN,
            status=status,
            snapshot=recorded.model_dump(mode="json"),
            ended_at=now,
            usage=recorded.usage,
            phases=[],
            events=[last],
        )
        await self.deps.runs.record(batch)

    async def tell(self, message: str, body: Said, wait: float) -> CommandView:
        """Send a message, and return the state after it, or at the next checkpoint.

        It names its checkpoint, so that one that arrives twice is not taken for the next one's.
        """
        body = body.model_copy(update={"by": resolve_author(self.caller, body.by)})
        asked = None
        if isinstance(body, AnswerQuestions | Decide | Delegate):
            asked = meant(await self.state(), body)
        if asked:
            body = body.model_copy(update={"checkpoint_id": asked.checkpoint_id})
        if self.caller.user_id is not None:
            body = self._vouched(body, asked)
        accepted = await self.deps.engine.tell(self.id, message, body)
        live = await self.deps.engine.state(self.id) if accepted == "update" else None
        if wait and not _rests(live):
            live = await self._next_rest(wait)
        current = self if live else await self._read_again()
        return CommandView(accepted=accepted, **dict(current._as_of(live)))

    def _vouched(self, body: Said, asked: Checkpoint | None) -> Said:
        """Return what the holder of a key may say: all of it in their own run, else their vote."""
        is_owner = self.caller.user_id == self.row.user_id
        if isinstance(body, Decide | Delegate) and self.caller.key_id:
            if asked and asked.poll:
                return sealed(self.deps.seals, self.caller, self.id, body, asked)
            if asked is None and not is_owner:
                raise Conflict("checkpoint_id: none is open that could be meant")
        if not is_owner:
            raise NotAllowed(f"run {self.id!r} is {self.row.user_id!r}'s, who alone may say this")
        return body

    async def _next_rest(self, wait: float) -> StateView | None:
        """Return the state once a human is asked or the run has ended, or when time is up."""
        log = self.deps.log.follow(self.reader, self.id, self.row.last_seq, wait)
        async with aclosing(log) as events:
            async for event in events:
                if event.type in MILESTONES:
                    live = await self.deps.engine.state(self.id)
                    if _rests(live):
                        return live
        return await self.deps.engine.state(self.id)

    async def _read_again(self) -> "OwnRun":
        with suppress(StoreUnavailable):
            return await own_run(self.deps, self.caller, self.id)
        return self

    def _as_of(self, live: StateView | None) -> StateView:
        """Return a live state, or the recorded one, with the `seq` that was read before it."""
        seen = {"seq": self.row.last_seq, "live": live is not None}
        return (live or self.recorded()).model_copy(update=seen)

    def recorded(self) -> StateView:
        """Return the state as last recorded, the opening one before that."""
        row = self.row
        if row.snapshot:
            return StateView.model_validate(row.snapshot)
        if row.opened is None:
            raise NotFound(f"run {self.id!r} has not been opened yet")
        given = RunInput.model_validate(row.request)
        opening = OpenRequest(run_id=self.id, input=given, started_at=row.started_at)
        return view(opened_state(opening, row.opened))


def _rests(state: StateView | None) -> bool:
    return state is not None and (bool(state.pending) or state.status in ENDED)


def links(run_id: str) -> dict[str, str]:
    """Return where a run can be looked at."""
    parts = ("state", "stream", "events", "phases", "report", "sources")
    return {"self": f"/v1/runs/{run_id}"} | {p: f"/v1/runs/{run_id}/{p}" for p in parts}


async def own_run(deps: Deps, caller: Caller, run_id: RunId) -> OwnRun:
    """Return a run of the caller's tenant; an unknown one, or another's, is NotFound."""
    return OwnRun(deps, caller, await deps.runs.get(caller.reader, run_id))


Run = Annotated[OwnRun, Depends(own_run)]

Wait = Annotated[
    float, Query(ge=0, le=60, description="seconds to wait for the next checkpoint or the end")
]

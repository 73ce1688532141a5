"""The journal of model and tool calls: claimed before they are made, settled after, paid once."""

import asyncio
import hashlib
import json
import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, LiteralString

from contracts.base import Json
from contracts.errors import BudgetExceeded, Conflict, StoreUnavailable
from contracts.models.call import Scope
from contracts.runs.records import Event
from contracts.terms import Usage
from store.postgres.announcer import Announcer
from store.postgres.encoding import encode
from store.postgres.lease import Lease
from store.postgres.pool import Pool, fetch

logger = logging.getLogger(__name__)

POLL_SECONDS = 0.1
MAX_POLL_SECONDS = 0.5
RETRY_SECONDS = 0.5

SETTLE: LiteralString = "SELECT settle_call(%(paid)s::jsonb)"

RELEASE: LiteralString = """
    UPDATE calls SET owner = NULL, reserved_usd = 0, error = %(error)s,
        settled_usd = settled_usd + %(lost_usd)s
    WHERE tenant_id = %(tenant_id)s AND key = %(key)s AND owner = %(owner)s
        AND settled_at IS NULL"""

USAGE: LiteralString = """jsonb_build_object(
    'calls', count(settled_at),
    'input_tokens', coalesce(sum((usage ->> 'input_tokens')::bigint), 0),
    'output_tokens', coalesce(sum((usage ->> 'output_tokens')::bigint), 0),
    'usd', coalesce(sum(settled_usd), 0),
    'reused_calls', coalesce(sum(reused), 0))"""


@dataclass(frozen=True)
class Claim:
    """Leave to make a call, for the one who holds it; must be settled or released."""

    tenant_id: str
    run_id: str
    key: str
    owner: int
    fence: int = 0
    """Which try of this call it is, from 1."""


@dataclass(frozen=True)
class Settled:
    """The call has been made before: its result, and what it cost then."""

    result: Json
    usage: Usage


class Journal:
    """Claims and settles calls on behalf of this process."""

    def __init__(self, pool: Pool, lease: Lease) -> None:
        self._pool = pool
        self._lease = lease
        self._announcer = Announcer(pool)
        self._in_flight: set[str] = set()
        self._writing: set[asyncio.Task[list[Any]]] = set()

    async def claim(  # noqa: PLR0913 - all that a row of the ledger says
        self,
        scope: Scope,
        kind: Literal["model", "tool"],
        request_hash: str,
        model: str = "",
        reserved_usd: float = 0.0,
        cap_usd: float = 0.0,
        events: Sequence[Event] = (),
    ) -> Claim | Settled:
        """Claim a call, or wait for the one who is at it and return what came of it.

        `events` enter the run's log with the claim, and only then.

        Raises:
            BudgetExceeded: What is spent and reserved leaves too little of the cap for this call.
            Conflict: The run was removed.
            StoreUnavailable: Nothing is claimed.
        """
        ask = scope.model_dump(mode="json") | {
            "key": _key(scope, request_hash),
            "kind": kind,
            "model": model,
            "reserved_usd": reserved_usd,
            "cap_usd": cap_usd,
            "events": events,
        }
        pause = POLL_SECONDS
        while True:
            answer = await self._ask(ask)
            if answer is not None:
                return answer
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, MAX_POLL_SECONDS)

    async def settle(
        self, claim: Claim, result: Json, usage: Usage, events: Sequence[Event] = ()
    ) -> Json:
        """Keep what a call gave and cost, and tell it; waits out a store that is away.

        Returns the result that is kept: whoever goes on with it asks what a retry would ask. It is
        another's where the call had been taken over and that one was first.
        """
        paid = {"usd": usage.usd, "usage": usage, "result": result, "events": events}
        [kept] = await self._write(claim, SETTLE, {"paid": encode(asdict(claim) | paid)})
        self._announcer.grew(claim.run_id)
        return dict(kept)

    async def release(self, claim: Claim, error: str, lost_usd: float = 0.0) -> None:
        """Free a call that failed, for whoever tries it next; waits out a store that is away.

        What the try has cost all the same is spent: it counts towards the run's cap.
        """
        await self._write(claim, RELEASE, {"error": error, "lost_usd": lost_usd})

    async def usage(self, tenant_id: str, run_id: str) -> Usage:
        """Return what a run's settled model calls cost."""
        return Usage.model_validate(await self._sum(tenant_id, run_id, USAGE))

    async def taken_over(self, tenant_id: str, run_id: str) -> int:
        """Return how many calls were made anew, their first maker gone: each may be paid twice."""
        return int(await self._sum(tenant_id, run_id, "coalesce(sum(taken_over), 0)"))

    async def _sum(self, tenant_id: str, run_id: str, what: LiteralString) -> Any:
        [found] = await fetch(
            self._pool,
            f"SELECT {what} FROM calls"
            " WHERE tenant_id = %(tenant)s AND run_id = %(run)s AND kind = 'model'",
            {"tenant": tenant_id, "run": run_id},
        )
        return found

    async def _ask(self, ask: dict[str, Any]) -> Claim | Settled | None:
        """Try to claim; None: somebody, here or in another process, is at it."""
        claim = Claim(ask["tenant_id"], ask["run_id"], ask["key"], self._lease.owner)
        if claim.key in self._in_flight:
            return None
        self._in_flight.add(claim.key)
        try:
            [answer] = await fetch(
                self._pool,
                "SELECT claim_call(%(ask)s::jsonb)",
                {"ask": encode(ask | {"owner": claim.owner})},
            )
        except BaseException:
            # It may be claimed all the same; nobody would wait for us to say so.
            self._spawn(
                claim, RELEASE, {"error": "claimed, but the answer was lost", "lost_usd": 0}
            )
            raise
        if answer["is"] == "claimed":
            self._announcer.grew(claim.run_id)
            return replace(claim, fence=answer["fence"])
        self._in_flight.discard(claim.key)
        if answer["is"] == "removed":
            raise Conflict(f"run {claim.run_id!r} was removed: no call is made for it")
        if answer["is"] == "over_cap":
            raise BudgetExceeded(_over(ask, answer))
        return _settled(answer) if answer["is"] == "settled" else None

    async def _write(
        self, claim: Claim, query: LiteralString, params: dict[str, object]
    ) -> list[Any]:
        # Shielded: a call that was paid for is kept even if its activity is cancelled now.
        return await asyncio.shield(self._spawn(claim, query, params))

    def _spawn(
        self, claim: Claim, query: LiteralString, params: dict[str, object]
    ) -> asyncio.Task[list[Any]]:
        writing = asyncio.create_task(self._insist(claim, query, params))
        self._writing.add(writing)
        writing.add_done_callback(self._writing.discard)
        return writing

    async def _insist(
        self, claim: Claim, query: LiteralString, params: dict[str, object]
    ) -> list[Any]:
        """Write until the store has answered; only then the call is no longer in flight."""
        try:
            while True:
                try:
                    return await fetch(self._pool, query, asdict(claim) | params)
                except StoreUnavailable as error:
                    logger.warning("a call waits to be journaled: %s", error)
                    await asyncio.sleep(RETRY_SECONDS)
        finally:
            self._in_flight.discard(claim.key)


def _key(scope: Scope, request_hash: str) -> str:
    parts = [
        *(scope.tenant_id, scope.run_id, scope.phase_id, scope.attempt, scope.plan_step),
        *(request_hash, scope.nth),
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _settled(answer: dict[str, Any]) -> Settled:
    return Settled(answer["result"], Usage.model_validate(answer["usage"]))


def _over(ask: dict[str, Any], answer: dict[str, Any]) -> str:
    return (
        f"this call may cost ${ask['reserved_usd']:.4f}; the run has spent ${answer['spent']:.4f}"
        f" and reserved ${answer['reserved']:.4f} of its ${ask['cap_usd']:.4f}"
    )

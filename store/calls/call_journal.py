"""The journal of model and tool calls: claimed before they are made, settled after, paid once.

The rows are written by the SQL functions `claim_call` and `settle_call` (`postgres/functions/`).
"""

import asyncio
import hashlib
import json
from dataclasses import asdict, dataclass, replace
from typing import Any, LiteralString

from contracts.access.budgets import MetBudget
from contracts.base import Json
from contracts.errors import BudgetExceeded, Conflict, StoreUnavailable
from contracts.models.batch import OpenBatch
from contracts.models.call import Scope
from contracts.models.usage import Usage
from contracts.notices import Notice
from contracts.runs.records import CallResult, CallSpec
from contracts.words.dollars import round_up_usd
from store.postgres.encoding import encode
from store.postgres.pool import Pool, Repository
from store.postgres.process_lease import Lease

POLL_SECONDS = 0.1
MAX_POLL_SECONDS = 0.5
RETRY_SECONDS = 0.5

RELEASE: LiteralString = """
    UPDATE calls SET owner = NULL, reserved_usd = 0, error = %(error)s,
        settled_usd = settled_usd + %(lost_usd)s
    WHERE tenant_id = %(tenant)s AND key = %(key)s AND owner = %(owner)s
        AND settled_at IS NULL"""

SUSPEND: LiteralString = """
    UPDATE calls SET owner = NULL, batch = %(batch)s::jsonb
    WHERE tenant_id = %(tenant)s AND key = %(key)s AND owner = %(owner)s
        AND settled_at IS NULL"""

OPEN_BATCHES: LiteralString = """
    SELECT jsonb_build_object('key', key, 'model', model, 'batch', batch) FROM calls
    WHERE (tenant_id, run_id, phase_id, attempt, plan_step)
            = (%(tenant)s, %(run_id)s, %(phase_id)s, %(attempt)s, %(plan_step)s)
        AND (name = %(name)s OR starts_with(name, %(name)s || '-'))
        AND batch IS NOT NULL AND settled_at IS NULL AND reserved_usd > 0"""

WITHDRAW: LiteralString = """
    UPDATE calls SET owner = NULL, reserved_usd = 0, error = 'cancelled', batch = NULL,
        settled_usd = settled_usd + %(lost_usd)s
    WHERE tenant_id = %(tenant)s AND key = %(key)s AND batch ->> 'id' = %(id)s
        AND settled_at IS NULL"""

SETTLED: LiteralString = """
    SELECT jsonb_build_object('name', name) FROM calls
    WHERE (tenant_id, run_id, phase_id, attempt, plan_step, name)
            = (%(tenant)s, %(run_id)s, %(phase_id)s, %(attempt)s, %(plan_step)s, %(name)s)
        AND settled_at IS NOT NULL"""

USAGE: LiteralString = """
    SELECT jsonb_build_object(
        'calls', count(settled_at) FILTER (WHERE kind = 'model'),
        'input_tokens', coalesce(sum((usage ->> 'input_tokens')::bigint), 0),
        'output_tokens', coalesce(sum((usage ->> 'output_tokens')::bigint), 0),
        'usd', coalesce(sum(settled_usd), 0),
        'reused_calls', coalesce(sum(reused) FILTER (WHERE kind = 'model'), 0))
    FROM calls WHERE tenant_id = %(tenant)s AND run_id = %(run)s AND kind IN ('model', 'search')"""


@dataclass(frozen=True)
class CallClaim:
    """Leave to make a call, for the process that holds it; must be settled or released."""

    tenant_id: str
    run_id: str
    key: str
    owner: int
    batch: OpenBatch | None = None
    """The one that it waits in since an earlier claim."""


class Journal(Repository):
    """Claims and settles calls on behalf of this process."""

    def __init__(self, pool: Pool, lease: Lease) -> None:
        super().__init__(pool)
        self._lease = lease
        self._in_flight: set[str] = set()
        self._writing: set[asyncio.Task[list[Any]]] = set()

    async def claim(self, spec: CallSpec) -> CallClaim | CallResult:
        """Claim a call, or wait for the attempt that is already making it and return its settled result.

        Also waits while the cap or a budget would suffice if other calls in flight released their
        reservations.

        Raises:
            BudgetExceeded: The money already spent leaves too little of the cap, or of a budget, for this
                call.
            Conflict: The run was removed.
            StoreUnavailable: Nothing is claimed; retried.
        """
        pause = POLL_SECONDS
        while True:
            answer = await self._try_claim(spec)
            if answer is not None:
                return answer
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, MAX_POLL_SECONDS)

    async def settle(self, claim: CallClaim, made: CallResult) -> Json:
        """Settle a call and store its events, retrying while PostgreSQL is unreachable.

        Return the stored result. If another process took the call over and settled it first, that is the
        other process's result, so that the caller continues with what a retry would read.
        """
        paid = _identify(claim) | {"usd": made.usage.usd} | dict(made)
        # Shielded: a call that was paid for is kept even if its activity is cancelled now.
        [kept] = await asyncio.shield(
            self._write(claim, "SELECT settle_call(%(paid)s::jsonb)", {"paid": encode(paid)})
        )
        self._pool.announce(claim.run_id)
        return dict(kept)

    async def release(self, claim: CallClaim, error: str, lost_usd: float = 0.0) -> None:
        """Release a failed call for its next attempt, retrying while PostgreSQL is unreachable.

        `lost_usd` is what the failed attempt was billed nevertheless; it counts towards the run's cap.
        """
        lost = {"error": error, "lost_usd": lost_usd}
        await asyncio.shield(self._write(claim, RELEASE, lost))

    async def suspend(self, claim: CallClaim, batch: OpenBatch) -> None:
        """Store the batch that will answer a call, for its next claim; retry while PostgreSQL is unreachable."""
        await asyncio.shield(self._write(claim, SUSPEND, {"batch": encode(batch)}))

    async def list_open_batches(self, scope: Scope) -> list[tuple[CallClaim, str, OpenBatch]]:
        """Return the calls of a scope, and those made for them, that wait in batches: each with its model."""
        found = await self._fetch(OPEN_BATCHES, dict(scope) | {"tenant": scope.tenant_id})
        return [
            (
                CallClaim(scope.tenant_id, scope.run_id, row["key"], 0),
                str(row["model"]),
                OpenBatch.model_validate(row["batch"]),
            )
            for row in found
        ]

    async def withdraw(self, claim: CallClaim, batch: OpenBatch, lost_usd: float) -> None:
        """Forget a cancelled batch; `lost_usd` is what it was billed nevertheless."""
        await self._fetch(WITHDRAW, _identify(claim) | {"id": batch.id, "lost_usd": lost_usd})

    async def is_settled(self, scope: Scope) -> bool:
        """Return whether a call of a scope's name is settled, whatever its request was."""
        return bool(await self._fetch(SETTLED, dict(scope) | {"tenant": scope.tenant_id}))

    async def sum_usage(self, tenant_id: str, run_id: str) -> Usage:
        """Return what a run's settled model calls and searches cost."""
        [usage] = await self._fetch(USAGE, {"tenant": tenant_id, "run": run_id})
        return Usage.model_validate(usage)

    async def _try_claim(self, spec: CallSpec) -> CallClaim | CallResult | None:
        """Try to claim a call; return None if it has to wait for another attempt or for reserved money."""
        scope = spec.scope
        parts = [scope.tenant_id, scope.run_id, scope.phase_id, scope.attempt, scope.plan_step]
        key = hashlib.sha256(json.dumps([*parts, spec.request_hash]).encode()).hexdigest()
        claim = CallClaim(scope.tenant_id, scope.run_id, key, self._lease.owner)
        if claim.key in self._in_flight:
            return None
        self._in_flight.add(claim.key)
        within = {"cap_usd": spec.cap_usd - spec.kept_usd}
        try:
            [answer] = await self._fetch(
                "SELECT claim_call(%(spec)s::jsonb)",
                {
                    "tenant": scope.tenant_id,
                    "spec": encode(dict(scope) | dict(spec) | _identify(claim) | within),
                },
            )
        except BaseException:
            # The database may have claimed the call, so release it in the background.
            lost = {"error": "claimed, but the answer was lost", "lost_usd": 0}
            self._write(claim, RELEASE, lost)
            raise
        if answer["is"] == "claimed":
            self._pool.announce(claim.run_id)
            waits = answer["batch"]
            return replace(claim, batch=waits and OpenBatch.model_validate(waits))
        self._in_flight.discard(claim.key)
        if answer["is"] == "removed":
            raise Conflict(Notice.of("call-of-removed-run", run=claim.run_id))
        if answer["is"] in {"over_cap", "over_budget"}:
            raise _refuse(spec, answer)
        if answer["is"] == "settled":
            usage = Usage.model_validate(answer["usage"])
            return CallResult(result=answer["result"], usage=usage, reused=True)
        return None

    def _write(
        self, claim: CallClaim, query: LiteralString, params: dict[str, object]
    ) -> asyncio.Task[list[Any]]:
        """Retry a write until PostgreSQL answers; the call stays in flight until then."""

        async def write() -> list[Any]:
            try:
                while True:
                    try:
                        return await self._fetch(query, _identify(claim) | params)
                    except StoreUnavailable:
                        if self._pool.closed:  # the process is ending and no retry can succeed
                            raise
                        await asyncio.sleep(RETRY_SECONDS)
            finally:
                self._in_flight.discard(claim.key)

        writing = asyncio.create_task(write())
        self._writing.add(writing)
        writing.add_done_callback(self._writing.discard)
        return writing


def _refuse(spec: CallSpec, answer: Json) -> BudgetExceeded:
    """Return the refusal of a call that the run's cap, or a budget, has no room for."""
    if answer.pop("is") == "over_budget":
        met = MetBudget.model_validate(answer)
        return BudgetExceeded(met.notice, met.left_usd - spec.kept_usd, met)
    spent, reserved = (float(str(answer[name])) for name in ("spent", "reserved"))
    left = max(spec.cap_usd - spent - reserved, 0)
    # The price is rounded up, else one that just exceeds what is left would read as the same amount.
    price, kept = round_up_usd(spec.reserved_usd), spec.kept_usd or None
    told = Notice.of("budget-exceeded", price=price, cap=spec.cap_usd, left=left, kept=kept)
    return BudgetExceeded(told, left - spec.kept_usd)


def _identify(claim: CallClaim) -> Json:
    """Return the parameters by which SQL statements identify a claimed call."""
    known = {name: value for name, value in asdict(claim).items() if name != "batch"}
    return known | {"tenant": claim.tenant_id}

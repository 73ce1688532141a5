"""Runs as they are read: rows, phases, sources and artifacts."""

from collections.abc import Collection, Sequence
from typing import Any, Literal, LiteralString

from pydantic import Field

from contracts.access.principal import Principal
from contracts.agents.calculations_and_charts import Artifact
from contracts.alerts import ChannelRef, NewAlert
from contracts.base import Contract, Json, RunId, Text
from contracts.blobs import list_blob_keys
from contracts.errors import Conflict, NotFound
from contracts.evidence.sources import Source
from contracts.models.usage import Usage
from contracts.notices import Notice
from contracts.phases.edit import SENTENCE_EDIT
from contracts.planning.plan import Depth
from contracts.runs.records import Batch, PhaseRecord
from contracts.runs.request import Seed
from contracts.runs.samples import Sample
from contracts.runs.start import Opened, OpenRequest, ParentRun
from contracts.runs.statuses import RunStatus
from store.access.row_visibility import VISIBLE, VISIBLE_RUN, bind
from store.postgres.encoding import encode
from store.postgres.pool import Repository
from store.run_records.run_list import AS_OF, decode_cursor, encode_cursor, select_page


class RunSummary(Contract):
    """A run in a list."""

    run_id: str
    definition_id: str
    definition_version: int
    user_id: str
    query: str
    inputs: Json
    parent: str | None
    status: str
    asks: Literal["questions", "decision"] | None = Field(
        default=None, description="what a waiting one asks for first"
    )
    found_nothing: bool = Field(
        default=False, description="it has ended, and its report cites none of the pages it read"
    )
    usage: Usage
    offline: bool
    recorded: Sample | None = Field(
        default=None, description="the recorded run whose answers it has; null: none"
    )
    temp_workflow: bool = Field(default=False, description="is removed soon after its end")
    depth: Depth | None = Field(
        default=None, description="of its plan, or of its start; null: it changes nothing of it"
    )
    started_at: str
    ended_at: str | None


class RunRow(RunSummary):
    """A run's row."""

    request: Json
    opened: Opened | None
    children: list[str]
    snapshot: Json
    last_seq: int

    @property
    def by_rule(self) -> bool:
        """Return True if the stand-in's rules answered instead of a model; those cannot judge."""
        return self.offline and self.recorded is None


class RunQuery(Contract):
    """Filters and page of a list of runs."""

    ticker: Text | None = Field(default=None, description="of any of the companies it is about")
    definition_id: Text | None = None
    parent: Text | None = None
    status: RunStatus | None = None
    user_id: Text | None = None
    id_prefix: RunId | None = Field(
        default=None, description="how its id begins, with or without `run-`"
    )
    text: Text | None = Field(
        default=None, max_length=200, description="part of the question, in any case"
    )
    cursor: str | None = Field(default=None, max_length=500, description="the last `next_cursor`")
    limit: int = Field(default=50, ge=1, le=200)


class RunPage(Contract):
    """A page of the list: running runs first, then by newest end."""

    items: list[RunSummary]
    next_cursor: str | None


SUMMARY: LiteralString = """jsonb_build_object(
    'run_id', r.id, 'definition_id', definition_id, 'definition_version', definition_version,
    'user_id', user_id, 'query', coalesce(request ->> 'query', ''),
    'inputs', coalesce(request -> 'inputs', '{}'), 'parent', request ->> 'from_run',
    'status', status, 'usage', usage, 'temp_workflow', temporary, 'started_at', started_at, 'ended_at', ended_at,
    'found_nothing', status IN ('completed', 'partial') AND snapshot #> '{results,cited}' IS NOT DISTINCT FROM '0',
    'asks', CASE status WHEN 'waiting' THEN snapshot #>> '{pending,0,kind}' END,
    'offline', coalesce((opened -> 'terms' -> 'offline')::boolean, false),
    'recorded', snapshot -> 'recorded',
    'depth', CASE WHEN opened #> '{resolved,depths}' <> '{}'
        THEN coalesce(snapshot #>> '{plan,depth}', opened #>> '{resolved,depth}') END)"""

PHASES: LiteralString = """(
    SELECT coalesce(jsonb_agg(body ORDER BY array_position(ARRAY(
        SELECT jsonb_path_query(r.snapshot, '$.phases[*].id') #>> '{}'), phase_id)), '[]')
    FROM phase_executions p WHERE (p.tenant_id, p.run_id) = (r.tenant_id, r.id)
        AND (%(only)s::text[] IS NULL OR phase_id = ANY(%(only)s)))"""
"""Those with the ids `only`; all if it is null."""

SOURCES: LiteralString = """(
    SELECT coalesce(jsonb_agg(s.body ORDER BY position), '[]')
    FROM sources s WHERE (s.tenant_id, s.run_id) = (r.tenant_id, r.id))"""

ARTIFACTS: LiteralString = """(
    SELECT coalesce(jsonb_agg(a.body ORDER BY position), '[]')
    FROM artifacts a WHERE (a.tenant_id, a.run_id) = (r.tenant_id, r.id))"""

CHILDREN: LiteralString = """(
    SELECT coalesce(jsonb_agg(id), '[]') FROM (SELECT id FROM runs c
        WHERE c.tenant_id = r.tenant_id AND c.parent_id = r.id
            AND (%(user)s::text IS NULL OR c.user_id = %(user)s)
        ORDER BY started_at DESC LIMIT 100) AS newest)"""


RECORD_WITH_ALERTS: LiteralString = """
    WITH recorded AS MATERIALIZED (
        SELECT record_batch(%(batch)s::jsonb, %(blobs)s::text[]) AS grew)
    SELECT to_jsonb(grew) FROM recorded
    UNION ALL SELECT to_jsonb(queue_alerts(%(tenant)s, %(run)s, %(alerts)s::jsonb, %(hidden)s)) FROM recorded"""


class RunRepository(Repository):
    """Writes and reads runs with their phases, sources and artifacts."""

    async def create(
        self, request: OpenRequest, opened: Opened, *, is_provisional: bool = False
    ) -> bool:
        """Insert a run as it was started; the run updates the row later. Return False if it has ended or was removed.

        What the run's first activity resolved replaces what the gateway did, which knows no library, and is never
        replaced by that: with `is_provisional`, what was resolved before stays.

        Raises:
            Conflict: A page that the run reuses was removed after the start was resolved.
        """
        started = request.input
        ended = await self._fetch(
            """
            WITH kept AS (INSERT INTO runs (tenant_id, id, user_id, definition_id, definition_version, request,
                              opened, started_at)
            SELECT %(tenant)s, %(run)s, %(user)s, %(definition)s, %(version)s, %(request)s,
                   %(opened)s, %(started_at)s
            WHERE CASE WHEN NOT is_removed(%(tenant)s, %(run)s)
                THEN refer_to_blobs(%(tenant)s, %(run)s, %(blobs)s) END
            ON CONFLICT (tenant_id, id) DO UPDATE
            SET (user_id, definition_id, definition_version, request, opened, started_at)
              = (excluded.user_id, excluded.definition_id, excluded.definition_version, excluded.request,
                 CASE WHEN %(is_provisional)s THEN coalesce(runs.opened, excluded.opened) ELSE excluded.opened END,
                 excluded.started_at)
            WHERE runs.opened IS NULL OR runs.version < 0 RETURNING id),
            known AS (SELECT closed FROM runs WHERE (tenant_id, id) = (%(tenant)s, %(run)s)
                UNION ALL SELECT true WHERE is_removed(%(tenant)s, %(run)s))
            SELECT closed FROM known
            UNION ALL SELECT NULL WHERE NOT EXISTS (SELECT FROM kept UNION ALL SELECT FROM known)
            """,
            {
                "is_provisional": is_provisional,
                "tenant": started.tenant_id,
                "run": request.run_id,
                "user": started.user_id,
                "definition": opened.resolved.definition.id,
                "version": opened.resolved.definition.version,
                "request": encode(started.model_dump(mode="json", exclude={"state"})),
                "opened": encode(opened),
                "started_at": request.started_at,
                "blobs": _list_referenced(opened),
            },
        )
        if None in ended:
            raise Conflict(Notice.of("parent-removed"))
        return not any(ended)

    async def record(self, batch: Batch, alerts: Sequence[NewAlert] = ()) -> list[ChannelRef]:
        """Store events and the run's rows, unless newer rows are stored; idempotent.

        Alerts are queued in the same transaction. Return the channels that have alerts to send.
        """
        record: LiteralString = "SELECT record_batch(%(batch)s::jsonb, %(blobs)s::text[])"
        outputs = [phase.output for phase in batch.phases]
        blobs = list_blob_keys([batch.sources, batch.artifacts, outputs])
        given: dict[str, object] = {"tenant": batch.tenant_id, "batch": encode(batch)}
        given["blobs"] = sorted(blobs)
        if alerts:
            record = RECORD_WITH_ALERTS
            given |= {"run": batch.run_id, "hidden": SENTENCE_EDIT, "alerts": encode(list(alerts))}
        [grew, *channels] = await self._fetch(record, given)
        if grew:
            self._pool.announce(batch.run_id)
        return [ChannelRef(tenant_id=batch.tenant_id, channel_id=name) for name in channels]

    async def set_aside(self, batch: Batch, reason: str) -> None:
        """Keep a batch that can never be recorded, for an operator; idempotent by run and version."""
        await self._fetch(
            """
            INSERT INTO rejected_batches (tenant_id, run_id, version, reason, batch)
            SELECT %(tenant)s, %(run)s, %(version)s, %(reason)s, %(batch)s
            WHERE NOT is_removed(%(tenant)s, %(run)s) ON CONFLICT DO NOTHING
            """,
            {
                "tenant": batch.tenant_id,
                "run": batch.run_id,
                "version": batch.version,
                "reason": reason.replace("\0", "\ufffd"),
                "batch": encode(batch),
            },
        )

    async def get(self, principal: Principal, run_id: str) -> RunRow:
        """Return a run."""
        return RunRow.read_record(
            await self._select(
                principal,
                run_id,
                f"{SUMMARY} || jsonb_build_object('request', request, 'opened', opened,"
                f" 'snapshot', snapshot, 'last_seq', shown_seq(r.tenant_id, r.id, last_seq),"
                f" 'children', {CHILDREN})",
            )
        )

    async def list_page(self, principal: Principal, query: RunQuery) -> RunPage:
        """Return runs, running ones first, then by newest end, as of the first page.

        Edits of sentences are among them only by id, definition or parent.
        """
        given = bind(principal) | dict(query) | decode_cursor(query.cursor)
        is_asked = query.definition_id or query.parent or query.id_prefix
        given |= {"hidden": None if is_asked else SENTENCE_EDIT}
        found = await self._fetch(
            f"""
            SELECT {SUMMARY} || jsonb_build_object('place', place, 'as_of', {AS_OF})
            FROM ({select_page(given)}) AS r
            ORDER BY place DESC, started_at DESC, id DESC LIMIT %(limit)s + 1
            """,
            given,
        )
        places = [(row.pop("as_of"), row.pop("place")) for row in found]
        items = [RunSummary.read_record(row) for row in found[: query.limit]]
        next_cursor = None
        if found[query.limit :]:
            last = items[-1]
            next_cursor = encode_cursor(*places[query.limit - 1], last.started_at, last.run_id)
        return RunPage(items=items, next_cursor=next_cursor)

    async def find_previous(self, principal: Principal, run_id: str, schedule_id: str) -> str:
        """Return the run before one of a schedule's that has ended with a result, else the run that it repeats.

        Of a schedule that was made by Temporal's own tools, `schedule_id` is the id of its workflows.
        """
        before = r"""
            SELECT id FROM runs WHERE tenant_id = %(tenant)s AND starts_with(id, %(schedule)s || '-')
                AND substr(id, length(%(schedule)s) + 2) ~ '^\d{4}-\d\d-\d\dT[\d:]+Z$'
                AND id COLLATE "C" < %(run)s AND status IN ('completed', 'partial')
            ORDER BY id COLLATE "C" DESC LIMIT 1"""
        found = await self._fetch(before, bind(principal, run_id) | {"schedule": schedule_id})
        return str(found[0]) if found else str((await self.get(principal, run_id)).parent or "")

    async def list_phases(
        self, principal: Principal, run_id: str, only: Sequence[str] | None = None
    ) -> list[PhaseRecord]:
        """Return a run's phases in the definition's order, or `only` those with some ids."""
        found = await self._select(principal, run_id, PHASES, only)
        return [PhaseRecord.read_record(row) for row in found]

    async def replace_outputs(
        self, principal: Principal, run_id: str, before: dict[str, Json], after: dict[str, Json]
    ) -> bool:
        """Replace outputs of a run by phase, unless one is not as it was before; no cache has them any more.

        Return False where one is not: the caller reads them again.
        """
        given = {n: {"before": before[n], "after": output} for n, output in after.items()}
        changed = await self._fetch(
            f"""
            UPDATE phase_executions p
            SET body = jsonb_set(p.body, '{{output}}', e.value -> 'after'), cache_key = NULL, expires_at = NULL
            FROM runs r, jsonb_each(%(given)s::jsonb) e
            WHERE {VISIBLE_RUN} AND r.closed
                AND (p.tenant_id, p.run_id, p.phase_id) = (r.tenant_id, r.id, e.key)
                AND p.body -> 'output' = e.value -> 'before'
            RETURNING p.phase_id
            """,
            bind(principal, run_id) | {"given": encode(given)},
        )
        return len(changed) == len(after)

    async def get_phase(self, principal: Principal, run_id: str, phase_id: str) -> PhaseRecord:
        """Return one phase of a run."""
        for phase in await self.list_phases(principal, run_id, [phase_id]):
            return phase
        raise NotFound(Notice.of("run-has-no-phase", run=run_id, phase=phase_id))

    async def get_parent(self, principal: Principal, run_id: str) -> ParentRun:
        """Return what another run may be seeded with from this one."""
        opened, request, decisions, status, phases = await self._select(
            principal,
            run_id,
            "jsonb_build_array(opened, request, coalesce(snapshot -> 'decisions', '[]'), status,"
            f" {PHASES})",
        )
        if opened is None:
            raise NotFound(Notice.of("run-unopened", run=run_id))
        gave = [phase for phase in phases if phase["output"]]
        # One that a human stopped between its steps is settled, and has not done all of them.
        whole = [p["id"] for p in gave if p["status"] == "completed" and not p.get("undone")]
        return ParentRun(
            run_id=run_id,
            definition=opened["resolved"]["definition"],
            decisions=decisions,
            query=request["query"],
            inputs=request["inputs"],
            costs=opened["costs"],
            depth=opened["resolved"]["depth"],
            depths=opened["resolved"]["depths"],
            cap_usd=opened["terms"]["cap_usd"],
            base_report=opened["resolved"]["base_report"],
            files=opened["files"],
            collections=opened["collections"],
            status=status,
            seeds={p["id"]: _to_seed(run_id, p) for p in gave if p["id"] in whole},
            partial={p["id"]: p["output"] for p in gave if p["status"] == "partial"},
            unfinished={p["id"]: p["output"] for p in gave if p["id"] not in whole},
        )

    async def list_sources(self, principal: Principal, run_id: str) -> list[Source]:
        """Return a run's sources; citation [n] is the nth."""
        found = await self._select(principal, run_id, SOURCES)
        return [Source.read_record(row) for row in found]

    async def list_artifacts(self, principal: Principal, run_id: str) -> list[Artifact]:
        """Return a run's artifacts in the order they were made."""
        found = await self._select(principal, run_id, ARTIFACTS)
        return [Artifact.read_record(row) for row in found]

    async def count_active(self, tenant_id: str, besides: Collection[str] = ()) -> tuple[int, int]:
        """Return the number of a tenant's active runs except `besides`, and how many of these wait for a human."""
        query: LiteralString = (
            "SELECT jsonb_build_array(count(*), count(*) FILTER (WHERE status = 'waiting')) FROM runs"
            " WHERE tenant_id = %(tenant)s AND ended_at IS NULL AND id <> ALL(%(besides)s::text[])"
        )
        [[active, waiting]] = await self._fetch(query, {"tenant": tenant_id, "besides": [*besides]})
        return int(active), int(waiting)

    async def list_statuses(self, principal: Principal, run_ids: Sequence[str]) -> dict[str, str]:
        """Return the status of each of these runs that is recorded, and visible."""
        found = await self._fetch(
            "SELECT jsonb_build_array(id, status) FROM runs r"
            f" WHERE {VISIBLE} AND id = ANY(%(ids)s::text[])",
            bind(principal) | {"ids": [*run_ids]},
        )
        return dict(found)

    async def count_by_status(self, principal: Principal) -> dict[str, int]:
        """Return how many runs there are of each status."""
        found = await self._fetch(
            "SELECT jsonb_build_array(status, count(*)) FROM runs r"
            f" WHERE {VISIBLE} GROUP BY status ORDER BY status",
            bind(principal),
        )
        return dict(found)

    async def _select(
        self,
        principal: Principal,
        run_id: str,
        what: LiteralString,
        only: Sequence[str] | None = None,
    ) -> Any:
        query: LiteralString = f"SELECT {what} FROM runs r WHERE {VISIBLE_RUN}"
        given = bind(principal, run_id) | {"only": None if only is None else [*only]}
        found = await self._fetch(query, given)
        if not found:
            raise NotFound(Notice.of("run-unknown", run=run_id))
        return found[0]


def _list_referenced(opened: Opened) -> list[str]:
    """Return the keys of the blobs that a run begins with: its files, and what it takes over."""
    resolved = opened.resolved
    outputs = [seed.output for seed in resolved.seeds.values()]
    return sorted(list_blob_keys([opened.files, outputs, resolved.base_report]))


def _to_seed(run_id: str, phase: Any) -> Seed:
    return Seed(
        output=phase["output"],
        origin="parent",
        run_id=phase["reused_from"] or run_id,
        notices=phase["notices"],
        lost_inputs=phase["lost_inputs"],
    )

"""Activities of a scheduled run's probe: they read the previous run's cited pages, searches and outputs."""

from typing import TYPE_CHECKING

from temporalio import activity

from contracts.access.principal import Principal
from contracts.errors import NotFound
from contracts.report.report import Report
from contracts.runs.probes import (
    PhaseRequest,
    PreviousRequest,
    PreviousRun,
    ProbedPage,
    SearchesRequest,
    SearchesResult,
)
from contracts.runs.request import FindResult
from contracts.runs.schedules import TIMED_RUN
from domain.report.claims.report_claims import list_claims
from domain.report.run_report import find_report
from domain.schedule_digests import compute_basis, compute_gathered

if TYPE_CHECKING:
    from store.calls.past_calls import PastCallRepository
    from store.run_records.runs import RunRepository


class ScheduleProbe:
    """Reads what the run before one of a schedule found."""

    def __init__(self, runs: "RunRepository", past_calls: "PastCallRepository") -> None:
        self._runs = runs
        self._past_calls = past_calls

    @activity.defn(name="schedules.previous")
    async def find_previous(self, request: PreviousRequest) -> PreviousRun:
        """Return the run before with the pages that its report cites.

        The result has no run id unless that run has the same plan and was started with the same, has gathered the
        same by code, and has completed all phases that the new one is to do without an outage.
        """
        who = Principal(tenant_id=request.tenant_id)
        timed, run_id = TIMED_RUN.fullmatch(request.run_id), request.from_run
        try:
            if timed:
                run_id = await self._runs.find_previous(who, request.run_id, timed[1])
            row, before = (
                await self._runs.get(who, run_id),
                await self._runs.get_parent(who, run_id),
            )
        except NotFound:
            return PreviousRun()
        definition = before.definition
        files = [file.content_hash for file in before.files]
        start = (definition, before.query, before.inputs, files, before.collections)
        is_same = compute_basis(*start) == request.basis
        is_same &= not request.plan_hash or any(
            d.plan_hash == request.plan_hash for d in before.decisions
        )
        is_same &= before.seeds.keys() >= {*request.phases, *request.gathered}
        is_same = is_same and all(
            compute_gathered(before.seeds[name].output) == digest
            for name, digest in request.gathered.items()
        )
        losses = [lost for seed in before.seeds.values() for lost in seed.lost_inputs]
        is_same &= not any(lost.may_pass for lost in losses)
        outputs = {name: seed.output for name, seed in before.seeds.items()}
        report = find_report(definition, before.query, outputs, offline=row.by_rule)
        if not is_same or report is None:
            return PreviousRun()
        claims = list_claims(Report.model_validate(report))
        numbers = {citation.source for claim in claims for citation in claim.citations}
        sources = await self._runs.list_sources(who, run_id)
        cited = [source for n, source in enumerate(sources, 1) if n in numbers]
        return PreviousRun(
            run_id=run_id,
            day=str(row.started_at)[:10],
            cited=[
                ProbedPage(url=s.url, content_hash=s.content_hash, text_key=s.text_key)
                for s in cited
            ],
        )

    @activity.defn(name="schedules.searches")
    async def compare_searches(self, request: SearchesRequest) -> SearchesResult:
        """Return whether the searches of two probes listed the same; False if either made none."""
        tenant = request.tenant_id
        now = await self._past_calls.list_probed(tenant, request.run_id)
        before = await self._past_calls.list_probed(tenant, request.previous_run_id)
        return SearchesResult(are_same=bool(now) and now == before)

    @activity.defn(name="schedules.output")
    async def find_output(self, request: PhaseRequest) -> FindResult:
        """Return a phase's output in the previous run; empty if it has none, or the run was removed."""
        try:
            before = await self._runs.get_parent(
                Principal(tenant_id=request.tenant_id), request.run_id
            )
        except NotFound:
            return FindResult()
        return FindResult(seed=before.seeds.get(request.phase_id))

"""The changes between a scheduled run's report and the previous one."""

from typing import TYPE_CHECKING

from activities.confined.call_pool import Runner
from contracts.access.principal import Principal
from contracts.errors import NotFound, TooCostly
from contracts.notices import Notice
from contracts.report.report import Report
from contracts.runs.schedules import SCHEDULED_RUN, RunChanges
from domain.report.changes.scheduled_changes import compare_scheduled
from domain.report.run_report import find_report

if TYPE_CHECKING:
    from store.run_records.runs import RunRepository


class ScheduleChanges:
    """Compares a scheduled run with the one before, or else with the run that is repeated."""

    def __init__(self, runs: "RunRepository", run: Runner) -> None:
        self._runs = runs
        self._run = run

    async def find(self, who: Principal, run_id: str, status: str | None) -> RunChanges | None:
        """Return the changes, or why they are unknown; None for unscheduled runs and runs without result."""
        scheduled = SCHEDULED_RUN.fullmatch(run_id)
        if scheduled is None or status not in {"completed", "partial"}:
            return None
        before = ""
        try:
            before = await self._runs.find_previous(who, run_id, scheduled[1])
            old, new = await self._load(who, before), await self._load(who, run_id)
            if old is None or new is None:
                lacking = Notice.of("alert-report-lacks")
                return RunChanges(previous_run_id=before, uncompared=lacking)
            reports = old, await self._runs.list_sources(who, before), new
            sources = await self._runs.list_sources(who, run_id)
            found = await self._run(
                compare_scheduled,
                *(*reports, sources),
                task="comparing reports",
                tenant=who.tenant_id,
            )
        except NotFound:
            return RunChanges(uncompared=Notice.of("alert-before-gone"))
        except TooCostly as error:
            return RunChanges(previous_run_id=before, uncompared=error.notice)
        return found.model_copy(update={"previous_run_id": before})

    async def _load(self, who: Principal, run_id: str) -> Report | None:
        row = await self._runs.get(who, run_id)
        if row.opened is None:
            return None
        phases = await self._runs.list_phases(who, run_id)
        outputs = {phase.id: phase.output for phase in phases}
        definition = row.opened.resolved.definition
        found = find_report(definition, row.query, outputs, offline=row.by_rule)
        return Report.model_validate(found) if found else None

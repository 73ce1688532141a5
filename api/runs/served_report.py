"""Selection of the report to serve: the finished one, the current draft, or the phases' outputs."""

from collections.abc import Mapping

from api.runs.service import Run
from api.runs.shared_sources import keep_cited, list_passages
from contracts.errors import NotFound
from contracts.evidence.sources import Source
from contracts.notices import Lack, Notice
from contracts.problems import Problem
from contracts.report.report import Report
from contracts.runs.statuses import ENDED
from domain.report.report_from_outputs import replace_report


async def find_report(run: Run, phase_id: str | None, at: int | None) -> Report | None:
    """Return the run's finished report or a phase's, if there was one at an event."""
    given = run.row.opened.resolved.seeds if run.row.opened else {}
    ended = set()
    if at:
        log = run.deps.log.events
        ends = await log.read(run.reader, run.id, until=at, types=["step_complete"])
        ended = {event.phase_id for event in ends}
    outputs = {
        phase.id: phase.output
        for phase in await run.get_phases()
        if (at is None or phase.id in ended or phase.id in given) and phase_id in {None, phase.id}
    }
    return run.find_report(outputs)


async def find_draft(run: Run, at: int | None) -> Report | None:
    """Return the living report at an event or now; None to a share link while the run is live."""
    if run.is_shared and run.row.status not in ENDED:
        return None
    return await run.open_history().find_at(at or run.row.last_seq)


async def find_results(run: Run, phase_id: str | None, at: int | None) -> tuple[Report, Lack]:
    """Return a report of a phase's output, or of all phases if the run ended without a report.

    Without any readable output, a run's report only has its head.

    Raises:
        NotFound: The phase has no readable output, or there was no report at that time.
    """
    if at or (phase_id is None and run.row.status not in ENDED):
        raise _refuse_report(run, phase_id, at)
    phases = [phase for phase in await run.get_phases() if phase_id in {None, phase.id}]
    artifacts = await run.deps.runs.list_artifacts(run.reader, run.id)
    given = [(phase, phase.output) for phase in phases]
    report, lack = replace_report(run.row.query, given, artifacts, offline=run.row.by_rule)
    if phase_id and lack == "no-result":
        raise _refuse_report(run, phase_id, at)
    return report, lack


async def get_shown_report(run: Run) -> Report:
    """Return what a share link opens.

    Raises:
        NotFound: The run has no report so far.
    """
    found = await find_report(run, None, None) or await find_draft(run, None)
    return found or (await find_results(run, None, None))[0]


async def load_pages(run: Run, sources: Mapping[int, Source]) -> dict[int, str]:
    """Return the texts of sources by number; share links only see the cited passages of a user's documents."""
    texts = {n: (await run.get_blob(source.text_key)).decode() for n, source in sources.items()}
    if run.is_shared and any(source.is_private for source in sources.values()):
        passages = list_passages(await get_shown_report(run))
        private = [n for n, source in sources.items() if source.is_private]
        texts |= {n: keep_cited(texts[n], passages.get(n, [])) for n in private}
    return texts


def _refuse_report(run: Run, phase_id: str | None, at: int | None) -> NotFound:
    if phase_id:
        return NotFound(Problem.at("phase", "phase-without-report", phase=phase_id, run=run.id))
    if at:
        return NotFound(Notice.of("run-without-report-then", run=run.id, seq=at))
    status = Notice.of(f"status-{run.row.status}")
    return NotFound(Notice.of("run-without-report", run=run.id, status=status))

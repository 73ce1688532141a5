"""The probe of a scheduled run: it repeats the searches and reads the cited pages again before it asks a model."""

import asyncio

from pydantic import BaseModel, TypeAdapter, ValidationError
from temporalio import workflow
from temporalio.exceptions import ActivityError

from activities.reuse.schedule_probe import ScheduleProbe
from activities.web import WebActivities
from contracts.base import Json
from contracts.evidence.sources import ProbeRequest, SearchRequest
from contracts.notices import Notice, Told
from contracts.phases import Phase
from contracts.planning.plan import Plan
from contracts.report.patches import Patch
from contracts.report.report import Report
from contracts.runs.probes import (
    PROBE_SEARCH,
    PhaseRequest,
    PreviousRequest,
    PreviousRun,
    ProbedPage,
    ProbeVerdict,
    SearchesRequest,
)
from contracts.runs.request import Seed
from contracts.runs.state import RunState
from domain.report.context import ReportContext
from domain.report.markdown import render
from workflows.checkpoints.consent import is_unlocked
from workflows.interpreter.initial_state import apply_seed
from workflows.phase_context.context import PhaseContext
from workflows.phases import PHASES
from workflows.runtime.failures import describe_failure

MAX_PAGES = 60
"""Cited pages that a probe reads again; a report that cites more is researched anew."""
_PATCHES = TypeAdapter(list[Patch])


async def find_unchanged(phase: Phase, run: PhaseContext) -> BaseModel | None:
    """Return a phase's output of the run before, taken over into this run, if nothing is new; None if the phase has to work.

    One phase probes for all of them. A person who asked for changes gets new work, whatever the probe says.
    """
    state = run.state
    is_told = run.me.retries or run.me.feedback or state.steering
    if not state.request.probe or phase.id not in state.request.redo or is_told:
        return None
    while state.probe is None:
        prober = _find_prober(state)
        if prober == phase.id:
            state.probe = await _probe(run)
            _tell(run, state.probe)
        elif prober is None or state.phase(prober).status == "pending":
            return None  # it may need this phase's output
        else:
            await workflow.wait_condition(
                lambda asked=prober: state.probe is not None or _find_prober(state) != asked  # type: ignore[misc]
            )
    if state.probe.verdict == "changed":
        return None
    request = PhaseRequest(tenant_id=state.tenant_id, run_id=state.probe.run_id, phase_id=phase.id)
    try:
        found = await run.calls.execute_activity(
            "unchanged", ScheduleProbe.find_output, request, summary="what the run before found"
        )
        if found.seed is None:
            run.log.tell(Notice.of("probe-output-gone", run=state.probe.run_id))
            return None
        return _take_over(run, state.probe, found.seed, PHASES[phase.kind].output)
    except (ActivityError, ValidationError) as error:
        run.log.tell(Notice.of("probe-failed", reason=describe_failure(error).words))
        return None


def _find_prober(state: RunState) -> str | None:
    """Return the first open phase to be done again that searches, as it probes for all; None if none is open."""
    for phase in state.resolved.definition.phases:
        is_open = state.phase(phase.id).status in {"pending", "running", "waiting"}
        if phase.id in state.request.redo and PHASES[phase.kind].web(phase) and is_open:
            return phase.id
    return None


async def _probe(run: PhaseContext) -> ProbeVerdict:
    """Return whether the plan's searches list the same as in the run before, and its cited pages say the same.

    What cannot be compared counts as changed; a failure is also told.
    """
    state, plan = run.state, run.humans.find_plan()
    changed = ProbeVerdict(verdict="changed", at=run.clock.now())
    if plan is None or not is_unlocked(state, plan) or state.collections or not plan.searches:
        return changed
    try:
        # The searches are made in any case: the next run compares its own with them.
        found, _ = await asyncio.gather(_find_previous(run, plan), _search(run, plan))
        if not found.run_id or not found.cited or len(found.cited) > MAX_PAGES:
            return changed
        asked = SearchesRequest(
            tenant_id=state.tenant_id, run_id=state.run_id, previous_run_id=found.run_id
        )
        compared = await run.calls.execute_activity(
            "probe-compare", ScheduleProbe.compare_searches, asked, summary="the same results?"
        )
        if not compared.are_same:
            return changed
        reads = await asyncio.gather(
            *(_is_same(run, n, page) for n, page in enumerate(found.cited, 1))
        )
    except ActivityError as error:
        run.log.tell(Notice.of("probe-failed", reason=describe_failure(error).words))
        return changed
    if not all(reads):
        return changed
    return ProbeVerdict(
        verdict="unchanged",
        run_id=found.run_id,
        since=found.day,
        at=run.clock.now(),
        pages=[page.url for page in found.cited],
    )


async def _find_previous(run: PhaseContext, plan: Plan) -> PreviousRun:
    state = run.state
    definition = state.resolved.definition
    request = PreviousRequest(
        tenant_id=state.tenant_id,
        run_id=state.run_id,
        from_run=state.request.from_run or "",
        phases=[name for name in state.request.redo if state.phase(name).status != "skipped"],
        plan_hash=plan.hash,
        definition_id=definition.id,
        version=definition.version,
    )
    return await run.calls.execute_activity(
        "probe-previous", ScheduleProbe.find_previous, request, summary="the run before"
    )


async def _search(run: PhaseContext, plan: Plan) -> None:
    """Make the plan's searches."""
    services = run.calls.choose_services()
    requests = (
        SearchRequest(scope=run.calls.scope(f"{PROBE_SEARCH}-{n}"), query=query, services=services)
        for n, query in enumerate(plan.searches, 1)
    )
    await asyncio.gather(
        *(
            run.calls.execute_activity(
                each.scope.name, WebActivities.search, each, summary=f"anything new: {each.query}"
            )
            for each in requests
        )
    )


async def _is_same(run: PhaseContext, number: int, page: ProbedPage) -> bool:
    """Return whether a page's text is what it was when it was read."""
    name = f"probe-page-{number}"
    request = ProbeRequest(scope=run.calls.scope(name), **dict(page))
    read = await run.calls.execute_activity(
        name, WebActivities.probe, request, summary=f"changed: {page.url}"
    )
    return read.is_live and read.changed is False


def _take_over(
    run: PhaseContext, verdict: ProbeVerdict, seed: Seed, model: type[BaseModel]
) -> BaseModel:
    """Take an output of the run before over, with the new time of its pages and a note of this in its report.

    Raises:
        ValidationError: It is no output of this version.
    """
    state = run.state
    output = _renew_pages(seed.output, verdict)
    model.model_validate(output)  # before anything of this run is changed
    apply_seed(state, run.me, seed.model_copy(update={"output": output}))
    state.sources[:] = [
        source.model_copy(update={"retrieved_at": verdict.at})
        if source.url in verdict.pages
        else source
        for source in state.sources
    ]
    if patches := output.get("patches"):
        grown = _PATCHES.validate_python(patches)
        state.patches[:] = grown if len(grown) > len(state.patches) else state.patches
    if output.get("report"):
        report = Report.model_validate(output["report"])
        earlier = next(filter(_says_unchanged, report.notes), None)
        since = earlier.params["since"] if isinstance(earlier, Notice) else verdict.since
        note = Notice.of("report-unchanged", "info", since=since, run=verdict.run_id)
        others = [told for told in report.notes if not _says_unchanged(told)]
        report = report.model_copy(update={"notes": [note, *others]})
        markdown = render(report, ReportContext.from_state(state))
        report = report.model_copy(update={"markdown": markdown})
        output = {**output, "report": report.model_dump(mode="json")}
    return model.model_validate(output)


def _says_unchanged(told: Told) -> bool:
    return isinstance(told, Notice) and told.code == "report-unchanged"


def _renew_pages(output: Json, verdict: ProbeVerdict) -> Json:
    """Return an output in which the pages that the probe read have its time."""
    sources = output.get("sources")
    if not isinstance(sources, list):
        return output
    renewed: list[object] = [
        {**source, "retrieved_at": verdict.at}
        if isinstance(source, dict) and source.get("url") in verdict.pages
        else source
        for source in sources
    ]
    return {**output, "sources": renewed}  # type: ignore[dict-item]


def _tell(run: PhaseContext, verdict: ProbeVerdict) -> None:
    """Say in the run's log what the probe decided."""
    if verdict.verdict == "unchanged":
        told = Notice.of("probe-unchanged", "info", run=verdict.run_id, pages=len(verdict.pages))
    else:
        told = Notice.of("probe-changed", "info")
    run.log.tell(told)

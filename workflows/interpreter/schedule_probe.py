"""The probe of a scheduled run: repeats searches and rereads cited pages before any model is asked.

It also compares own documents and data that code collects, such as a company's filings and news.
"""

import asyncio
from collections.abc import Mapping, Sequence

from pydantic import BaseModel, TypeAdapter, ValidationError
from temporalio import workflow
from temporalio.exceptions import ActivityError

from activities.reuse.schedule_probe import ScheduleProbe
from activities.web.web_activities import WebActivities
from contracts.base import Json
from contracts.evidence.sources import ProbeRequest, SearchRequest, Source
from contracts.notices import Notice, Told
from contracts.phases import Phase
from contracts.planning.plan import Plan
from contracts.report.patches import Patch
from contracts.report.report import Report
from contracts.runs.probes import (
    PROBE_SEARCH,
    Comparable,
    PhaseRequest,
    PreviousRequest,
    PreviousRun,
    ProbedPage,
    ProbeVerdict,
    SearchesRequest,
)
from contracts.runs.request import Seed
from contracts.runs.state import PhaseState, RunState
from domain.report.context import ReportContext
from domain.report.formats.markdown import render
from domain.schedule_digests import compute_basis, compute_gathered
from workflows.checkpoints.approval_gate import is_unlocked
from workflows.interpreter.initial_state import SOURCES, apply_seed
from workflows.phase_context.context import PhaseContext
from workflows.phases import PHASES
from workflows.runtime.failures import describe_failure

MAX_PAGES = 60
"""Cited pages that a probe rereads; reports that cite more are researched again."""
_PATCHES = TypeAdapter(list[Patch])


async def find_unchanged(phase: Phase, run: PhaseContext) -> BaseModel | None:
    """Return a phase's output from the previous run if nothing is new, else None.

    One phase probes for all. Phases without a model always collect their data again. If a person asked for changes,
    the work is always done again.
    """
    state = run.state
    is_told = run.me.retries or run.me.feedback or state.steering
    is_redone = phase.id in state.request.redo and not PHASES[phase.kind].gathers
    if not state.request.probe or not is_redone or is_told:
        return None
    while state.probe is None:
        prober = _find_prober(state)
        if prober == phase.id:
            state.probe = await _probe(run)
            _tell(run, state.probe)
        elif prober is None or state.phase(prober).status == "pending":
            return None  # its probe may need this phase's output
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
    """Return the first open phase with searches among those to be redone, which probes for all; None without one."""
    for phase in _list_searching(state):
        if state.phase(phase.id).status in {"pending", "running", "waiting"}:
            return phase.id
    return None


def _list_redone(state: RunState) -> list[Phase]:
    return [p for p in state.resolved.definition.phases if p.id in state.request.redo]


def _list_searching(state: RunState) -> list[Phase]:
    """Return the phases to be redone in which a model has access to the web."""
    kinds = [(phase, PHASES[phase.kind]) for phase in _list_redone(state)]
    return [phase for phase, kind in kinds if kind.web(phase) and not kind.gathers]


def _list_gathered(state: RunState) -> list[PhaseState]:
    """Return the states of the phases to be redone that collect their data by code, without a model."""
    return [state.phase(p.id) for p in _list_redone(state) if PHASES[p.kind].gathers]


async def _probe(run: PhaseContext) -> ProbeVerdict:
    """Compare documents, collected data, the plan's searches and the cited pages with the previous run's.

    Anything that cannot be compared counts as changed; failures are also logged.
    """
    state, plan = run.state, run.humans.find_plan()
    changed = ProbeVerdict(verdict="changed", at=run.clock.now())
    gathered = {each.id: each.output or {} for each in _list_gathered(state) if each.has_output}
    if not is_unlocked(state, plan) or not _can_compare(state, plan, gathered):
        return changed
    # Collections that replace the web are compared as documents, in the basis.
    searches = plan.searches if plan and not any(c.replaces_web for c in state.collections) else []
    try:
        # Search in any case, because the next run compares its searches with these.
        found, _ = await asyncio.gather(_find_previous(run, plan, gathered), _search(run, searches))
        if not found.run_id or not found.cited or len(found.cited) > MAX_PAGES:
            return changed
        if searches and not await _lists_the_same(run, found.run_id):
            return changed
        read = {(s.url, s.content_hash) for output in gathered.values() for s in _sources(output)}
        unread = [page for page in found.cited if (page.url, page.content_hash) not in read]
        reads = await asyncio.gather(*(_is_same(run, n, page) for n, page in enumerate(unread, 1)))
    except ActivityError as error:
        run.log.tell(Notice.of("probe-failed", reason=describe_failure(error).words))
        return changed
    if not all(reads):
        return changed
    compared: dict[Comparable, bool] = {
        "searches": bool(searches),
        "documents": bool(state.collections),
        "gathered": bool(gathered),
    }
    return ProbeVerdict(
        verdict="unchanged",
        run_id=found.run_id,
        since=found.day,
        at=run.clock.now(),
        pages=[page.url for page in found.cited],
        same=[name for name, is_compared in compared.items() if is_compared],
    )


def _can_compare(state: RunState, plan: Plan | None, gathered: Mapping[str, Json]) -> bool:
    """Return whether the plan's searches or the collected data cover everything that models would read on the web."""
    if any(each.status != "completed" for each in _list_gathered(state)):
        return False
    if plan is not None and plan.searches:
        return True
    bindings = [state.resolved.bindings[phase.id].values() for phase in _list_searching(state)]
    return all(any(gathered.keys() & {*names} for names in bound) for bound in bindings)


def _sources(output: Json) -> list[Source]:
    return SOURCES.validate_python(output.get("sources") or [])


async def _find_previous(
    run: PhaseContext, plan: Plan | None, gathered: Mapping[str, Json]
) -> PreviousRun:
    state, start = run.state, run.state.request
    definition, files = state.resolved.definition, [file.content_hash for file in state.files]
    request = PreviousRequest(
        tenant_id=state.tenant_id,
        run_id=state.run_id,
        from_run=start.from_run or "",
        phases=[name for name in start.redo if state.phase(name).status != "skipped"],
        plan_hash=plan.hash if plan else "",
        basis=compute_basis(definition, start.query, start.inputs, files, state.collections),
        gathered={name: compute_gathered(output) for name, output in gathered.items()},
    )
    return await run.calls.execute_activity(
        "probe-previous", ScheduleProbe.find_previous, request, summary="the run before"
    )


async def _search(run: PhaseContext, queries: Sequence[str]) -> None:
    """Run the plan's searches."""
    services = run.calls.choose_services()
    requests = (
        SearchRequest(scope=run.calls.scope(f"{PROBE_SEARCH}-{n}"), query=query, services=services)
        for n, query in enumerate(queries, 1)
    )
    await asyncio.gather(
        *(
            run.calls.execute_activity(
                each.scope.name, WebActivities.search, each, summary=f"anything new: {each.query}"
            )
            for each in requests
        )
    )


async def _lists_the_same(run: PhaseContext, previous_run_id: str) -> bool:
    """Return whether the plan's searches returned exactly the previous run's results."""
    state = run.state
    asked = SearchesRequest(
        tenant_id=state.tenant_id, run_id=state.run_id, previous_run_id=previous_run_id
    )
    compared = await run.calls.execute_activity(
        "probe-compare", ScheduleProbe.compare_searches, asked, summary="the same results?"
    )
    return compared.are_same


async def _is_same(run: PhaseContext, number: int, page: ProbedPage) -> bool:
    """Return whether a page is reachable and its text is unchanged since it was read."""
    name = f"probe-page-{number}"
    request = ProbeRequest(scope=run.calls.scope(name), **dict(page))
    read = await run.calls.execute_activity(
        name, WebActivities.probe, request, summary=f"changed: {page.url}"
    )
    return read.is_live and read.changed is False


def _take_over(
    run: PhaseContext, verdict: ProbeVerdict, seed: Seed, model: type[BaseModel]
) -> BaseModel:
    """Reuse an output of the previous run, with new page times and a note in its report.

    Raises:
        ValidationError: The output does not fit this version's model.
    """
    state = run.state
    output = _renew_pages(seed.output, verdict)
    model.model_validate(output)  # validate before changing the run
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
        run_id, same = verdict.run_id, _name_same(verdict)
        note = Notice.of("report-unchanged", "info", since=since, run=run_id, same=same)
        others = [told for told in report.notes if not _says_unchanged(told)]
        report = report.model_copy(update={"notes": [note, *others]})
        markdown = render(report, ReportContext.from_state(state))
        report = report.model_copy(update={"markdown": markdown})
        output = {**output, "report": report.model_dump(mode="json")}
    return model.model_validate(output)


def _says_unchanged(told: Told) -> bool:
    return isinstance(told, Notice) and told.code == "report-unchanged"


def _renew_pages(output: Json, verdict: ProbeVerdict) -> Json:
    """Return a copy of an output in which the probed pages have the probe's time."""
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
    """Log the probe's verdict in the run's log."""
    if verdict.verdict == "unchanged":
        run_id, pages, same = verdict.run_id, len(verdict.pages), _name_same(verdict)
        told = Notice.of("probe-unchanged", "info", run=run_id, pages=pages, same=same)
    else:
        told = Notice.of("probe-changed", "info")
    run.log.tell(told)


def _name_same(verdict: ProbeVerdict) -> list[Notice]:
    """Return what was compared and is the same, in words."""
    return [Notice.of(f"probe-same-{name}", "info") for name in verdict.same]

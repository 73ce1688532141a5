"""Notices of a run: how it ended, which phases did not finish, and why."""

from collections.abc import Iterator, Sequence

from contracts.collections import CollectionState
from contracts.documents import PartlyRead
from contracts.notices import Notice, NoticeParam, list_once, tell_unread
from contracts.runs.records import PhaseView
from contracts.runs.state_view import StateView
from contracts.runs.statuses import ENDED, RunStatus
from domain.lost_inputs import explain_loss, quote_names

_OF_RUNS: dict[RunStatus, str] = {
    "failed": "run-failed",
    "rejected": "run-rejected",
    "cancelled": "run-cancelled",
    "partial": "run-partial",
}
_OF_PHASES = {"failed": "phase-failed", "partial": "phase-partial"}
"""Codes by status; any other phase that did not complete was not done."""
_OF_EARLY_ENDS = {"phase-ended-short", "phase-ended-late"}
OF_SERVICES = ("search_service", "tool_server")
"""Losses whose notices name the service themselves."""
MAX_PARTLY_READ = 10
"""Maximum number of documents whose unread parts are listed individually."""


def add_notices(view: StateView) -> StateView:
    """Add the notices that follow from a state, unless it has them already; its own come last."""
    recorded = [view.recorded.notice] if view.recorded else []
    notices = list_once([*recorded, *_list_notices(view), *view.notices])
    return view.model_copy(
        update={"notices": notices, "warnings": [notice.text for notice in notices]}
    )


def _list_notices(view: StateView) -> Iterator[Notice]:
    yield from _describe_end(view)
    yield from _describe_documents(view)
    if view.status != "failed":  # a validation that stops its run says so as its failure
        for reason in view.shortfalls:
            yield Notice(code="report-insufficient", params={"reason": reason})
    for phase in view.phases:
        if phase.early_end:
            yield _describe_early_end(phase)
        yield from _list_unmade_searches(phase)
    if view.status in ENDED and view.status != "completed":
        yield from _list_unfinished(view.phases)
    yield from list_once(
        explain_loss(each, phase.id)
        for phase in view.phases
        for each in phase.lost_inputs
        if each.kind in OF_SERVICES
    )
    for phase in view.phases:
        lost = [o for o in phase.lost_inputs if o.optional and o.kind not in OF_SERVICES]
        if lost:
            reasons = list_once(explain_loss(each, phase.id) for each in lost)
            yield Notice.of("phase-unchecked", phase=phase.called, n=len(reasons), reason=reasons)


def _describe_end(view: StateView) -> Iterator[Notice]:
    """Yield how a run ended, unless it completed with findings, and why a human rejected it."""
    if code := _OF_RUNS.get(view.status):
        is_bridged = view.status == "failed" and _are_failures_bridged(view.phases)
        yield Notice(code="run-failed-bridged" if is_bridged else code)
    if view.status in ("completed", "partial") and view.results.cited == 0:
        yield Notice.of("nothing-found", n=view.results.sources or None)
    last = view.decisions[-1] if view.decisions else None
    if view.status == "rejected" and last and last.action == "reject" and last.feedback:
        code = "rejection" if last.by else "rejection-unnamed"
        yield Notice.of(code, by=last.by, text=last.feedback)


def _are_failures_bridged(phases: Sequence[PhaseView]) -> bool:
    """Return whether every phase gave its output, but for failed ones that a later phase did without."""
    failed = {phase.id for phase in phases if phase.status == "failed"}
    others = [phase for phase in phases if phase.status != "failed"]
    bridged = {lost.phase_id for phase in others for lost in phase.lost_inputs}
    is_whole = all(phase.status in ("completed", "partial") for phase in others)
    return bool(failed) and is_whole and failed <= bridged


def _describe_documents(view: StateView) -> Iterator[Notice]:
    """Yield notices of the user's documents that were not indexed, not opened, or not fully read."""
    for state in view.collections:
        yield from _describe_collection(state)
    if view.unopened:
        counts = {"n": len(view.unopened), "of": len(view.files)}
        yield Notice(code="files-unopened", params={**counts, "names": view.unopened})
    yield from _describe_unread(view.partly_read)


def _describe_unread(documents: Sequence[PartlyRead]) -> Iterator[Notice]:
    """Yield what of documents was not read, and how many further ones were read in part.

    A company's unread results are left out: a report's notes name them with their days.
    """
    lacking = [
        (document.name, parts)
        for document in documents
        if (parts := [part for part in document.unread if part.code != "results"])
    ]
    for name, parts in lacking[:MAX_PARTLY_READ]:
        for part in parts:
            yield tell_unread(name, part)
    if more := len(lacking[MAX_PARTLY_READ:]):
        yield Notice.of("unread-more", n=more)


def _describe_collection(state: CollectionState) -> Iterator[Notice]:
    """Yield what of a collection no search finds, or what may have changed since it was read."""
    name = state.name
    yield from state.unlisted
    if state.is_gone:
        yield Notice.of("collection-gone", collection=name)
    if state.unread:
        counts = {"unread": state.unread, "n": state.documents}
        yield Notice(code="collection-unread", params={"collection": name, **counts})
    if state.failed_count:
        rest = state.failed_count - len(state.failed)
        names = [*state.failed, *([f"… (+{rest})"] if rest else [])]
        yield Notice.of("documents-failed", collection=name, n=state.failed_count, names=names)


def _describe_early_end(phase: PhaseView) -> Notice:
    assert phase.early_end
    reason, pages = phase.early_end.reason, phase.early_end.pages_read
    if not pages:
        return Notice.of(f"{reason}-ended", phase=phase.called)
    return Notice.of(f"{reason}-ended-reading", phase=phase.called, n=pages)


def _list_unmade_searches(phase: PhaseView) -> Iterator[Notice]:
    """Yield the planned searches that a phase skipped; a phase that made none is partial, and says so itself."""
    for lost in phase.lost_inputs:
        if lost.kind == "unmade_searches" and not lost.degrades:
            names, counts = quote_names(lost.names), {"n": lost.lost, "of": lost.found}
            params: dict[str, NoticeParam] = {"phase": phase.called, "names": names, **counts}
            yield Notice(code="searches-unmade", params=params)


def _list_unfinished(phases: list[PhaseView]) -> Iterator[Notice]:
    """Yield undone steps, and why phases did not complete, grouped by reason."""
    left = {phase.id: phase for phase in phases if phase.status != "completed"}
    grouped: list[tuple[Notice, list[str | Notice]]] = []
    for phase in phases:
        if phase.undone:  # also for a phase that a human rejected between two steps
            steps = [Notice.of("quoted", text=step) for step in phase.undone]
            yield Notice.of("steps-undone", n=len(phase.undone), steps=steps)
        if phase.id in left and not _is_told(phase):
            why = _explain(phase, left)
            same = next((titles for known, titles in grouped if known == why), None)
            if same is None:
                grouped.append((why, [phase.called]))
            else:
                same.append(phase.called)
    for why, titles in grouped:
        params = {"phase": titles, "n": len(titles), **why.params}
        yield Notice(code=why.code, params=params)


def _is_told(phase: PhaseView) -> bool:
    """Return whether a phase is partial because its money or time ran out and for nothing else: another notice says that."""
    codes = {notice.code for notice in phase.notices}
    is_partial = phase.status == "partial" and not (phase.error or phase.lost_inputs)
    return is_partial and phase.early_end is not None and codes <= _OF_EARLY_ENDS


def _explain(phase: PhaseView, left: dict[str, PhaseView]) -> Notice:
    """Return why a phase did not complete, without its name; a loss is explained where it originated."""
    code = _OF_PHASES.get(phase.status, "phase-skipped")
    if phase.error:
        return Notice.of(code, reason=phase.error.words)
    lost = [each for each in phase.lost_inputs if each.degrades]
    others = left.keys() - {phase.id}
    own = [explain_loss(each, phase.id) for each in lost if each.phase_id not in others]
    if lost and not own:
        names = [left[name].called for name in _find_origins(phase, left)]
        inherited = "phase-incomplete" if phase.status == "partial" else "phase-blocked"
        return Notice.of(inherited, without=names)
    reasons = own if phase.status == "partial" and own else phase.notices
    return Notice.of(code, reason=reasons or [Notice.of("run-ended-before")])


def _find_origins(phase: PhaseView, left: dict[str, PhaseView]) -> dict[str, None]:
    """Return the ids of the phases that first lost what a phase lacks; a skipped phase passes losses on."""
    found: dict[str, None] = {}
    for lost in phase.lost_inputs:
        if lost.degrades and (origin := left.get(lost.phase_id)):
            before = _find_origins(origin, left) if origin.status == "skipped" else {}
            found |= before or {origin.id: None}
    return found

"""Notices of a run: how it ended, which phases did not finish, and why."""

from collections.abc import Iterator, Sequence

from contracts.collections import CollectionState
from contracts.documents import PartlyRead
from contracts.notices import Notice, tell_unread
from contracts.runs.records import PhaseView
from contracts.runs.state import ENDED, RunStatus, StateView
from domain.lost_inputs import describe_lost_input, quote_names

_OF_RUNS: dict[RunStatus, Code] = {
    "failed": "run-failed",
    "rejected": "run-rejected",
    "cancelled": "run-cancelled",
    "partial": "run-partial",
}
_OF_PHASES: dict[str, Code] = {"failed": "phase-failed", "partial": "phase-partial"}
"""Codes by status; any other phase that did not complete was not done."""
MAX_PARTLY_READ = 10
"""The maximum number of documents whose unread parts are listed individually."""
NOT_REACHED = "the run ended before it"


def add_notices(view: StateView) -> StateView:
    """Return a state with its notices; its own warnings become the last of them."""
    told = [Notice(code="warning", params={"text": text}) for text in view.warnings]
    notices = [*_list_notices(view), *told]
    return view.model_copy(
        update={"notices": notices, "warnings": [notice.text for notice in notices]}
    )


def _list_notices(view: StateView) -> Iterator[Notice]:
    if code := _OF_RUNS.get(view.status):
        yield Notice(code=code)
    last = view.decisions[-1] if view.decisions else None
    if view.status == "rejected" and last and last.action == "reject" and last.feedback:
        named: dict[str, str | int] = {"by": last.by} if last.by else {}
        code = "rejection" if last.by else "rejection-unnamed"
        yield Notice(code=code, params=named | {"text": last.feedback})
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
    for phase in view.phases:
        if lost := [each for each in phase.lost_inputs if each.optional]:
            reasons = dict.fromkeys(describe_lost_input(each, phase.id) for each in lost)
            told: dict[str, str | int] = {"phase": _name(phase), "n": len(reasons)}
            yield Notice(code="phase-unchecked", params=told | {"reason": "; ".join(reasons)})


def _describe_documents(view: StateView) -> Iterator[Notice]:
    """Yield what of the user's own documents no search found, nobody opened, or no text holds."""
    for state in view.collections:
        yield from _describe_collection(state)
    if view.unopened:
        counts: dict[str, str | int] = {"n": len(view.unopened), "of": len(view.files)}
        yield Notice(code="files-unopened", params=counts | {"names": ", ".join(view.unopened)})
    yield from _describe_unread(view.partly_read)


def _describe_unread(documents: Sequence[PartlyRead]) -> Iterator[Notice]:
    """Yield what of documents was not read, and how many further ones were read in part."""
    for document in documents[:MAX_PARTLY_READ]:
        for part in document.unread:
            yield tell_unread(document.name, part)
    if more := len(documents[MAX_PARTLY_READ:]):
        yield Notice(code="unread-more", params={"n": more})


def _describe_collection(state: CollectionState) -> Iterator[Notice]:
    """Yield what of a collection no search finds."""
    about: dict[str, str | int] = {"collection": state.name}
    if state.is_gone:
        yield Notice(code="collection-gone", params=about)
    if state.unread:
        counts: dict[str, str | int] = {"unread": state.unread, "n": state.documents}
        yield Notice(code="collection-unread", params=about | counts)
    if state.failed_count:
        names = ", ".join(state.failed)
        rest = state.failed_count - len(state.failed)
        params: dict[str, str | int] = {
            "n": state.failed_count,
            "names": f"{names}, … (+{rest})" if rest else names,
        }
        yield Notice(code="documents-failed", params=about | params)


def _describe_early_end(phase: PhaseView) -> Notice:
    assert phase.early_end
    reason, pages = phase.early_end.reason, phase.early_end.pages_read
    params: dict[str, str | int] = {"phase": phase.title}
    if not pages:
        return Notice(code="budget-ended" if reason == "budget" else "time-ended", params=params)
    code: Code = "budget-ended-reading" if reason == "budget" else "time-ended-reading"
    return Notice(code=code, params=params | {"n": pages})


def _list_unmade_searches(phase: PhaseView) -> Iterator[Notice]:
    """Yield which of the plan's searches a phase left out; one that made none is partial, and says so itself."""
    for lost in phase.lost_inputs:
        if lost.kind == "unmade_searches" and not lost.degrades:
            counts: dict[str, str | int] = {"n": lost.lost, "of": lost.found}
            told = counts | {"phase": _name(phase), "names": quote_names(lost.names)}
            yield Notice(code="searches-unmade", params=told)


def _list_unfinished(phases: list[PhaseView]) -> Iterator[Notice]:
    """Yield which steps are undone, and why phases did not complete: those with one reason together."""
    left = {phase.id: phase for phase in phases if phase.status != "completed"}
    grouped: dict[tuple[Code, str, str], list[str]] = {}
    for phase in phases:
        if phase.undone:  # also of one that a human rejected between two steps
            steps = ", ".join(f"“{step}”" for step in phase.undone)
            yield Notice(code="steps-undone", params={"n": len(phase.undone), "steps": steps})
        if phase.id in left:
            grouped.setdefault(_explain(phase, left), []).append(_name(phase))
    for (code, hole, reason), titles in grouped.items():
        params: dict[str, str | int] = {"phase": ", ".join(titles), "n": len(titles), hole: reason}
        yield Notice(code=code, params=params)


def _explain(phase: PhaseView, left: dict[str, PhaseView]) -> tuple[Code, str, str]:
    """Return a code, the hole of its reason and the reason; a loss is explained where it arose."""
    code = _OF_PHASES.get(phase.status, "phase-skipped")
    if phase.error:
        return code, "reason", phase.error.message
    lost = [each for each in phase.lost_inputs if each.degrades]
    others = left.keys() - {phase.id}
    own = [describe_lost_input(each, phase.id) for each in lost if each.phase_id not in others]
    if lost and not own:
        names = [_name(left[name]) for name in _find_origins(phase, left)]
        inherited: Code = "phase-incomplete" if phase.status == "partial" else "phase-blocked"
        return inherited, "without", ", ".join(names)
    reasons = own if phase.status == "partial" and own else phase.warnings
    return code, "reason", "; ".join(reason.rstrip(".") for reason in reasons) or NOT_REACHED


def _find_origins(phase: PhaseView, left: dict[str, PhaseView]) -> dict[str, None]:
    """Return the ids of the phases that first lost what a phase lacks; a skipped phase passes losses on."""
    found: dict[str, None] = {}
    for lost in phase.lost_inputs:
        if lost.degrades and (origin := left.get(lost.phase_id)):
            before = _find_origins(origin, left) if origin.status == "skipped" else {}
            found |= before or {origin.id: None}
    return found


def _name(phase: PhaseView) -> str:
    return phase.title or phase.id

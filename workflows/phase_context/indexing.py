"""The wait until a run's collections are indexed: no phase searches a part of them in silence."""

from activities.collections.run_documents import CollectionActivities
from contracts.collections import CollectionState, InspectRequest
from contracts.notices import Notice
from workflows.phase_context.context import PhaseContext

LONGEST_WAIT, LONGEST_STALL = 1_800.0, 120.0
"""Seconds: of a wait in all, and without a further document being read."""


async def wait_until_indexed(run: PhaseContext) -> None:
    """Wait while documents of the run's collections are read; the phase's clock is paused.

    Documents unread by then become a notice of the run, and no later run reuses its outputs.
    """
    began = moved = run.clock.time()
    looks = 0
    with run.timer.pause():
        while True:
            looks += 1
            name = f"collections-{looks}"
            known = run.state.collection_states
            request = InspectRequest(
                tenant_id=run.state.tenant_id,
                collections=run.state.collections,
                known=known,
                wait=looks > 1,
            )
            found = await run.calls.execute_activity(
                name, CollectionActivities.inspect, request, summary="what is indexed"
            )
            run.me.memo.pop(name)
            run.state.collection_states = found.states
            unread = sum(state.unread for state in found.states)
            now = run.clock.time()
            if _count_done(found.states) != _count_done(known) or looks == 1:
                moved = now
            if not unread or now - began > LONGEST_WAIT or now - moved > LONGEST_STALL:
                break
            if moved == now:
                _tell_progress(run, found.states)


def _count_done(states: list[CollectionState]) -> int:
    return sum(state.documents - state.unread for state in states)


def _tell_progress(run: PhaseContext, states: list[CollectionState]) -> None:
    total = sum(state.documents for state in states)
    run.log.tell(Notice.of("collections-reading", "info", done=_count_done(states), n=total))

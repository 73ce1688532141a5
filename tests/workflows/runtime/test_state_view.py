"""The view of a run, as its records and its updates carry it."""

import json

from contracts.human.checkpoints import Checkpoint
from contracts.planning.startup import Startup
from contracts.runs.state_view import StateView
from contracts.runs.subjects import PlanSubject
from tests.workflows.support.phase_harness import NOW, PLAN, opened
from workflows.runtime.state_view import build_view, dump_view


def test_a_view_without_defaults_reads_the_same_and_has_its_startup_whole() -> None:
    state = opened()
    for me in state.phases:
        me.output = None
    state.startup = Startup(id="startup-1", name="Pumps")
    asked = Checkpoint(
        checkpoint_id="c",
        phase_id="checkpoint",
        kind="decision",
        subject=PlanSubject(plan=PLAN),
        deadline=NOW,
    )
    state.pending.append(asked)
    view, dumped = build_view(state), dump_view(state)
    assert StateView.model_validate(dumped) == view
    assert len(json.dumps(dumped)) < 0.8 * len(json.dumps(view.model_dump(mode="json")))
    assert view.startup is not None
    assert dumped["startup"] == view.startup.model_dump(mode="json")  # the store compares it

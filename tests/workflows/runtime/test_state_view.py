"""The view of a run, as its records and its updates carry it."""

import json

from contracts.human.checkpoint_subjects import PlanSubject
from contracts.human.checkpoints import Checkpoint
from contracts.notices import Notice
from contracts.planning.startup_company import Startup
from contracts.runs.state_view import StateView
from contracts.search import SearchTerms, name_services
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


def test_place_names_the_library_or_the_services_that_search_the_web() -> None:
    state = opened()
    for me in state.phases:
        me.output = None
    assert build_view(state).place is None, "nobody knows"
    told = SearchTerms(usual=["brave"], chosen=["exa", "searxng"])
    state.terms = state.terms.model_copy(update={"search": told})
    names = name_services(["exa", "searxng"])
    assert build_view(state).place == Notice.of("searched-web", "info", names=names)
    sample = Notice.of("searched-sample", "info")
    state.terms = state.terms.model_copy(update={"searched": sample})
    assert build_view(state).place == sample

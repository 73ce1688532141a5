"""Metrics of calls: labels are our own names, never names given by users."""

from dataclasses import replace

import pytest
from prometheus_client import REGISTRY
from temporalio.testing import ActivityEnvironment

from activities.calls.call_metrics import CREW_ACTIVITY, note_model_call, watch_provider
from activities.crew.crew_task import CrewActivities
from contracts.errors import ModelBusy
from contracts.models.call import ModelRequest, Reply, Scope
from contracts.notices import Notice
from temporal.telemetry.prometheus_metrics import MODEL_CALLS

REPLY = Reply(
    content=[], stop_reason="end_turn", input_tokens=70, cache_read_tokens=50, output_tokens=9
)


def ask(role: str) -> ModelRequest:
    scope = Scope(run_id="r", phase_id="crew", attempt=1, name="turn-1")
    return ModelRequest(scope=scope, role=role, model="m", system="", messages=[], cap_usd=1)


def read(name: str, **labels: str) -> float | None:
    return REGISTRY.get_sample_value(name, labels)


@pytest.mark.parametrize(
    ("activity", "role"), [(CREW_ACTIVITY, "crew"), ("models.call", "planner")]
)
def test_agents_that_users_name_are_counted_as_crew(activity: str, role: str) -> None:
    environment = ActivityEnvironment()
    environment.info = replace(environment.info, activity_type=activity)
    model = f"of {activity}"
    environment.run(note_model_call, ask("planner"), model, REPLY, 0.25)
    own = {"role": role, "model": model}
    assert read("greenlight_model_calls_total", **own) == 1
    assert read("greenlight_model_usd_total", **own) == 0.25
    assert read("greenlight_model_tokens_total", **own, direction="input") == 70
    assert read("greenlight_model_tokens_total", **own, direction="cache_read") == 50
    labels = {tuple(s.labels.values()) for f in MODEL_CALLS.collect() for s in f.samples}
    assert {each for each in labels if each[1] == model} == {(role, model)}


def test_crews_work_in_the_activity_that_is_counted_so() -> None:
    defined = CrewActivities.work.__temporal_activity_definition  # type: ignore[attr-defined]
    assert defined.name == CREW_ACTIVITY


def test_failure_of_a_provider_is_counted_by_its_type_and_goes_on() -> None:
    with pytest.raises(ModelBusy), watch_provider("p"):
        raise ModelBusy(Notice.of("text", text="no"))
    assert read("greenlight_provider_failures_total", provider="p", error="model-busy") == 1

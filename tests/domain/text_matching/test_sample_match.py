"""A recorded run is repeated by the start that was recorded alone."""

import pytest

from contracts.runs.samples import Sample
from contracts.runs.start import RunInput
from domain.text_matching.sample_match import find_sample

SAMPLE = Sample(
    id="apple", definition="deep", query="Is it?", inputs={"a": "1"}, model="m", date="today"
)


@pytest.mark.parametrize(
    ("change", "fits"),
    [
        ({}, True),
        ({"query": " Is  it? ", "depth": "standard", "fresh": True, "user_id": "ada"}, True),
        ({"query": "Was it?"}, False),
        ({"inputs": {}}, False),
        ({"depth": "quick"}, False),
        ({"budget": 1.0}, False),
        ({"from_run": "run-1"}, False),
        ({"config_overrides": {"research": {"enabled": False}}}, False),
    ],
)
def test_recorded_answers_are_for_the_start_that_was_recorded_alone(
    change: dict[str, object], fits: bool
) -> None:
    start = RunInput.model_validate({"query": "Is it?", "inputs": {"a": "1"}, **change})
    assert find_sample([SAMPLE], "deep", start) == (SAMPLE if fits else None)
    assert find_sample([SAMPLE], "another", start) is None

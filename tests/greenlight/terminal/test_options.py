"""Fields of requests in errors, named as they are typed."""

import pytest

from greenlight.terminal.options import name_option


@pytest.mark.parametrize(
    ("path", "option"),
    [
        ("query", "QUESTION"),
        ("files[1]", "--file[1]"),
        ("startup_id", "--startup"),
        ("config_overrides.planning.config.max_plan_steps", "--set planning.max_plan_steps"),
        ("config_overrides.planning.enabled", "--set planning.enabled"),
        ("inputs.ticker", "--input ticker"),
        ("modifications.steps.0.name", "--modifications steps.0.name"),
        ("answers.q1", "q1"),
        ("answers", "answers"),
        ("phases[2].config", "phases[2].config"),
        ("", ""),
    ],
)
def test_field_is_named_by_what_sets_it(path: str, option: str) -> None:
    assert name_option(path) == option

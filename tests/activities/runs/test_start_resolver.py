"""Which definition a start from another run means: its parent's own, or the stored one."""

import pytest

from activities.runs.start_resolver import means_definition_of
from contracts.definitions import DEFAULT, Definition
from contracts.preset_definitions import PRESETS
from contracts.runs.start import ParentRun, RunInput

LIVING = PRESETS["deep_research"].model_copy(update={"id": "own", "version": 2})
FIXED = PRESETS["planning_and_control"].model_copy(update={"id": "own", "version": 2})


@pytest.mark.parametrize(
    ("frozen", "asked", "takes_parents"),
    [
        (FIXED, {"definition_id": "own"}, True),
        (FIXED, {"definition_id": DEFAULT}, True),
        (FIXED, {"definition_id": "own", "version": 2}, True),
        (FIXED, {"definition_id": "own", "version": 3}, False),
        (FIXED, {"definition_id": "other"}, False),
        (LIVING, {"definition_id": "own", "follow_up": True}, True),
        (FIXED, {"definition_id": "own", "follow_up": True}, False),
    ],
)
def test_start_takes_the_frozen_definition_that_it_names_and_can_extend(
    frozen: Definition, asked: dict[str, object], takes_parents: bool
) -> None:
    """A follow-up extends a living report: if the frozen definition has none, the stored one is used."""
    assert (LIVING.is_living, FIXED.is_living) == (True, False)
    parent = ParentRun(run_id="before", definition=frozen, seeds={}, query="?", cap_usd=1)
    start = RunInput.model_validate({"query": "?", "from_run": "before", **asked})
    assert means_definition_of(parent, start) == takes_parents

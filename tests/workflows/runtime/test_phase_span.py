"""The span of a phase ends in silence, wherever its workflow is evicted."""

import logging
from contextvars import copy_context

import pytest
from opentelemetry.context import get_current

from contracts.phases.research import ResearchPhase
from workflows.runtime.phase_span import open_phase_span


def test_a_span_closed_in_another_context_logs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """A workflow that is evicted leaves its phase in the context of the eviction, a copy of another's."""
    opened = open_phase_span(ResearchPhase(id="research"))
    own = copy_context()
    own.run(opened.__enter__)
    with caplog.at_level(logging.DEBUG):
        own.run(copy_context).run(opened.__exit__, None, None, None)
    assert not caplog.records


def test_a_span_is_current_within_its_phase_alone() -> None:
    """After a phase its run's span is the current one again."""
    before = get_current()
    with open_phase_span(ResearchPhase(id="research")):
        assert get_current() is not before
    assert get_current() is before

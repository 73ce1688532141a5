"""Claims that come checked with the call that makes them need no activity of their own."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from temporalio.client import Client

from contracts.evidence.sources import CheckedResult, Citation, Claim
from contracts.terms import Usage
from tests.workflows.agents.test_report_editor import LIVING, output, started, update, updates
from tests.workflows.support.checked_calls import Verifying
from tests.workflows.support.run_harness import Harness, harness
from workflows.runtime.verdict_cache import Verdicts


@pytest.fixture
async def runs(temporal: Client) -> AsyncIterator[Harness]:
    async with harness(temporal, Verifying(LIVING)) as made:
        yield made


@pytest.mark.parametrize("along", [True, False])
async def test_what_comes_checked_is_not_checked_again(runs: Harness, along: bool) -> None:
    """Either way the same is written and refused; beside reading a page it is checked apart."""
    assert isinstance(runs.fakes, Verifying)
    runs.fakes.along, runs.fakes.unfounded = along, ["Two."]
    runs.fakes.making = [update("One."), update("Two.")]
    checked: list[str] = []

    def note(kind: str, request: Any) -> None:
        if kind == "check":
            checked.extend(claim.text for claim in request.claims)

    runs.fakes.before = note
    handle = await started(runs)
    assert (await handle.result()).status == "completed"
    said = [str(output(event)) for event in updates(runs)]
    assert any("'text': 'One.'" in text for text in said)
    assert sum("nothing was changed: “Two.”" in text for text in said) == 2
    assert checked.count("Two.") == (1 if along else 2)


def test_claims_are_told_apart_by_what_they_cite() -> None:
    one, other = (
        Claim(text="It costs $300.", citations=[Citation(source=n, quote="300")]) for n in (1, 2)
    )
    found = one.model_copy(update={"verdict": "supported"})
    known = Verdicts()
    known.learn(CheckedResult(content=[], usage=Usage(), checked=[(one, found)]))
    assert known.of([one, one]) == [found, found]
    assert known.of([one, other]) == []

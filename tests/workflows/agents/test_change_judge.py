"""Judging a turn's changes, in parallel to the agent's tools and its next turn."""

import asyncio
from typing import Any

import pytest

from contracts.evidence.claims import Claim
from contracts.models.call import Block, ModelRequest
from contracts.phases.research import ResearchConfig, ResearchOutput, ResearchPhase
from domain.report.changes.patches import fold_patches
from domain.report.claims.report_claims import list_claims
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.phase_harness import work
from workflows.agents.change_judge import Judged, Judging


@pytest.mark.parametrize("is_asked_to_end", [False, True])
async def test_verdicts_are_applied_only_once_the_changes_stand(is_asked_to_end: bool) -> None:
    """Applied earlier, a verdict would not find its sentence, which would then seem to be checked forever."""
    told: Judged = {"check": Claim(text="It is 5.", citations=[], verdict="not_shown")}
    applied: list[Judged] = []

    async def judge() -> Judged:
        return told

    judging = Judging(judge(), applied.append)
    for _ in range(5):
        await asyncio.sleep(0)
    assert not applied
    if not is_asked_to_end:
        judging.note_placed()
    await judging.end()
    assert applied == [told]


class Late(Fakes):
    """A researcher whose sentence is refuted, while a page is read only after the judge's verdict."""

    def __init__(self) -> None:
        super().__init__()
        self.contradicted = ["Pumps sell."]
        self.ruled = asyncio.Event()
        self.before: Any = self.delay

    async def delay(self, name: str, request: Any) -> None:
        if name == "judge":
            self.ruled.set()
        elif name == "fetch" and request.url.endswith("late"):
            await self.ruled.wait()
            await asyncio.sleep(0.05)

    def _tool_calls(self, request: ModelRequest) -> list[Block]:
        calls = super()._tool_calls(request)
        late = Block(
            type="tool_use", id="late", name="fetch_url", input={"url": "https://example.org/late"}
        )
        writes = any(call.name == "update_report" for call in calls)
        return [*calls, late] if writes else calls


async def test_sentence_that_falls_while_its_turn_still_reads_leaves_the_report() -> None:
    fakes = Late()
    phase = ResearchPhase(id="reading", config=ResearchConfig(living=True))
    async with asyncio.timeout(60):
        done = await work(fakes, phase)
    assert fakes.ruled.is_set()
    found = ResearchOutput.model_validate(done.gave[-1])
    assert [claim.text for claim in list_claims(fold_patches(found.patches))] == []

"""Pages that a model could not read whole: the run says so, its report too, and nobody takes it over."""

from typing import Any

import pytest
from temporalio import activity
from temporalio.client import Client

from contracts.agents.crews import CrewTaskRequest, CrewTaskResult
from contracts.models.call import ModelRequest, ModelResult
from contracts.runs.lost_inputs import LostInput
from domain.lost_inputs import explain_loss
from tests.workflows.phases.models.test_unanswered_calls import ended
from tests.workflows.support.listed_company import INPUTS
from tests.workflows.support.memory_step_cache import Remembering
from tests.workflows.support.run_harness import with_crews

CUT = LostInput(kind="cut_pages", name="small", window_tokens=4_096)


class Cutting(Remembering):
    """Its model's window is too small for any page."""

    @activity.defn(name="models.call")
    async def model(self, request: ModelRequest) -> ModelResult:
        made = await super().model(request)
        return made.model_copy(update={"lost_inputs": [CUT]} if request.pages else {})

    @activity.defn(name="crews.work")
    async def work(self, request: CrewTaskRequest) -> CrewTaskResult:
        made = await super().work(request)
        return made.model_copy(update={"lost_inputs": [CUT]})


@pytest.mark.parametrize(
    ("preset", "phase", "others"),
    [
        ("deep_research", "research", {"summary"}),  # its text's opening: nobody was asked
        pytest.param("web_answer", "research", {"synthesis"}, marks=pytest.mark.full),
        ("market_analysis", "crew", set()),
        ("investment_analysis", "news", {"retrieval"}),
        ("deep_research_hitl", "control", set()),
    ],
)
async def test_cut_pages_are_told_in_the_run_and_on_top_of_its_report_and_only_others_are_kept(
    temporal: Client, preset: str, phase: str, others: set[str]
) -> None:
    inputs = INPUTS if preset == "investment_analysis" else {}
    async with with_crews(temporal, Cutting(hours=24)) as runs:
        handle = await runs.start(definition_id=preset, inputs=inputs)
        state = await ended(runs, handle)
    assert state.status == "completed"
    [cut] = [each for each in state.phases if each.id == phase]
    assert [each.kind for each in cut.lost_inputs] == ["cut_pages"]
    [lost] = cut.lost_inputs
    assert cut.notices.count(explain_loss(lost)) == 1
    records = [record for batch in runs.fakes.batches for record in batch.phases]
    reports = [r.output["report"] for r in records if r.output and "report" in r.output]
    newest: Any = reports[-1]
    assert newest["markdown"].casefold().count(f"> **{explain_loss(CUT).text}.**".casefold()) == 1
    kept = {record.id for record in records if record.cache_key}
    assert kept == others

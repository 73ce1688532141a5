"""What checks take out of a report is in the run's log, and in no form of the report."""

import json
from typing import Any

from temporalio.client import Client

from contracts.definitions import Definition
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.phases.planning import PlanningPhase
from contracts.phases.research import ResearchPhase
from contracts.phases.synthesis import SynthesisPhase
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.model_answers import cited
from tests.workflows.support.run_harness import harness

FALSE = "Pumps are free."
RESEARCHED = Definition(
    id="researched",
    phases=[
        PlanningPhase(),
        HitlCheckpointPhase(id="checkpoint"),
        ResearchPhase(),
        SynthesisPhase(),
    ],
)


async def report_of(temporal: Client, fakes: Fakes) -> Any:
    """Run a definition that writes one report to its end, and return the report."""
    async with harness(temporal, fakes) as runs:
        handle = await runs.start("Where to sell pumps?", definition_id="researched")
        await runs.decide(handle, "approve")
        await handle.result()
    records: Any = [p for batch in fakes.batches for p in batch.phases if p.id == "synthesis"]
    return records[-1].output["report"]


def checks(fakes: Fakes) -> list[Any]:
    return [event.payload for event in fakes.events if event.type == "ReportChecked"]


async def test_refused_sentence_is_in_the_log_and_in_no_report(temporal: Client) -> None:
    fakes = Fakes(RESEARCHED)
    fakes.contradicted = [FALSE]
    fakes.answers["Report"] = {
        "title": "Pumps",
        "sections": [
            {
                "heading": "Market",
                "claims": [cited("Pumps sell.", 1, "Pumps sell."), cited(FALSE, 1, "Pumps sell.")],
            }
        ],
    }
    report = await report_of(temporal, fakes)
    assert "Pumps sell." in report["markdown"]
    assert FALSE not in json.dumps(report)
    [found] = checks(fakes)
    assert [(r["place"], r["claim"]["text"]) for r in found["refused"]] == [("Market", FALSE)]

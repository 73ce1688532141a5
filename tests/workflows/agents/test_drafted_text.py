"""A report's text that its writer drafts as a whole, and then enters with its evidence."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from temporalio import activity
from temporalio.client import Client

from activities.calls.request_body import fit_thinking
from contracts.base import Json
from contracts.evidence.claims import Claim
from contracts.models.call import Block, ModelRequest, ModelResult
from contracts.report.patches import TABLE
from tests.workflows.agents.test_report_editor import LIVING, started
from tests.workflows.support.fake_activities import USAGE, Fakes
from tests.workflows.support.model_answers import QUOTED
from tests.workflows.support.run_harness import Harness, harness

DRAFT = """\
# Pumps

## Market

**Start with hand pumps in the north.** They sell. Ask the dealer for his terms.

- **Price:** it is low. Nobody says why.
- No rival is known.

| | Here | There |
|---|---|---|
| Pumps | 3 | 4 |

| Finding | Then |
|---|---|
| Nobody buys | Stop |

## Next

1. **By May:** ask ten farmers.
"""


def enter(section: str, *said: Json, **more: Any) -> Block:
    given: Json = {"section": section, "add": [*said], **more}
    return Block(type="tool_use", id=f"{section} {said}", name="update_report", input=given)


def quoted(text: str, **more: Any) -> Json:
    return {**QUOTED, "text": text, **more}


def cell(column: str, text: str) -> Json:
    return {"row": "Pumps", "column": column, "claim": quoted(text)}


ENTERED = (
    enter(
        "Market",
        quoted("#1"),
        quoted("#2"),
        {"text": "#3", "advises": True, "citations": []},
        quoted("#4", rests_on=["#2"]),
        quoted("#5"),
        quoted("#6"),
    ),
    Block(
        type="tool_use",
        id="table",
        name="update_report",
        input={"section": TABLE, "figures": [cell("Here", "#8"), cell("There", "#9")]},
    ),
)


class Drafting(Fakes):
    """A writer that drafts first, enters most of its draft, then mends a sentence that the judge doubts."""

    @activity.defn(name="models.call")
    async def model(self, request: ModelRequest) -> ModelResult:
        if request.role == "synthesizer" and len(request.messages) == 1:
            self.requests.append(request)
            return ModelResult(content=[Block(type="text", text=DRAFT)], usage=USAGE)
        return await super().model(request)

    def _tool_calls(self, request: ModelRequest) -> list[Block]:
        if request.role != "synthesizer":
            return super()._tool_calls(request)
        mended = enter("Market", quoted("#1 **Start here** with hand pumps."), remove=[1])
        turns = {3: [*ENTERED], 5: [mended]}
        return turns.get(len(request.messages), [])


@pytest.fixture
async def runs(temporal: Client) -> AsyncIterator[Harness]:
    fakes = Drafting(LIVING)
    plan = dict(fakes.answers["PlanDraft"]) | {"outline": ["Market", "Next"]}
    fakes.answers = fakes.answers | {"PlanDraft": plan}
    async with harness(temporal, fakes) as made:
        yield made


async def test_a_drafted_text_is_entered_by_its_numbers(runs: Harness) -> None:
    handle = await started(runs)
    state = await handle.result()
    assert state.status == "completed"
    writer = [request for request in runs.fakes.requests if request.role == "synthesizer"]
    thought = [(request.thinking_tokens, request.max_tokens) for request in writer]
    assert thought == [(8_000, 16_000), *[(0, 8_000)] * 4], "it thinks before it drafts"
    told = [
        {item.name: item.text for block in request.messages[-1].content for item in block.inputs}
        for request in writer
    ]
    entering = ["entering" in inputs for inputs in told]
    assert entering == [False, True, False, False, False], "how to enter it is told with the draft"
    assert json.loads(told[1]["client"])[0]["id"] == "Q"
    shown = json.loads(told[1]["draft"])
    assert shown["sections"]["Market"]["#3"] == "Ask the dealer for his terms."
    assert shown["table"] == {"Pumps": {"Here": "#8", "There": "#9"}}
    assert json.loads(told[2]["not_entered"]) == ["#7"], "the writer is told what it left out"
    reviewed = [n for n, inputs in enumerate(told) if "review" in inputs]
    assert reviewed == [4], "it is asked to read its report again once that is entered"
    report = await handle.query("report")
    assert "**Start here** with hand pumps." in report, "a mended sentence opens the same paragraph"
    assert "- **Price:** it is low. Nobody says why." in report
    assert "| Nobody buys | Stop" in report


async def test_thinking_leaves_a_long_report_its_own_tokens(runs: Harness) -> None:
    longest: Json = {"synthesis": {"config": {"max_report_tokens": 16_000}}}
    await (await started(runs, config_overrides=longest)).result()
    draft, *_ = (r for r in runs.fakes.requests if r.role == "synthesizer")
    assert (draft.thinking_tokens, draft.max_tokens) == (4_000, 20_000)
    assert fit_thinking(draft).max_tokens == 16_000, "of a model that cannot think"


def test_a_claim_that_advises_needs_no_source_and_no_other_does() -> None:
    assert Claim(text="Ask the dealer.", citations=[], advises=True).kind == "advised"
    assert Claim(text="Ask the dealer.", citations=[]).kind == "stated"

"""Phases with the offline model: its output and its price."""

import json
from typing import Any

from activities.calls.request_body import render_body
from contracts.definitions import Definition
from contracts.models.call import Block, ModelRequest, ModelResult
from contracts.models.prices import find_price
from contracts.phases.planning import IdeaGenerationConfig, IdeaGenerationPhase
from contracts.phases.typed_answers import SummaryPhase
from offline.messages import answer
from tests.workflows.phases.test_idea_generation import REPLAN, UNPLANNED, phases
from tests.workflows.support.fake_activities import TERMS, USAGE, Fakes
from tests.workflows.support.phase_harness import VERIFIED, work
from workflows.start.phase_costs import estimate_costs


class Offline(Fakes):
    """Fakes with the offline model, which add up its price."""

    usd = 0.0

    async def model(self, request: ModelRequest) -> ModelResult:
        assert not any(item.blob for m in request.messages for b in m.content for item in b.inputs)
        whole: Any = answer(await render_body(request, None), "")  # type: ignore[arg-type]
        used, text = whole["usage"], whole["content"][0]["text"]
        self.usd += find_price("test-model", TERMS.prices).compute_usd(
            used["input_tokens"], used["output_tokens"]
        )
        content = [Block(type="text", text=text)]
        return ModelResult(content=content, output=json.loads(text), usage=USAGE)


async def test_ideas_differ_and_cost_no_more_than_the_estimate() -> None:
    phase = IdeaGenerationPhase(config=IdeaGenerationConfig(n_ideas=3, n_reviews=1))
    fakes = Offline()
    output: Any = (await work(fakes, phase)).gave[0]
    assert len({idea["title"] for idea in output["ideas"]}) == 3
    assert output["selected_idea"] == output["ideas"][0]
    expected = estimate_costs(Definition(id="d", phases=[phase]), TERMS)[phase.id].base.usd
    assert expected / 8 <= fakes.usd <= expected


async def test_plan_follows_the_chosen_idea() -> None:
    done = await work(Offline(), *phases({"kind": "idea_generation"}))
    ideas: Any = done.gave[0]
    title = ideas["ideas"][1]["title"]
    output: Any = (
        await work(Offline(), *phases({"kind": "idea_generation"}, UNPLANNED, REPLAN), choice=title)
    ).gave[2]
    assert output["plan"]["title"] == title


async def test_summary_quotes_its_inputs() -> None:
    output: Any = (await work(Offline(), SummaryPhase())).gave[0]
    [found] = output["findings"]
    assert (found["text"], found["citations"]) == (VERIFIED["text"], VERIFIED["citations"])
    assert output["summary"]["text"].startswith("Pumps sell")

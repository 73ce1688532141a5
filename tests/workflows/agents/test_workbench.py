"""An engineer at the workbench: its calculations and charts are described, stored, shown and recorded."""

import json
from typing import Any

import pytest
from temporalio.client import Client
from temporalio.exceptions import ApplicationError

from contracts.models.call import Block
from contracts.report.report import Report
from contracts.words import say
from domain.report.context import ReportContext
from domain.report.formats.markdown import render
from tests.workflows.support.fake_activities import Fakes, artifact
from tests.workflows.support.run_harness import harness

TABLE: dict[str, Any] = {"title": "Prices", "columns": ["a", "b"], "rows": [["x", 1]]}
CHART: dict[str, Any] = {
    "title": "Growth",
    "table": "Prices",
    "kind": "bar",
    "x": "a",
    "columns": ["b"],
    "y_label": "Price",
}
ASKED = [
    ("calculate", {"expression": "6 * 7"}),
    ("calculate", {"expression": "1 / 0"}),
    ("table", TABLE),
    ("table", TABLE | {"rows": [["x"]]}),
    ("chart", CHART),
    ("web_search", {"query": "pumps"}),
]
ASKED_NEXT = [
    ("chart", CHART),
    ("chart", CHART | {"table": "id-Prices"}),
    ("chart", CHART | {"table": "Costs"}),
    ("chart", {**CHART, "x": ["2020"], "series": [{"name": "s", "values": [1]}]}),
]


def fail(name: str, request: Any) -> None:
    if name == "calculate" and "0" in request.args.expression:
        told = "expression: division by zero"
        raise ApplicationError(told, type="tool-failed", non_retryable=True)


@pytest.fixture
def fakes() -> Fakes:
    made = Fakes()
    made.before = fail
    made.making, made.making_next = (
        [
            Block(type="tool_use", id=f"{turn}{n}", name=name, input=given)
            for n, (name, given) in enumerate(asked)
        ]
        for turn, asked in (("t", ASKED), ("u", ASKED_NEXT))
    )
    return made


async def test_an_engineer_needs_no_plan_and_gets_every_answer(
    temporal: Client, fakes: Fakes
) -> None:
    async with harness(temporal, fakes) as runs:
        handle = await runs.start(definition_id="one_shot")
        assert (await handle.result()).status == "completed"
    turns = [request for request in fakes.requests if request.role == "engineer"]
    *results, _ = turns[1].messages[-1].content
    told = [block.inputs[0].text for block in results]
    assert [block.is_error for block in results] == [False, True, False, True, True, True]
    assert json.loads(told[0])["value"] == 42
    assert told[1] == "expression: division by zero"
    assert json.loads(told[2]) == {
        "id": "id-Prices",
        "name": "Prices",
        "kind": "table",
        "rows": 1,
    }
    assert "rows[0] has 1 cells for 2 columns" in told[3]
    assert "the run has no table 'Prices' before this turn; it has none yet" in told[4]
    assert "no tool 'web_search' for a engineer" in told[5]
    *results, _ = turns[2].messages[-1].content
    told = [block.inputs[0].text for block in results]
    assert json.loads(told[0]) == json.loads(told[1])
    assert "no table 'Costs' before this turn; it has id-Prices (Prices)" in told[2]
    assert "a chart is drawn from a table of this run: give `table`" in told[3]
    assert not fakes.searches
    recorded = [b.artifacts for b in fakes.batches if b.artifacts]
    assert [a.id for a in recorded[-1]] == ["id-Prices", "id-Growth"]
    done = {p.id: p.output for b in fakes.batches for p in b.phases if p.output}
    output: Any = done["one_shot"]
    assert [a["name"] for a in output["artifacts"]] == ["Prices", "Growth"]
    assert "![Growth](artifacts/id-Growth)" in output["report"]["markdown"]
    assert say("en", "exhibits-unchecked") + "*\n\n**Prices**" in output["report"]["markdown"]
    [shown] = map(json.loads, fakes.told("step_reviewer", "charts"))
    assert [(chart["table"], chart["table_data"]) for chart in shown] == [
        ("Prices", [["a", "b"], ["x", "1.0"]]) for _ in range(2)
    ], "the reviewer sees what a chart is drawn from"


async def test_a_critic_may_object_to_charts_so_often(temporal: Client, fakes: Fakes) -> None:
    fakes.answers["plot_critic"] = {"accepted": False, "issues": ["no unit"]}
    overrides: Any = {"one_shot": {"config": {"evaluate_plots": True, "max_n_plot_evals": 2}}}
    async with harness(temporal, fakes) as runs:
        handle = await runs.start(definition_id="one_shot", config_overrides=overrides)
        assert (await handle.result()).status == "completed"
        assert len(fakes.of("plot_critic")) == 2
        shown = [json.loads(text)[0] for text in fakes.told("plot_critic", "charts")]
        assert [(chart["title"], chart["table"]) for chart in shown] == 2 * [("Growth", "Prices")]
        assert "no unit" in fakes.told("engineer", "failures")[1]
        assert len(fakes.of("engineer")) == 3
        state = await runs.state(handle)
        unseen = say("en", "step-charts-unreviewed", step=state.query, n=2)
        assert unseen in [warning for phase in state.phases for warning in phase.warnings]
        fakes.making = fakes.making_next = []
        handle = await runs.start(definition_id="one_shot", config_overrides=overrides)
        await handle.result()
        assert len(fakes.of("plot_critic")) == 2, "there was nothing to look at"


def test_a_report_shows_tables_and_charts_and_nothing_else() -> None:
    long = artifact("*Rows* |", "table", preview=[["a", "b|"], ["x", ""]], rows=30)
    made = [artifact("Growth", "chart", note="By <year>"), long, artifact("A page", "html")]
    exhibits = [each.id for each in made]
    report = Report(title="Pumps", sections=[], searches=[], exhibits=exhibits)
    told = render(report, ReportContext([], made))
    assert "\n\n![Growth](artifacts/id-Growth)\n\n*By \\<year\\>*" in told
    assert "**\\*Rows\\* \\|**\n\n| a | b\\| |\n| --- | --- |\n| x | – |" in told
    assert "A page" not in told
    assert say("en", "exhibits-unchecked") not in told, "code made them"

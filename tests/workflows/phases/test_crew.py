"""`crew`: the approved plan decides the work, each task gets what it needs, failures are kept apart."""

import asyncio
import json
from typing import Any

import pytest
from pydantic import ValidationError
from temporalio.client import Client

from contracts.agents.crews import CrewTaskRequest
from contracts.base import Json
from contracts.definitions import Definition, PhaseOverride
from contracts.errors import InvalidInput
from contracts.notices import Notice
from contracts.phases.crew import CrewConfig, CrewPhase
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.phases.planning import PlanningPhase
from contracts.phases.research import ResearchPhase
from contracts.preset_definitions import PRESETS
from contracts.runs.request import RunRequest
from contracts.runs.state_view import StateView
from tests.support.words import en, phrase
from tests.workflows.support.fake_activities import TERMS, Fakes
from tests.workflows.support.model_answers import QUOTED
from tests.workflows.support.run_harness import Harness, with_crews
from workflows.agents import gap_check
from workflows.start.resolution import open_run

PLAN: Json = {
    "title": "Pumps",
    "goal": "Know.",
    "steps": [
        {"name": "Count", "agent_role": "market_sizing"},
        {"name": "Compare", "agent_role": "Competition analyst"},
        {"name": "Stray", "agent_role": "nobody"},
    ],
    "search_terms": ["pumps"],
    "outline": ["Answer", "Market"],
    "geographical_scope": "Kenya",
    "focus_areas": ["drip"],
}


def fakes_with(plan: Json = PLAN, *definitions: Definition) -> Fakes:
    fakes = Fakes(*definitions)
    fakes.answers["PlanDraft"] = plan
    return fakes


async def market(house: Harness, **options: Any) -> StateView:
    """Run the market analysis to its end."""
    handle = await house.start(definition_id="market_analysis", **options)
    await house.complete(handle)
    return await house.state(handle)


def written(house: Harness) -> Any:
    """Return the report as it was recorded."""
    records = [p for batch in house.fakes.batches for p in batch.phases if p.kind == "crew"]
    return next(p.output["report"] for p in reversed(records) if p.output)


def given(request: CrewTaskRequest, name: str) -> Any:
    found = next((i for i in request.inputs if i.name == name), None)
    return json.loads(found.text) if found and found.text[:1] in "[{" else found and found.text


async def test_tasks_follow_the_plan_and_earlier_outputs(temporal: Client) -> None:
    async with with_crews(temporal, fakes_with()) as house:
        state = await market(house)
    assert state.status == "completed"
    tasks = house.fakes.tasks_by_id()
    assert [*tasks] == ["market_sizing", "competition", "customers", "strategy"]
    assert all(given(t, "plan")["search_terms"] == ["pumps"] for t in tasks.values())
    assert all(given(t, "plan")["geographical_scope"] == "Kenya" for t in tasks.values())
    assert all(given(t, "plan")["focus_areas"] == ["drip"] for t in tasks.values())
    steps = [[step["name"] for step in given(t, "steps")] for t in tasks.values()]
    assert steps == [["Count", "Stray"], ["Compare"], [], []]
    assert [len(t.sources) for t in tasks.values()] == [0, 0, 0, 3]
    assert [c.name for c in tasks["strategy"].context] == [
        *("found-market_sizing", "found-competition", "found-customers")
    ]
    assert [t.may_read for t in tasks.values()][:3] == [7, 7, 6]
    assert tasks["strategy"].agent.toolset == []
    assert [t.plan_hash for t in tasks.values()] == [*[state.plan_hash] * 3, ""]


async def test_tasks_start_at_once_and_the_last_once_its_context_has_ended(
    temporal: Client,
) -> None:
    """Source numbers follow the order of the tasks, for any order of their ends."""
    fakes, begun, others_ended = fakes_with(), asyncio.Event(), asyncio.Event()
    ended: list[str] = []
    waiting = {"market_sizing", "competition", "customers"}
    known: list[str] = []

    async def work(request: CrewTaskRequest) -> None:
        name = request.task.id
        known.extend(page.url for page in request.sources)
        waiting.discard(name)
        if not waiting:
            begun.set()
        await begun.wait()
        if name == "market_sizing":
            await others_ended.wait()
        ended.append(name)
        if len(ended) == 2:
            others_ended.set()

    fakes.before = lambda kind, request: work(request) if kind == "work" else None
    async with with_crews(temporal, fakes) as house:
        await market(house)
    assert ended[2:] == ["market_sizing", "strategy"]
    assert [url.rpartition("/")[2] for url in known] == [
        "market_sizing",
        "competition",
        "customers",
    ]


async def test_tasks_without_context_run_in_order_and_share_what_is_left(temporal: Client) -> None:
    """Left out, a context is all earlier tasks: each may read what those before have left."""
    rest = [task | {"context": None} for task in DEFAULT["tasks"]]
    fakes = fakes_with(PLAN, crew_of("ordered", tasks=rest))
    async with with_crews(temporal, fakes) as house:
        handle = await house.start(definition_id="ordered")
        await house.decide(handle, "approve")
        await handle.result()
    assert [t.may_read for t in fakes.tasks] == [20, 19, 18, 17]
    assert [len(t.sources) for t in fakes.tasks] == [0, 1, 2, 3]
    sharing = [given(t, "left").get("other_tasks_that_share_them") for t in fakes.tasks[:3]]
    assert sharing == [2, 1, None]


async def test_budget_is_kept_for_the_tasks_that_build_on_one(temporal: Client) -> None:
    """The strategist, who answers the question, comes last."""
    fakes = fakes_with()
    async with with_crews(temporal, fakes) as house:
        await market(house)
    *caps, last = [t.cap_usd - t.kept_usd for t in fakes.tasks_by_id().values()]
    assert len({*caps}) == 1
    assert caps[0] < last


async def test_results_are_typed_and_claims_have_quotes(temporal: Client) -> None:
    async with with_crews(temporal, fakes_with()) as house:
        state = await market(house)
    analysis: Any = state.results.model_dump(mode="json")["analysis"]
    assert set(analysis) == {"sizes", "competitors", "segments", "sections", "gaps"}
    assert analysis["gaps"] == ["No growth rate.", "No prices."]
    report = written(house)
    assert report["claims_total"] == 3
    assert "No growth rate." in report["markdown"]
    assert "“is 5”" in report["markdown"]
    usage = next(p.usage for p in state.phases if p.kind == "crew")
    assert usage.calls == 5  # four tasks, and the check of the gaps


async def test_gaps_of_tasks_have_their_phrases_while_the_last_task_works(
    temporal: Client, monkeypatch: Any
) -> None:
    monkeypatch.setattr(gap_check, "MAX_WHOLE_CHARS", 0)
    fakes, phrased = fakes_with(), asyncio.Event()

    async def wait(kind: str, request: Any) -> None:
        if kind == "model" and request.scope.name == "phrase-gaps-of-draft":
            phrased.set()
        if kind == "work" and request.task.id == "strategy":
            await asyncio.wait_for(phrased.wait(), 5)

    fakes.before = wait
    async with with_crews(temporal, fakes) as house:
        state = await market(house)
    assert state.status == "completed"
    asked = [request.scope.name for request in fakes.requests if request.role == "judge"]
    assert [name for name in asked if "phrase" in name] == ["phrase-gaps-of-draft"]


async def test_a_crews_report_has_the_headings_that_were_approved(temporal: Client) -> None:
    async with with_crews(temporal, fakes_with()) as house:
        await market(house)
    [strategist] = [task for task in house.fakes.tasks if task.task.id == "strategy"]
    shown = {item.name: json.loads(item.text) for item in strategist.context}
    assert shown["found-market_sizing"]["sizes"][0]["id"] == "market_sizing.s1"
    told = [(s["heading"], [c["text"] for c in s["claims"]]) for s in written(house)["sections"]]
    assert told == [
        ("Answer", []),
        ("Market", ["Sell.", "It is 5.", "Acme sells pumps."]),
        (en("name-market_sizing"), []),
        (en("name-competition"), []),
    ]


async def test_task_that_ends_early_does_not_affect_others(temporal: Client) -> None:
    fakes = fakes_with()
    del fakes.outputs["competition"]
    async with with_crews(temporal, fakes) as house:
        state = await market(house)
    assert (state.status, len(fakes.tasks)) == ("partial", 4)
    crew = next(p for p in state.phases if p.kind == "crew")
    [lost] = crew.lost_inputs
    assert lost.told
    assert [lost.told.code, lost.told.params["what"]] == [
        *("because", Notice.of("part-unfinished", part=en("name-competition")))
    ]
    strategist = fakes.tasks_by_id()["strategy"]
    assert [c.name for c in strategist.context] == [*("found-market_sizing", "found-customers")]
    assert not any(section["remarks"] for section in written(house)["sections"])
    assert given(strategist, "unfinished") == [en("name-competition")]


async def test_phase_without_any_output_fails(temporal: Client) -> None:
    fakes = fakes_with()
    fakes.outputs.clear()
    async with with_crews(temporal, fakes) as house:
        state = await market(house)
    error = next(p.error for p in state.phases if p.kind == "crew")
    assert state.status == "failed"
    assert error
    assert error.type == "nothing-found"


async def test_planning_offers_only_the_crews_roles(temporal: Client) -> None:
    async with with_crews(temporal, fakes_with()) as house:
        await market(house)
    schema: Any = next(r for r in house.fakes.requests if r.role == "planner").output_schema
    role = schema["$defs"]["PlanStep"]["properties"]["agent_role"]
    assert role["enum"] == [agent.id for agent in CrewConfig().agents]


def crew_of(name: str, **config: Any) -> Definition:
    crew = CrewPhase.model_validate({"config": config})
    checkpoint = HitlCheckpointPhase(id="checkpoint")
    return Definition(id=name, phases=[PlanningPhase(), checkpoint, crew])


DEFAULT: Any = CrewConfig().model_dump(mode="json")


def agents(**changes: Any) -> Json:
    first, *rest = DEFAULT["agents"]
    return {"agents": [first | changes, *rest]}


def tasks(**changes: Any) -> Json:
    *rest, last = DEFAULT["tasks"]
    return {"tasks": [*rest, last | changes]}


async def test_sections_of_a_looser_schema_that_cannot_be_read_are_told(temporal: Client) -> None:
    own = crew_of("own", **tasks(output_schema={"type": "object"}))
    fakes = fakes_with(PLAN, own)
    placed: list[Any] = [{"heading": "Answer", "claims": [QUOTED]}, {"claims": [QUOTED]}]
    fakes.outputs["strategy"] = {"sections": placed}
    async with with_crews(temporal, fakes) as house:
        handle = await house.start(definition_id="own")
        await house.decide(handle, "approve")
        await handle.result()
        state = await house.state(handle)
    assert [s["heading"] for s in written(house)["sections"]][:1] == ["Answer"]
    told = en("crew-sections-odd", n=1, task="strategy")
    assert told in [warning for phase in state.phases for warning in phase.warnings]


async def test_task_title_heads_its_section(temporal: Client) -> None:
    own = crew_of("own", **tasks(title="What to do"))
    fakes = fakes_with(PLAN, own)
    fakes.outputs["strategy"] = {"risks": [QUOTED], "chances": [QUOTED]}
    async with with_crews(temporal, fakes) as house:
        handle = await house.start(definition_id="own")
        await house.decide(handle, "approve")
        await handle.result()
    assert "What to do: Chances" in str(written(house))


@pytest.mark.parametrize(
    ("config", "path", "said"),
    [
        (agents(works_as="strategist", tools=["web_search"]), "tools", phrase("tools-beyond-role")),
        (agents(tools=["run_code"]), "tools", phrase("tools-beyond-role")),
        (tasks(agent="nobody"), "crew", "tasks[3].agent"),
        (tasks(context=["strategy"]), "crew", "tasks[3].context"),
        (tasks(output_schema={"type": "array"}), "output_schema", "object"),
        (tasks(output_schema={"type": "objekt"}), "output_schema", phrase("schema-invalid")),
        (tasks(id="customers"), "tasks", phrase("value-twice")),
        ({"models": {"nobody": "m"}}, "crew", "nobody"),
        ({"agents": []}, "agents", "at least 1"),
        ({"tasks": DEFAULT["tasks"][:1]}, "crew", phrase("crew-agents-idle")),
    ],
)
def test_inconsistent_crew_is_refused(config: Json, path: str, said: str) -> None:
    with pytest.raises(ValidationError) as refused:
        CrewPhase.model_validate({"config": config})
    [error] = refused.value.errors()
    assert path in [*map(str, error["loc"]), "crew"]
    assert said in error["msg"]


def test_only_a_crew_with_web_requires_an_approval() -> None:
    bare = Definition(id="bare", phases=[CrewPhase()])
    with pytest.raises(InvalidInput) as refused:
        open_run(RunRequest(query="?"), bare, None, TERMS)
    assert "reaches the web" in str(refused.value) or "plan" in str(refused.value)
    thinkers = [agent | {"works_as": "strategist"} for agent in DEFAULT["agents"]]
    alone = CrewPhase.model_validate({"config": {"agents": thinkers}})
    opened = open_run(RunRequest(query="?"), Definition(id="alone", phases=[alone]), None, TERMS)
    assert opened.resolved.selected == ["crew"]


async def test_crew_without_its_approval_does_no_task(temporal: Client) -> None:
    off = {"checkpoint": PhaseOverride(config={"require_approval": False})}
    with pytest.raises(InvalidInput):
        open_run(
            RunRequest(query="?", config_overrides=off), PRESETS["market_analysis"], None, TERMS
        )


def test_price_uses_each_agents_model() -> None:
    cheap = open_run(RunRequest(query="?"), PRESETS["market_analysis"], None, TERMS).costs["crew"]
    prices = {
        **TERMS.prices,
        "dear": TERMS.prices["test-model"].model_copy(update={"input_usd": 9}),
    }
    terms = TERMS.model_copy(update={"prices": prices})
    asked = RunRequest(query="?", model_overrides={"strategy": "dear"})
    assert (
        open_run(asked, PRESETS["market_analysis"], None, terms).costs["crew"].base.usd
        > cheap.base.usd
    )


async def test_sources_read_by_parallel_phases_keep_their_numbers(temporal: Client) -> None:
    """The crew's first page is the run's second: what it says of it has to name that one."""
    crew, research = CrewPhase(after=["checkpoint"]), ResearchPhase(after=["checkpoint"])
    beside = Definition(
        id="beside", phases=[PlanningPhase(), HitlCheckpointPhase(id="checkpoint"), research, crew]
    )
    fakes, read = fakes_with(PLAN, beside), asyncio.Event()
    fakes.before = lambda kind, _: read.wait() if kind == "work" else None
    async with with_crews(temporal, fakes) as house:
        handle = await house.start(definition_id="beside")
        await house.decide(handle, "approve")
        await house.until(handle, lambda s: s.phases[2].status == "completed")
        read.set()
        assert (await handle.result()).status == "completed"
        analysis: Any = (await house.state(handle)).results.model_dump(mode="json")["analysis"]
    pages = [batch.sources for batch in fakes.batches if batch.sources][-1]
    assert [page.url[-6:] for page in pages[:2]] == ["e.org/0"[-6:], "sizing"]
    assert analysis["sizes"][0]["citations"][0]["source"] == 2


@pytest.mark.parametrize(("most", "shares"), [(11, (5, 6)), (1, (0, 1))])
async def test_tools_of_servers_are_given_to_the_agents_that_are_granted_them(
    temporal: Client, most: int, shares: tuple[int, int]
) -> None:
    """Two granted tasks share the calls that the plan allows; the third agent knows no tool of the server."""
    member: Json = {"goal": "Count.", "works_as": "strategist"}
    agents: list[Json] = [
        {"id": "ann", "role": "Ann", **member, "servers": ["stock"]},
        {"id": "bob", "role": "Bob", **member},
    ]
    tasks: list[Json] = [
        {"id": name, "agent": agent, "description": "Count.", "expected_output": "A number."}
        for name, agent in (("first", "ann"), ("second", "ann"), ("third", "bob"))
    ]
    phases = [
        {"kind": "planning"},
        {"kind": "hitl_checkpoint", "id": "checkpoint"},
        {"kind": "crew", "config": {"agents": agents, "tasks": tasks}},
    ]
    servers = {"servers": [{"name": "stock", "max_calls": most}]}
    definition = Definition.model_validate({"id": "stocked", "phases": phases, "mcp": servers})
    fakes = fakes_with(PLAN, definition)
    schema: Json = {"type": "object", "properties": {}}
    read: Json = {"readOnlyHint": True}
    fakes.server_tools = [{"name": "count", "inputSchema": schema, "annotations": read}]
    fakes.outputs |= dict.fromkeys(("first", "second", "third"), fakes.outputs["market_sizing"])
    async with with_crews(temporal, fakes) as house:
        handle = await house.start(definition_id="stocked")
        state = await house.asked(handle, "checkpoint")
        assert state.pending[0].plan
        assert [tool.name for tool in state.pending[0].plan.servers[0].tools] == ["count"]
        assert fakes.tasks == []
        await house.decide(handle, "approve")
        await asyncio.wait_for(handle.result(), 20)
    given_to = {task.task.id: task for task in fakes.tasks}
    called = {name: [tool.called for tool in task.server_tools] for name, task in given_to.items()}
    assert called == {"first": ["mcp__stock__count"], "second": ["mcp__stock__count"], "third": []}
    allowed = [given_to[name].server_calls for name in ("first", "second")]
    assert allowed == [{"stock": share} for share in shares]
    assert [bool(task.plan_hash) for task in given_to.values()] == [True, True, False]

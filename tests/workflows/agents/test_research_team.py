"""Agents of one research that work at the same time, each on independent steps of the plan."""

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable
from typing import Any

import pytest
from pydantic import JsonValue, ValidationError
from temporalio import activity
from temporalio.exceptions import ActivityError, ApplicationError

from contracts.agents.tool_definitions import FETCH_URL
from contracts.base import Json
from contracts.errors import KeyRejected, OutOfTime
from contracts.evidence.claims import Claim
from contracts.evidence.sources import FoundPage, SearchHit, SearchRequest, SearchResult
from contracts.human.messages import Steer
from contracts.models.call import Block, ModelRequest
from contracts.notices import Notice
from contracts.phases.research import ResearchConfig, ResearchOutput, ResearchPhase
from contracts.planning.plan import Plan, PlanDraft, PlanStep
from contracts.runs.records import EarlyEnd
from contracts.runs.state import RunState
from domain.report.changes.proposals import Revision
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.model_answers import QUOTED
from tests.workflows.support.phase_harness import PLAN, Silent, context_of, opened, work
from workflows.agents import agent
from workflows.agents.report_editor import ReportEditor, name_part
from workflows.agents.research_team import (
    assign_pages,
    divide_steps,
    list_telling,
)
from workflows.checkpoints.prices.plan_price import price_plan
from workflows.interpreter.phase_walk import Interpreter
from workflows.phases import PHASES

KENYA, GHANA = (PlanStep(name=name, independent=True) for name in ("Kenya", "Ghana"))
COMPARE = PlanStep(name="Compare")
BOTH = PLAN.model_copy(update={"steps": [KENYA, GHANA]})


FAILED: Any = {
    **dict.fromkeys(("scheduled_event_id", "started_event_id"), 0),
    **dict.fromkeys(("identity", "activity_type", "activity_id"), ""),
    "retry_state": None,
}


async def research(fakes: Fakes, plan: Plan = BOTH, **config: Any) -> ResearchOutput:
    phase = ResearchPhase.model_validate({"id": "reading", "config": config})
    done = await work(fakes, phase, plan=plan)
    return ResearchOutput.model_validate(done.gave[-1])


def find_assignment(request: ModelRequest) -> Json:
    """Return what an agent is assigned, with the name of its call."""
    inputs = [i for m in request.messages for b in m.content for i in b.inputs]
    return {i.name: i.text for i in inputs if i.name == "assignment"}


def test_independent_steps_are_divided_evenly_among_at_most_so_many_agents() -> None:
    steps = [PlanStep(name=str(n), independent=n != 3) for n in range(6)]
    names = [[step.name for step in group] for group in divide_steps(steps, 2)]
    assert names == [["0", "1"], ["2", "4", "5"]]
    assert len(divide_steps(steps, 8)) == 5
    assert divide_steps(steps, 1) == divide_steps([KENYA, COMPARE], 5) == []
    assert name_part([KENYA, GHANA]) == "Kenya, Ghana"
    assert len(name_part([KENYA] * 99)) == 101


async def test_agents_of_independent_steps_start_at_once_from_the_same_searches() -> None:
    fakes, both = Fakes(), asyncio.Barrier(2)
    fakes.before = lambda kind, r: (
        both.wait() if kind == "model" and r.scope.name.endswith("turn-1") else None
    )
    async with asyncio.timeout(60):
        await research(fakes, living=True)
    started = [r for r in fakes.requests if r.scope.name.endswith("turn-1")]
    first, second = sorted(started, key=lambda request: request.scope.name)
    told = [[r.messages[-1].content.pop() for _ in range(2)][-1] for r in (first, second)]
    assert first.messages == second.messages
    assert (first.system, first.tools) == (second.system, second.tools)
    assigned = ['{"steps":["Kenya"]}', '{"steps":["Ghana"]}']
    assert [block.inputs[0].text for block in told] == assigned
    assert fakes.searches.count("pumps") == 1
    assert [first.scope.plan_step, second.scope.plan_step] == ["Kenya", "Ghana"]


def assign(titles: dict[str, str], parts: list[list[str]], **about: str) -> list[list[str]]:
    pages = [
        FoundPage(url=url, title=title, about=about.get(url, "")) for url, title in titles.items()
    ]
    return assign_pages(pages, [[PlanStep(name=name) for name in names] for names in parts])


def test_pages_that_name_one_part_alone_are_read_first() -> None:
    titles = {
        "a": "Solar pumps: the world",
        "b": "Ghana: solar pumps",
        "c": "Pumps in Kenya",
        **{str(n): f"Kenya's farms {n}" for n in range(3)},
    }
    parts = [["Kenya: pumps", "Solar Togo"], ["Ghana: pumps"]]
    assert assign(titles, parts) == [["a", "b", "c", "0", "1", "2"], ["b"]]
    assert assign(titles, [["Kenya: pumps"], ["Ghana: pumps"]]) == [["c", "0", "1", "2"], ["b"]]
    assert assign({"a": ""}, parts) == [[], []]


def test_pages_on_what_a_step_asks_come_before_those_that_have_its_country_alone() -> None:
    titles = {"space": "Kenya: Space", "farms": "Kenya: Farms", "pumps": "Kenya: Pumps for farms"}
    parts = [["Kenya: pumps"], ["Ghana: pumps"]]
    assert assign(titles, parts) == [["pumps", "space", "farms"], []]
    told = assign(titles, parts, farms="Solar pumps on 3,000 farms.")
    assert told == [["farms", "pumps", "space"], []]


def test_one_word_of_a_step_does_not_outweigh_the_rank_that_a_search_gave() -> None:
    titles = ("Kenya: water", "Kenya: economy", "Kenya: prices of pumps", "Kenya: people")
    about = ("", "", "Prices of pumps for farms.", "Where pumps are found.")
    pages = [
        FoundPage(url=title, title=title, about=snippet, rank=rank)
        for rank, (title, snippet) in enumerate(zip(titles, about, strict=True))
    ]
    water, economy, prices, people = titles
    steps = [PlanStep(name=f"{name}: prices of pumps for farms") for name in ("Kenya", "Ghana")]
    [read, _] = assign_pages(pages, [steps[:1], steps[1:]])
    assert read == [prices, water, economy, people]


def test_pages_on_what_a_plan_measures_are_read_first() -> None:
    about = {
        "Kenya: Security": "The army keeps borders safe.",
        "Kenya: People": "Rural population without drinking water: 43 %.",
        "Kenya: Economy": "Inflation: 4 %.",
    }
    pages = [FoundPage(url=title, title=title, about=text) for title, text in about.items()]
    parts = [[PlanStep(name=name, description="Its security.")] for name in ("Kenya", "Ghana")]
    security, people, economy = about
    measures = ["rural population without drinking water", "inflation"]
    assert assign_pages(pages, parts)[0] == [security, people, economy]
    assert assign_pages(pages, parts, {}, measures)[0] == [people, security, economy]


def test_page_whose_title_names_no_part_is_of_the_part_whose_search_alone_found_it() -> None:
    pages = [
        FoundPage(url=url, title=f"{url}: economy") for url in ("Uzbekistan", "Ghana", "World")
    ]
    steps = [PlanStep(name=name) for name in ("Usbekistan: Wirtschaft", "Ghana: Wirtschaft")]
    both = "Usbekistan Ghana Wirtschaft"
    queries = {
        "Uzbekistan": ["Wirtschaft Usbekistan", both],
        "Ghana": ["Wirtschaft Usbekistan"],
        "World": [both],
    }
    parts = [steps[:1], steps[1:]]
    assert assign_pages(pages, parts, queries) == [["Uzbekistan"], ["Ghana"]]
    assert assign_pages(pages, parts) == [[], ["Ghana"]]


async def test_agents_begin_with_pages_of_another_language_that_their_search_found() -> None:
    class Foreign(Fakes):
        """Each search finds pages whose titles are in another language than the plan."""

        @activity.defn(name="web.search")
        async def search(self, request: SearchRequest) -> SearchResult:
            own = "gh" if "Ghana" in request.query else "ke"
            hits = [
                SearchHit(url=f"https://example.org/{own}{n}", title=f"{own}. {n}")
                for n in range(3)
            ]
            return SearchResult(query=request.query, hits=hits)

    fakes = Foreign()
    plan = BOTH.model_copy(update={"search_terms": ["Kenya pumps", "Ghana pumps"]})
    await research(fakes, plan, living=True)
    begun = sorted(url.rpartition("/")[2] for url in fakes.fetches[:4])
    assert begun == ["gh0", "gh1", "ke0", "ke1"]


async def test_page_that_a_part_s_own_search_ranks_first_is_read_first() -> None:
    class Ranking(Fakes):
        """Each search finds the pages of its country first, best ones first, and then the other's best one."""

        @activity.defn(name="web.search")
        async def search(self, request: SearchRequest) -> SearchResult:
            own, other = ("Ghana", "Kenya") if "Ghana" in request.query else ("Kenya", "Ghana")
            names = [*(f"{own} {n}" for n in range(4)), f"{other} 0"]
            url = "https://example.org/{}"
            hits = [SearchHit(url=url.format(n.replace(" ", "")), title=n) for n in names]
            return SearchResult(query=request.query, hits=hits)

    fakes = Ranking()
    plan = BOTH.model_copy(update={"search_terms": ["Kenya pumps", "Ghana pumps"]})
    await research(fakes, plan, living=True)
    begun = sorted(url.rpartition("/")[2] for url in fakes.fetches[:4])
    assert begun == ["Ghana0", "Ghana1", "Kenya0", "Kenya1"]


@pytest.mark.parametrize(("most", "read"), [(20, ["k1", "k2", "g1"]), (2, ["k1", "g1"])])
async def test_agents_begin_with_pages_that_name_their_part(most: int, read: list[str]) -> None:
    fakes = Fakes()
    fakes.hits = [
        SearchHit(url=f"https://example.org/{name}", title={"k": "Kenya", "g": "Ghana"}[name[0]])
        for name in ("k1", "g1", "k2", "k3")
    ]
    await research(fakes, living=True, max_sources=most)
    begun = [url[-2:] for url in fakes.fetches[: len(read)]]
    assert sorted(begun) == sorted(read)
    [kenya, ghana] = sorted(
        (r for r in fakes.requests if r.scope.name.endswith("turn-1")),
        key=lambda request: request.scope.name,
    )
    for request, letter in ((kenya, "k"), (ghana, "g")):
        called = [
            b.input["url"] for m in request.messages for b in m.content if b.name == FETCH_URL
        ]
        own = [f"https://example.org/{name}" for name in read if name[0] == letter]
        assert called == own
        left = [i.text for i in request.messages[-1].content[-1].inputs if i.name == "left"]
        assert f'"pages_left":{most // 2 - len(own)},' in left[0]
        inputs = [i for m in request.messages for b in m.content for i in b.inputs]
        [listed] = [i.text for i in inputs if i.name == "results"]
        others = "g" if letter == "k" else "k"
        assert f"/{letter}1" in listed
        assert f"/{others}1" not in listed


async def test_agents_begin_with_the_newest_versions_of_pages_opened_for_each_measure() -> None:
    fakes = Fakes()
    titles = {"old": "Kenya: Pumps 2.1", "new": "Kenya: Pumps 2.10", "rain": "Kenya: Rain"}
    fakes.hits = [
        SearchHit(url=f"https://example.org/{name}", title=title) for name, title in titles.items()
    ]
    measures = ["prices of pumps", *(letter * 200 for letter in "abcd")]
    await research(fakes, BOTH.model_copy(update={"measures": measures}), living=True)
    first = next(r for r in fakes.requests if r.scope.name == "part-1-turn-1")
    opened = [b.input for m in first.messages for b in m.content if b.name == FETCH_URL]
    names = [str(each["url"]).rpartition("/")[2] for each in opened]
    assert names == ["new", "rain"]
    assert {each["about"] for each in opened} == {"; ".join(measures[:4])}


async def test_plan_without_two_independent_steps_has_one_agent() -> None:
    for steps in ([KENYA, COMPARE], [COMPARE]):
        fakes = Fakes()
        await research(fakes, PLAN.model_copy(update={"steps": steps}), living=True)
        assert not any(find_assignment(request) for request in fakes.requests)
        assert {request.scope.plan_step for request in fakes.requests} == {""}


async def test_pages_in_flight_count_and_are_shared_equally() -> None:
    fakes = Fakes()
    fakes.turn_size = 7
    found = await research(fakes, living=True, max_sources=4)
    read = sorted({url[-1] for url in fakes.fetches})
    assert read == [*"123456"], "the first is read already; either may read two, and one more"
    shared = [r for r in fakes.requests if r.scope.name.endswith("turn-1")]
    left = [i.text for r in shared for i in r.messages[-1].content[-1].inputs if i.name == "left"]
    assert ['"pages_left":2,"more_pages":1,' in text for text in left] == [True, True]
    assert len(found.sources) == 7


@pytest.mark.parametrize("most", [3, 20])
async def test_each_agent_may_read_as_many_pages_as_it_is_told(most: int) -> None:
    steps = [KENYA, GHANA, PlanStep(name="Togo", independent=True)]

    class Greedy(Fakes):
        """Each agent asks for more pages of its own than its share."""

        def _tool_calls(self, request: ModelRequest) -> list[Block]:
            if not request.scope.name.endswith("turn-1"):
                return []
            name = request.scope.plan_step
            urls = [f"https://example.org/{name}/{n}" for n in range(most)]
            return [Block(type="tool_use", id=u, name="fetch_url", input={"url": u}) for u in urls]

    fakes = Greedy()
    plan = PLAN.model_copy(update={"steps": steps})
    await research(fakes, plan, living=True, max_sources=most)
    told = {
        r.scope.plan_step: json.loads(i.text)
        for r in fakes.requests
        if r.scope.name.endswith("turn-1")
        for i in r.messages[-1].content[-1].inputs
        if i.name == "left"
    }
    read = Counter(url.split("/")[3] for url in fakes.fetches)
    assert read == {name: t["pages_left"] + t.get("more_pages", 0) for name, t in told.items()}
    assert sum(left["pages_left"] for left in told.values()) == most
    assert sum(read.values()) == most + 3 * (most // 2 // 3), "half as many more, shared evenly"


async def test_failing_agent_loses_its_part_alone() -> None:
    fakes = Fakes()

    def fail(kind: str, request: Any) -> None:
        if kind == "model" and request.scope.plan_step == "Kenya":
            raise OutOfTime(Notice.of("cause-time-nearly"))

    fakes.before = fail
    found = await research(fakes, living=True)
    assert found.end_reason == OutOfTime.type()
    assert [claim.text for claim in found.findings]


def open_editors(*parts: str, plan: Plan = BOTH) -> list[ReportEditor]:
    """Return the editors of parts of one report: of its two, or of those that are named."""
    state = opened(ResearchPhase(id="reading"), plan=plan)
    interpreter = Interpreter(state)
    interpreter.recorder = Silent(state)  # type: ignore[assignment]
    run = context_of(interpreter, state.resolved.definition.phases[-1])
    steps = {step.name: [step] for step in plan.steps}
    named = parts or ("Kenya", "Ghana")
    return [ReportEditor(run, plan, 800, steps=steps.get(name, ())) for name in named]


async def test_lead_is_told_which_sentences_hold_in_part_and_why() -> None:
    kenya, lead = open_editors("Kenya", "")
    kenya.build_tool()
    write(kenya, add=[{**say("Kenya pays 5."), "verdict": "partly", "reason": "About 5."}])
    shown = [next(iter(editor.build_inputs())).text for editor in (kenya, lead)]
    doubts = [json.loads(text)["sections"][0].get("in_part") for text in shown]
    assert doubts == [None, {"1": "About 5."}]


def write(editor: ReportEditor, **change: Any) -> None:
    given: Json = {"section": "Kenya", **change}
    call = Block(type="tool_use", id="1", name="update_report", input=given)
    revision = editor.draft.propose(given)
    assert isinstance(revision, Revision)
    editor.write(call, revision)


def say(text: str) -> Json:
    cited: JsonValue = [{"source": 1, "quote": text}]
    return {"text": text, "id": "s1", "citations": cited, "verdict": "supported"}


async def test_researcher_is_told_where_what_no_source_says_belongs() -> None:
    [editor] = open_editors("Kenya")
    editor.build_tool()
    lost = {"uncited": "Without a source.", "judge-silent": "Without a judge."}
    for code, text in lost.items():
        doubts: JsonValue = [{"code": code}]
        bad = {**say(text), "verdict": "not_shown", "reason": "no", "doubts": doubts}
        several: list[Any] = [[bad], [bad, say(f"Beside {code}.")]]
        for claims in several:
            revision = editor.draft.propose({"section": "Kenya", "add": claims})
            assert isinstance(revision, Revision)
            call = Block(type="tool_use", id="1", name="update_report", input={})
            result = editor.write(call, revision)
            assert ("`gaps`" in result.inputs[0].text) == (code == "uncited")


async def test_numbers_of_sentences_mean_what_the_agent_of_a_part_was_shown() -> None:
    kenya, ghana = open_editors()
    for editor, text in ((kenya, "Kenya pays 5."), (ghana, "Ghana pays 7.")):
        editor.build_tool()
        write(editor, add=[say(text)], missing=f"Not {text}")
    for editor in (kenya, ghana):
        editor.build_tool()
    write(kenya, remove=[1], add=[say("Kenya pays 6.")])
    write(ghana, remove=[1], add=[say("Ghana pays 8.")])
    section, other = kenya.report.sections
    assert (section.heading, other.heading, other.claims) == ("Kenya", "Ghana", [])
    assert [claim.text for claim in section.claims] == ["Kenya pays 6.", "Ghana pays 8."]
    assert len({claim.id for claim in section.claims}) == 2
    assert section.missing == "Not Kenya pays 5.\nNot Ghana pays 7."
    assert [claim.text for claim in ghana.view.sections[0].claims] == ["Ghana pays 8."]


async def test_findings_are_filed_by_subject_and_measure_and_each_agent_hears_which_are_left() -> (
    None
):
    plan = BOTH.model_copy(update={"measures": ["Pumps sold", "Import duty"]})
    fakes = Naming()
    found = await research(fakes, plan, living=True)
    first, *_ = (r for r in fakes.requests if r.scope.name == "part-1-turn-1")
    [tool] = [tool for tool in first.tools if tool.name == "update_report"]
    schema: Any = tool.input_schema
    assert schema["properties"]["section"]["enum"] == ["Kenya", "Ghana"]
    assert schema["$defs"]["Claim"]["properties"]["measure"]["enum"] == plan.measures
    assert [patch.section for patch in found.patches if patch.added] == ["Kenya", "Ghana"]
    assert {p.opening and tuple(p.opening.outline) for p in found.patches[:1]} == {
        ("Kenya", "Ghana")
    }
    left = [
        json.loads(item.text)["measures_left"]
        for r in fakes.requests
        if r.scope.name.endswith("turn-1")
        for item in r.messages[-1].content[-1].inputs
        if item.name == "left"
    ]
    assert left == [{"Kenya": plan.measures}, {"Ghana": plan.measures}]


def test_finding_may_give_every_measure_that_a_plan_may_have() -> None:
    longest = "m" * 200
    given = Claim(text="Kenya pays 5.", citations=[], measure=longest)
    assert make_plan(longest).measures == [given.measure]
    with pytest.raises(ValidationError, match="at most 200 characters"):
        make_plan(longest + "m")


def make_plan(measure: str) -> PlanDraft:
    return PlanDraft(title="Pumps", steps=[KENYA], measures=[measure])


async def test_measure_with_a_finding_is_not_left() -> None:
    plan = BOTH.model_copy(update={"measures": ["Pumps sold", "Import duty"]})
    kenya, lead = open_editors("Kenya", "", plan=plan)
    kenya.build_tool()
    write(kenya, add=[say("Kenya pays 5.") | {"measure": "Import duty"}])
    assert kenya.list_open() == {"Kenya": ["Pumps sold"]}
    assert lead.list_open() == {"Kenya": ["Pumps sold"], "Ghana": plan.measures}
    [none] = open_editors("Kenya")
    assert none.list_open() is None


async def test_measures_are_left_of_each_step_of_an_agent_whatever_its_steps_are_called() -> None:
    names = [f"Kenya, {'the coast and ' * 9}{end}" for end in ("north", "south")]
    steps = [BOTH.steps[0].model_copy(update={"name": name}) for name in names]
    plan = BOTH.model_copy(update={"measures": ["Pumps sold"], "steps": steps})
    run = open_editors(plan=plan)[0]._run
    editor = ReportEditor(run, plan, 800, steps=steps)
    assert editor.list_open() == {names[0]: plan.measures, names[1]: plan.measures}


async def test_pages_are_read_for_the_measures_of_an_independent_step() -> None:
    step = PlanStep(name="Compare", description="Weigh them.")
    update = {"steps": [KENYA, step], "measures": ["Pumps sold", "Import duty"]}
    told = [each.description for each in PLAN.model_copy(update=update).lookups]
    assert told == ["Pumps sold; Import duty", "Weigh them."]


async def test_lead_does_the_steps_that_need_the_others_findings() -> None:
    fakes = Fakes()
    plan = PLAN.model_copy(update={"steps": [KENYA, COMPARE, GHANA]})
    await research(fakes, plan, living=True)
    lead = [r for r in fakes.requests if r.scope.plan_step == "Compare"]
    others = [r for r in fakes.requests if r.scope.plan_step != "Compare"]
    assert fakes.requests == [*others, *lead]
    assert find_assignment(lead[0])["assignment"] == '{"steps":["Compare"],"gaps":[]}'


async def test_lead_does_its_steps_with_pages_beyond_the_cap_where_none_of_it_is_left() -> None:
    class Greedy(Fakes):
        """Each agent of a part asks for as many pages of its own as the cap leaves it."""

        def _tool_calls(self, request: ModelRequest) -> list[Block]:
            urls = [f"https://example.org/{request.scope.plan_step}/{n}" for n in range(2)]
            urls = urls if request.scope.name.startswith("part-") else []
            urls = urls if request.scope.name.endswith("turn-1") else []
            return [Block(type="tool_use", id=u, name="fetch_url", input={"url": u}) for u in urls]

    fakes = Greedy()
    fakes.hits = []
    plan = PLAN.model_copy(update={"steps": [KENYA, COMPARE, GHANA]})
    await research(fakes, plan, living=True, max_sources=4)
    assert len(fakes.fetches) == 4
    lead = next(r for r in fakes.requests if r.scope.plan_step == "Compare")
    [left] = [i.text for i in lead.messages[-1].content[-1].inputs if i.name == "left"]
    assert '"pages_left":0,"more_pages":2,' in left


async def test_a_dependent_step_that_nothing_is_left_for_is_a_gap_of_the_research() -> None:
    class Greedy(Fakes):
        """Each agent of a part asks for more pages than there are."""

        def _tool_calls(self, request: ModelRequest) -> list[Block]:
            urls = [f"https://example.org/{request.scope.plan_step}/{n}" for n in range(9)]
            urls = urls if request.scope.name.endswith("turn-1") else []
            return [Block(type="tool_use", id=u, name=FETCH_URL, input={"url": u}) for u in urls]

    fakes = Greedy()
    fakes.hits = []
    plan = PLAN.model_copy(update={"steps": [KENYA, COMPARE, GHANA]})
    found = await research(fakes, plan, max_sources=2)
    assert COMPARE.name not in {request.scope.plan_step for request in fakes.requests}
    assert COMPARE.name in found.gaps


async def test_gaps_of_agents_cut_short_are_followed_up_while_pages_are_left() -> None:
    fakes = Fakes()
    fakes.answers["Findings"] = {"findings": [], "gaps": ["No prices."]}
    await research(fakes)
    assert "lead" not in {request.scope.plan_step for request in fakes.requests}
    await research(fakes, max_turns=2)
    [lead, *_] = [r for r in fakes.requests if r.scope.plan_step == "lead"]
    assert find_assignment(lead)["assignment"] == (
        '{"steps":[],"gaps":["No prices.","No prices."]}'
    )


class KenyaReads(Fakes):
    """Kenya's agent asks for `count` pages; Ghana's reads none, and ends before or after Kenya's turn."""

    def __init__(self, count: int, *, ghana_first: bool) -> None:
        super().__init__()
        self.hits = []
        self.answers["Findings"] = {"findings": [], "gaps": ["No prices."]}
        self._urls = [f"https://example.org/{n}" for n in range(1, count + 1)]
        self._ghana_first, self._has_read = ghana_first, asyncio.Event()
        self.before = self._wait

    def _wait(self, kind: str, request: Any) -> Awaitable[Any] | None:
        name = request.scope.name if kind == "model" else ""
        if name == "part-1-turn-2":
            self._has_read.set()
        if self._ghana_first:
            return asyncio.sleep(0.2) if name == "part-1-turn-1" else None
        return self._has_read.wait() if name == "part-2-turn-1" else None

    def _tool_calls(self, request: ModelRequest) -> list[Block]:
        urls = self._urls if request.scope.name == "part-1-turn-1" else []
        return [Block(type="tool_use", id=u, name=FETCH_URL, input={"url": u}) for u in urls]


@pytest.mark.parametrize("wants_more", [False, True])
async def test_agent_who_read_all_its_pages_has_no_lead_unless_it_asked_for_more(
    wants_more: bool,
) -> None:
    fakes = KenyaReads(3 + wants_more, ghana_first=False)
    await research(fakes, max_sources=6)
    assert len(fakes.fetches) == 3
    led = [request for request in fakes.requests if request.scope.plan_step == "lead"]
    assert bool(led) == wants_more


@pytest.mark.parametrize("count", [3, 4])
async def test_lead_reads_on_where_an_agent_with_gaps_had_no_page_left_for_one_on_its_steps(
    count: int,
) -> None:
    fakes = KenyaReads(3, ghana_first=False)
    hits = [(f"https://example.org/{n}", f"Kenya {n}") for n in range(1, count + 1)]
    fakes.hits = [SearchHit(url=url, title=title, snippet="Kenya") for url, title in hits]
    await research(fakes, max_sources=6)
    led = [request for request in fakes.requests if request.scope.plan_step == "lead"]
    assert bool(led) == (count > 3)


@pytest.mark.parametrize(
    ("living", "most", "read"), [(False, 5, 5), (True, 6, 6 + 1)], ids=["findings", "living"]
)
async def test_pages_that_an_agent_left_as_it_ended_go_to_those_at_work(
    living: bool, most: int, read: int
) -> None:
    """Those beyond the cap stay each agent's own: one of three for each of two."""
    fakes = KenyaReads(9, ghana_first=True)
    await research(fakes, living=living, max_sources=most)
    assert len(fakes.fetches) == read


def test_page_of_one_word_is_read_ahead_only_if_a_search_on_the_step_ranks_it_high() -> None:
    step = PlanStep(name="Space", description="Roof space for pumps in Kenya")
    pages = [
        FoundPage(url="ecuador", title="Ecuador: Space", rank=6),
        FoundPage(url="kenya", title="Kenya: Space", rank=6),
        FoundPage(url="roofs", title="Roofs", rank=1),
        FoundPage(url="malta", title="Malta: Economy", rank=1),
    ]
    queries = {"roofs": ["roof area"], "malta": ["island costs"]}
    prices = PlanStep(name="Prices of pumps")
    assert list_telling(pages, [[step], [prices]], queries) == [{"kenya", "roofs"}, set()]


def test_page_of_another_country_is_not_read_ahead_where_a_title_has_the_other_name_of_the_own() -> (
    None
):
    steps = [
        PlanStep(name=name, description=f"Drinking water and schools in {also}")
        for name, also in (("Laos", "Laos"), ("Myanmar", "Myanmar (Burma)"))
    ]
    titles = ("Malta: Society", "Burma: Economy", "Laos: Society")
    about = "Drinking water; schools."
    pages = [FoundPage(url=title, title=title, about=about) for title in titles]
    queries = {title: ["Myanmar drinking water schools"] for title in titles[:2]}
    parts = [steps[:1], steps[1:]]
    assert list_telling(pages, parts, queries) == [{"Laos: Society"}, {"Burma: Economy"}]


def test_part_whose_name_another_part_mentions_begins_with_pages_of_that_name() -> None:
    described = (("Portugal", "People, age and languages"), ("Croatia", "The same as for Portugal"))
    parts = [[PlanStep(name=name, description=told)] for name, told in described]
    titles = ("Portugal: People", "Macau: People", "Croatia: People")
    pages = [
        FoundPage(url=t, title=t, about="Age, languages.", rank=n % 2) for n, t in enumerate(titles)
    ]
    asked = {country: f"{country} people age languages" for country in ("Portugal", "Croatia")}
    queries = {title: [asked["Portugal"]] for title in titles[:2]} | {titles[2]: [asked["Croatia"]]}
    assert list_telling(pages, parts, queries) == [{titles[0]}, {titles[2]}]


def test_page_with_half_of_a_country_s_name_is_of_another_country() -> None:
    steps = [
        PlanStep(name=f"{name}: farms", description="Power on farms")
        for name in ("South Africa", "Morocco")
    ]
    titles = ("South Sudan: Energy", "South Africa: Energy", "Morocco: Energy")
    pages = [
        FoundPage(url=t, title=t, about="Power on farms", rank=n) for n, t in enumerate(titles)
    ]
    parts = [[step] for step in steps]
    assert list_telling(pages, parts) == [{titles[1]}, {titles[2]}]
    alone = list_telling(pages[:1], parts)
    assert alone[0] == {titles[0]}, "nothing else bears the name"


def test_page_with_a_longer_name_is_of_another_country() -> None:
    steps = [PlanStep(name=f"{name}: cows", description="Milk") for name in ("Georgia", "Algeria")]
    parts = [[step] for step in steps]
    titles = ("South Georgia Islands: Farms", "Georgia: Farms", "Algeria: Farms")
    pages = [FoundPage(url=t, title=t, about="Milk of cows", rank=n) for n, t in enumerate(titles)]
    assert list_telling(pages, parts) == [{titles[1]}, {titles[2]}]
    assert list_telling(pages[:1], parts)[0] == {titles[0]}, "nothing else bears the name"


def test_word_of_one_search_alone_names_no_subject() -> None:
    parts = [
        [PlanStep(name=f"{name}: demand", description="Rice and risk")]
        for name in ("Cambodia", "Myanmar (Burma)")
    ]
    titles = ("Azerbaijan: Military and Security", "Burma: Economy", "Cambodia: Economy")
    pages = [FoundPage(url=title, title=title, about="Rice, risk, economy.") for title in titles]
    queries = {
        titles[0]: ["Burma military and security"],
        titles[1]: ["Burma economy rice", "Burma military and security"],
        titles[2]: ["Cambodia economy rice"],
    }
    assert list_telling(pages, parts, queries) == [{titles[2]}, {titles[1]}]


async def test_hit_of_one_word_of_a_step_is_left_to_the_agent_to_choose() -> None:
    fakes = Fakes()
    fakes.hits = [
        *(SearchHit(url=f"https://example.org/{n}", title=f"Pumps {n}") for n in range(4)),
        SearchHit(url="https://example.org/space", title="Ecuador: Space"),
    ]
    steps = [
        PlanStep(name="Space", description="Roofs for pumps", independent=True),
        PlanStep(name="Prices", independent=True),
    ]
    await research(fakes, PLAN.model_copy(update={"steps": steps}), living=True)
    called = [
        b.input["url"]
        for r in fakes.requests
        if r.scope.name == "part-1-turn-1"
        for m in r.messages
        for b in m.content
        if b.name == FETCH_URL
    ]
    assert called == []


def test_agents_of_independent_steps_are_priced() -> None:
    state = opened(ResearchPhase(id="reading"))
    steps = [KENYA, GHANA], [KENYA, COMPARE], [COMPARE]
    plans = [PLAN.model_copy(update={"steps": found}) for found in steps]
    both, one, none = (price_plan(state, plan).estimated_cost.expected_usd for plan in plans)
    assert both > one == none


class Naming(Fakes):
    """Agents who write a sentence about their own part, and say that it is their last."""

    def _tool_calls(self, request: ModelRequest) -> list[Block]:
        calls = super()._tool_calls(request)
        part = request.scope.plan_step
        for n, call in enumerate(calls):
            if call.name == "update_report":
                add: JsonValue = [{**QUOTED, "text": f"{part} buys pumps."}]
                given = {**call.input, "section": part, "add": add, "gaps": []}
                calls[n] = call.model_copy(update={"input": given})
        return calls


async def test_sentences_of_all_agents_share_a_call_of_the_judge() -> None:
    fakes, all_three, asked = Naming(), asyncio.Barrier(3), list[list[str]]()

    async def finish_last(is_last: bool) -> None:
        await all_three.wait()
        for _ in range(20 * is_last):  # the others could ask the judge
            await asyncio.sleep(0)
        assert not asked

    def before(kind: str, request: Any) -> Any:
        if kind == "judge":
            asked.append([placed.check.claim.text for placed in request.claims])
        return finish_last(request.scope.plan_step == "Togo") if kind == "check" else None

    fakes.before = before
    steps = [KENYA, GHANA, PlanStep(name="Togo", independent=True)]
    async with asyncio.timeout(60):
        found = await research(fakes, PLAN.model_copy(update={"steps": steps}), living=True)
    assert asked == [["Kenya buys pumps.", "Ghana buys pumps.", "Togo buys pumps."]]
    assert [claim.verdict for claim in found.findings] == ["supported"] * 3
    assert len(fakes.requests) == 6, "an agent who says that a change is its last ends with it"


async def test_agent_that_goes_on_waits_for_no_other_agents_sentences() -> None:
    asked, ruled = list[list[str]](), asyncio.Event()

    class GoingOn(Naming):
        """Agents of whom Kenya's does not say that its sentence is the last."""

        def _tool_calls(self, request: ModelRequest) -> list[Block]:
            calls = super()._tool_calls(request)
            if request.scope.plan_step == "Kenya":
                for call in calls:
                    call.input.pop("gaps", None)
            return calls

    def before(kind: str, request: Any) -> Any:
        if kind == "judge":
            asked.append([placed.check.claim.text for placed in request.claims])
            ruled.set()
        is_slow = kind == "model" and request.scope.name == "part-2-turn-2"
        return ruled.wait() if is_slow else None

    fakes = GoingOn()
    fakes.before = before
    async with asyncio.timeout(60):
        await research(fakes, living=True)
    assert asked == [["Kenya buys pumps."], ["Ghana buys pumps."]]


async def test_researcher_whose_last_change_repeats_its_section_is_done() -> None:
    class Repeating(Naming):
        """Agents who write their sentence twice in one turn."""

        def _tool_calls(self, request: ModelRequest) -> list[Block]:
            calls = super()._tool_calls(request)
            again = [call.model_copy(update={"id": "again"}) for call in calls]
            return [*calls, *again] if request.scope.name.endswith("turn-2") else calls

    fakes = Repeating()
    found = await research(fakes, living=True)
    assert len(found.findings) == 2
    assert Counter(call[-6:] for call in fakes.calls) == {"turn-1": 2, "turn-2": 2}


async def test_research_whose_agents_all_fail_ends_with_their_failure() -> None:
    fakes = Fakes()

    def fail(kind: str, request: Any) -> None:
        if kind == "model":
            raise OutOfTime(Notice.of("cause-time-nearly"))

    fakes.before = fail
    state = opened(ResearchPhase(id="reading", config=ResearchConfig(living=True)), plan=BOTH)
    interpreter = Interpreter(state)
    interpreter.recorder = Silent(state)  # type: ignore[assignment]
    phase = state.resolved.definition.phases[-1]
    run = context_of(interpreter, phase, fakes)
    kind = PHASES["research"]
    found = await kind.handler(phase, run.read_inputs(kind.input, kind.needs(phase)), run)
    assert (found.end_reason, found.findings) == (OutOfTime.type(), [])
    assert not fakes.requests, "no lead goes on"
    losses = [lost for lost in run.me.lost_inputs if lost.kind == "value"]
    assert [lost.subject for lost in losses] == [""], "the reason is said once, and of no part"


@pytest.mark.parametrize(("titles", "turn"), [(("Kenya", "Ghana"), 1), (("", ""), 2)])
async def test_pages_read_ahead_of_turns_are_no_result_where_the_key_is_refused(
    titles: tuple[str, ...], turn: int
) -> None:
    fakes = Fakes()
    fakes.hits = [
        SearchHit(url=f"https://example.org/{n}", title=title) for n, title in enumerate(titles)
    ]

    def fail(kind: str, request: Any) -> None:
        if kind == "model" and request.scope.name.endswith(f"turn-{turn}"):
            refused = ApplicationError("no", type=KeyRejected.type())
            raise ActivityError("no", **FAILED) from refused

    fakes.before = fail
    state, work_of_both = begin(fakes)
    state.sources = []
    if turn == 1:
        with pytest.raises(ActivityError):
            await work_of_both
        assert len(state.sources) == 2
    else:
        found = await work_of_both
        assert (found.end_reason, len(found.sources)) == (KeyRejected.type(), 1)


def begin(fakes: Fakes) -> tuple[RunState, Awaitable[ResearchOutput]]:
    """Return a run of two agents at once, and its research."""
    state = opened(ResearchPhase(id="reading"), plan=BOTH)
    interpreter = Interpreter(state)
    interpreter.recorder = Silent(state)  # type: ignore[assignment]
    phase = state.resolved.definition.phases[-1]
    run = context_of(interpreter, phase, fakes)
    handler = PHASES["research"].handler
    given = run.read_inputs(PHASES["research"].input, PHASES["research"].needs(phase))
    return state, asyncio.wait_for(handler(phase, given, run), 5)


async def test_time_that_is_nearly_over_gives_each_agent_one_last_turn() -> None:
    fakes = Naming()
    state, work_of_both = begin(fakes)
    both = asyncio.Barrier(2)

    async def use_up() -> None:
        await both.wait()
        state.phase("reading").active_seconds = 590

    def before(kind: str, request: Any) -> Any:
        return use_up() if kind == "model" and request.scope.name.endswith("turn-1") else None

    fakes.before = before
    found = await work_of_both
    turns = Counter(call.partition("-turn-")[2] for call in fakes.calls)
    assert turns == {"1": 2, "2-last": 2}
    assert found.end_reason == "max_turns"
    assert state.phase("reading").early_end == EarlyEnd(reason="time")


async def test_each_agent_hears_once_what_a_human_says() -> None:
    fakes = Naming()
    state, work_of_both = begin(fakes)
    state.steering = [Steer(text="Mind the rain.")]
    await work_of_both
    for part in ("Kenya", "Ghana"):
        last = [r for r in fakes.requests if r.scope.plan_step == part][-1]
        inputs = [i for m in last.messages for b in m.content for i in b.inputs]
        assert sum("Mind the rain." in i.text for i in inputs) == 1


@pytest.mark.parametrize("is_refused", [False, True])
async def test_judged_last_turn_may_leave_nothing_of_a_long_conversation(
    is_refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report contains its changes, so the conversation is empty; a refusal follows the report."""
    monkeypatch.setattr(agent, "MAX_HISTORY_CHARS", 0)

    class Brief(Fakes):
        """Agents who write one sentence at once, and say that it is their last."""

        def _tool_calls(self, request: ModelRequest) -> list[Block]:
            if not request.scope.name.endswith("turn-1"):
                return []
            given: Json = {"section": "Kenya", "add": [dict(QUOTED)], "gaps": []}
            return [Block(type="tool_use", id="1", name="update_report", input=given)]

    fakes = Brief()
    fakes.unfounded = [str(QUOTED["text"])] * is_refused
    async with asyncio.timeout(60):
        found = await research(fakes, living=True)
    assert found.end_reason == "completed"
    told = [i.name for r in fakes.requests for i in r.messages[-1].content[-1].inputs]
    assert ("judged" in told) == is_refused

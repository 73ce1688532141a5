"""Agents that write while they read, and humans who take it back."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
from temporalio.client import Client, WorkflowUpdateFailedError
from temporalio.exceptions import ApplicationError

from contracts.base import Json
from contracts.definitions import Definition
from contracts.models.call import Block, ModelRequest
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.phases.planning import PlanningPhase
from contracts.phases.research import ResearchConfig, ResearchOutput, ResearchPhase
from contracts.phases.synthesis import SynthesisConfig, SynthesisPhase
from contracts.report.patches import TABLE
from contracts.runs.records import Event
from tests.support.words import en, opening, phrase
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.model_answers import QUOTED
from tests.workflows.support.phase_harness import opened, work
from tests.workflows.support.run_harness import Handle, Harness, harness
from workflows.agents.agent import MAX_CALLS_PER_TURN
from workflows.agents.report_editor import TABLE_NAMES

LIVING = Definition(
    id="living",
    phases=[
        PlanningPhase(),
        HitlCheckpointPhase(id="checkpoint"),
        ResearchPhase(config=ResearchConfig(living=True)),
        SynthesisPhase(config=SynthesisConfig(living=True)),
    ],
)


@pytest.fixture
async def runs(temporal: Client) -> AsyncIterator[Harness]:
    async with harness(temporal, Fakes(LIVING)) as made:
        yield made


async def started(runs: Harness, **more: Any) -> Handle:
    handle = await runs.start(definition_id="living", **more)
    await runs.decide(handle, "approve")
    return handle


def update(text: str, **more: Any) -> Block:
    given: Json = {"section": "Market", "add": [{**QUOTED, "text": text}], **more}
    return Block(type="tool_use", id=f"u {text}", name="update_report", input=given)


def updates(runs: Harness) -> list[Event]:
    """Return the events with the result of each update by an agent or a human."""
    return [e for e in list_updates(runs) if not str(e.payload["tool_id"]).startswith("verdicts-")]


def rulings(runs: Harness) -> list[Any]:
    """The patches that hold the judge's verdicts."""
    told = [output(event) for event in list_updates(runs)]
    patches = [made["patch"] for made in told if isinstance(made, dict) and "patch" in made]
    return [patch for patch in patches if patch.get("is_ruling")]


def judged(runs: Harness) -> list[Any]:
    """Return the judge's verdicts that the researcher received, each once."""
    requests = [r for r in runs.fakes.requests if r.role == "researcher"]
    blocks = [b for m in requests[-1].messages for b in m.content]
    found = [json.loads(i.text) for b in blocks for i in b.inputs if i.name == "judged"]
    return [(one["sentence"], one["verdict"]) for told in found for one in told]


def list_updates(runs: Harness) -> list[Event]:
    found = (e for e in runs.fakes.events if e.type == "ToolCallResult")
    return [e for e in found if e.payload["tool_name"] == "update_report"]


def output(event: Event) -> Any:
    return event.payload["tool_output"]["raw_output"]  # type: ignore[index,call-overload]


async def test_every_change_is_an_event_with_its_cause(runs: Harness) -> None:
    handle = await started(runs)
    assert (await handle.result()).status == "completed"
    read, finished = updates(runs)
    assert (read.phase_id, finished.phase_id) == ("research", "synthesis")
    opening = output(read)["patch"]["opening"]
    assert (opening["title"], opening["outline"]) == ("Pumps", ["Market"])
    assert [said["id"] for said in opening["statements"]] == ["Q"]
    assert output(finished)["patch"]["opening"] == output(read)["patch"]["opening"]
    layers = [output(event)["patch"].get("is_finding", False) for event in (read, finished)]
    assert layers == [True, False], "research writes findings, the last pass the text"
    calls = [e.payload for e in runs.fakes.events if e.type == "ToolCall"]
    assert {call["tool_kwargs"]["section"] for call in calls} == {"Market"}
    assert [[one["verdict"] for one in made["verdicts"]] for made in rulings(runs)] == [
        ["supported"],
        ["supported"],
    ]


async def test_the_last_pass_gets_the_pages_first_and_the_findings_with_how_to_enter_a_text(
    runs: Harness,
) -> None:
    await (await started(runs)).result()
    first, second, *_ = (r for r in runs.fakes.requests if r.role == "synthesizer")
    shown = [i for b in first.messages[0].content for i in b.inputs]
    assert [item.name for item in shown if item.blob] == ["source-1"]
    assert "findings" not in {item.name for item in shown}
    told = {i.name: i for m in second.messages for b in m.content for i in b.inputs}
    found = {"subject": "Market", "sentences": [{"id": "f1", "text": "Pumps sell.", "pages": [1]}]}
    assert json.loads(told["findings"].text) == [found]
    assert "entering" in told


async def test_the_text_takes_the_place_of_the_findings(runs: Harness) -> None:
    held = runs.fakes.hold("turn-3")
    handle = await started(runs)
    await runs.until(handle, lambda _: updates(runs))
    draft, _ = (await handle.query("report")).split(f"## {en('evidence')}")
    assert "Pumps sell. [1]" in draft, "while research is at work its findings are the report"
    held.set()
    await handle.result()
    text, appendix = (await handle.query("report")).split(f"## {en('details')}")
    assert ("And more. [1]" in text, "Pumps sell." in text) == (True, False)
    assert "Pumps sell. [1]" in appendix


@pytest.mark.parametrize(("wrong", "turns"), [([], 1), (["Wrong."], 2)])
async def test_who_says_that_a_change_is_the_last_is_asked_again_only_if_one_was_refused(
    temporal: Client, wrong: list[str], turns: int
) -> None:
    class Finishing(Fakes):
        def _tool_calls(self, request: ModelRequest) -> list[Block]:
            if request.role != "synthesizer":
                return super()._tool_calls(request)
            is_first = len(request.messages) == 1
            return [update("Wrong."), update("Two.", makes_whole=True)] if is_first else []

    fakes = Finishing(LIVING)
    fakes.unfounded = wrong
    async with harness(temporal, fakes) as runs:
        await (await started(runs, depth="quick")).result()
    roles = [request.role for request in fakes.requests]
    assert roles.count("synthesizer") == turns
    if wrong:  # the report contains the written text, but the conversation does not
        last = [r for r in fakes.requests if r.role == "synthesizer"][-1]
        calls = [b.id for m in last.messages for b in m.content if b.type == "tool_use"]
        told = [i.text for b in last.messages[-1].content for i in b.inputs if i.name == "report"]
        assert calls == ["u Wrong."]
        assert "Two." in told[0]
    assert roles.count("researcher") == 3, "who says what was not found, in a turn of its own"
    [tool] = [t for r in fakes.requests if r.role == "researcher" for t in r.tools][-1:]
    assert not {"makes_whole", "figures"} & set(tool.input_schema["properties"])  # type: ignore[arg-type]
    for own in ("Comparison table", "rests_on", "repeats", "TableFigure"):
        assert own not in str(tool.input_schema), "a last pass writes tables and conclusions"


@pytest.mark.parametrize("doubted", [False, True])
async def test_who_made_a_report_whole_reads_it_once_more_with_its_pages(
    temporal: Client, doubted: bool
) -> None:
    """The review has the judge's verdicts: what it doubts is mended in the same turn."""
    written = [update("One."), update("Two.", makes_whole=True)]
    review = [update("Three.", makes_whole=True)]

    class Reviewing(Fakes):
        def _tool_calls(self, request: ModelRequest) -> list[Block]:
            if request.role != "synthesizer":
                return super()._tool_calls(request)
            turn = [each.role for each in self.requests].count("synthesizer")
            return {1: written, 2: review}.get(turn, [])

    fakes = Reviewing(LIVING)
    fakes.partly = {"Two.": "leaves out the year"} if doubted else {}
    async with harness(temporal, fakes) as runs:
        handle = await started(runs)
        await handle.result()
        report = await handle.query("report")
    first, second = [r for r in fakes.requests if r.role == "synthesizer"]
    assert second.messages[0] == first.messages[0], "the pages are read from the cache"
    assert first.keeps_history
    assert second.keeps_history
    told = [i for b in second.messages[-1].content for i in b.inputs]
    assert [item.name for item in told].count("review") == 1
    assert ("leaves out the year" in str(second.messages[-1])) == doubted
    assert [item.text for item in told if item.name == "words"] == ["2"]
    assert all(text in report for text in ("One.", "Two.", "Three."))


async def test_a_sentence_of_the_last_turn_that_holds_in_part_is_mended_once(
    temporal: Client,
) -> None:
    loose = update("Loose.", makes_whole=True)
    vague = update("Vague.", remove=[1], makes_whole=True)

    class Finishing(Fakes):
        def _tool_calls(self, request: ModelRequest) -> list[Block]:
            if request.role != "synthesizer":
                return super()._tool_calls(request)
            turns = [each for each in self.requests if each.role == "synthesizer"]
            return [[loose], [vague], [loose]][len(turns) - 1]

    fakes = Finishing(LIVING)
    fakes.partly = {"Loose.": "leaves out the year", "Vague.": "leaves out the place"}
    async with harness(temporal, fakes) as runs:
        handle = await started(runs, depth="quick")
        await handle.result()
        report = await handle.query("report")
    assert [r.role for r in fakes.requests].count("synthesizer") == 2
    assert ("Vague." in report, "Loose." in report) == (True, False)
    assert en("mark-partly") in report


@pytest.mark.parametrize("doubted", [True, False])
async def test_who_is_done_before_the_judge_has_one_turn_to_mend_what_it_doubts(
    temporal: Client, doubted: bool
) -> None:
    """Doubts about the correction itself are shown as its mark."""
    loose, vague = update("Loose."), update("Vague.", remove=[1])

    class Hurried(Fakes):
        def _tool_calls(self, request: ModelRequest) -> list[Block]:
            if request.role != "synthesizer":
                return super()._tool_calls(request)
            turn = [each.role for each in self.requests].count("synthesizer")
            return {1: [loose], 3: [vague]}.get(turn, [])

    fakes = Hurried(LIVING)
    fakes.partly = {"Loose.": "leaves out the year", "Vague.": "too"} if doubted else {}
    async with harness(temporal, fakes) as runs:
        handle = await started(
            runs, depth="quick", config_overrides={"synthesis": {"config": {"max_turns": 4}}}
        )
        await handle.result()
        report = await handle.query("report")
    asked = [request for request in fakes.requests if request.role == "synthesizer"]
    assert len(asked) == (3 if doubted else 2)
    told = [i for r in asked[2:] for b in r.messages[-1].content for i in b.inputs]
    shown = [json.loads(item.text) for item in told if item.name == "judged"]
    assert [[each["sentence"] for each in one] for one in shown] == [["Loose."]] * doubted
    assert ("Loose." in report, "Vague." in report) == (not doubted, doubted)


@pytest.mark.parametrize(
    ("wrong", "partly", "reads", "turns"),
    [
        ([], {}, False, 2),
        (["Wrong."], {}, False, 3),
        ([], {"Two.": "leaves out the year"}, False, 3),
        ([], {}, True, 3),
    ],
)
async def test_research_ends_with_its_last_changes_if_none_is_doubted_and_nothing_is_read(
    temporal: Client, wrong: list[str], partly: dict[str, str], reads: bool, turns: int
) -> None:
    gaps = ["No prices."]

    class Ending(Fakes):
        def _tool_calls(self, request: ModelRequest) -> list[Block]:
            if request.role != "researcher" or len(request.messages) != 5:
                return super()._tool_calls(request)
            read = Block(type="tool_use", id="r", name="web_search", input={"query": "wells"})
            return [update("Wrong."), update("Two.", gaps=gaps), *([read] if reads else [])]

    fakes = Ending(LIVING)
    fakes.unfounded, fakes.partly = wrong, partly
    async with harness(temporal, fakes) as runs:
        handle = await started(runs)
        assert (await handle.result()).status == "completed"
    asked = [request for request in fakes.requests if request.role == "researcher"]
    assert len(asked) == turns
    last = next(request for request in fakes.requests if request.role == "synthesizer")
    told = [i.text for m in last.messages for b in m.content for i in b.inputs if i.name == "gaps"]
    assert [[gap["line"] for gap in json.loads(text)] for text in told] == [gaps] * (not reads)
    tools = [tool for tool in last.tools if tool.name == "update_report"]
    assert "gaps" not in tools[0].input_schema["properties"]  # type: ignore[operator]


@pytest.mark.parametrize("makes_whole", [True, False])
async def test_who_ends_a_report_without_an_answer_is_asked_for_it_once(
    temporal: Client, makes_whole: bool
) -> None:
    class Hasty(Fakes):
        def _tool_calls(self, request: ModelRequest) -> list[Block]:
            if request.role != "synthesizer":
                return super()._tool_calls(request)
            begins = [update("Two.", section="Next", makes_whole=True)] if makes_whole else []
            after = [update("Three.", section="Next")]
            return {1: begins, 3: after}.get(len(request.messages), [])

    fakes = Hasty(LIVING)
    plan = dict(fakes.answers["PlanDraft"]) | {"outline": ["Market", "Next"]}
    fakes.answers = fakes.answers | {"PlanDraft": plan}
    async with harness(temporal, fakes) as runs:
        handle = await started(runs)
        assert (await handle.result()).status == "completed"
    turns = [request for request in fakes.requests if request.role == "synthesizer"]
    assert len(turns) == 3, "done again, also a turn later, it leaves them so"
    told = [i for block in turns[1].messages[-1].content for i in block.inputs]
    [unfinished] = [json.loads(i.text) for i in told if i.name == "unfinished"]
    assert unfinished["headings"] == ["Market"], "another heading may stay empty"


async def test_the_last_pass_tells_what_the_judge_said_before(runs: Harness) -> None:
    await (await started(runs)).result()
    first, *_ = [r.judge for r in runs.fakes.requests if r.role == "synthesizer"]
    none, *_ = [r.judge for r in runs.fakes.requests if r.role == "researcher"]
    assert first
    assert none
    assert ("supported", "") in first.judged.values()
    assert none.judged == {}


def test_a_run_carries_the_newest_verdicts_alone() -> None:
    state = opened(ResearchPhase(id="again"))
    for first in range(0, 2_000, 25):
        state.keep_rulings({f"{n}": ("supported", "") for n in range(first, first + 25)})
    state.keep_rulings({"unjudged": (None, "the judge passed it over")})
    assert list(state.judged) == [f"{n}" for n in range(1_500, 2_000)]


async def test_what_a_start_gives_as_judged_is_not_taken_as_such(runs: Harness) -> None:
    claimed: Json = {
        "sources": [],
        "searches": [],
        "findings": [{**QUOTED, "verdict": "supported"}],
    }
    handle = await runs.start(definition_id="living", given={"research": claimed})
    await runs.decide(handle, "approve")
    await handle.result()
    first, *_ = [r.judge for r in runs.fakes.requests if r.role == "synthesizer"]
    assert first
    assert first.judged == {}


async def test_an_agent_writes_a_list(runs: Harness) -> None:
    runs.fakes.making = [update("Ask ten.", is_list=True), update("Then build.")]
    handle = await started(runs)
    await handle.result()
    listed = await handle.query("report")
    assert re.search(r"1\. Ask ten\. \[1\]\n2\. Then build\. \[1\]\n3\. And more\.", listed)


async def test_what_a_turn_writes_is_answered_call_by_call(runs: Harness) -> None:
    runs.fakes.making = [update("One."), update("Wrong."), update("Two.")]
    runs.fakes.unfounded = ["Wrong."]
    handle = await started(runs)
    await handle.result()
    said = re.findall(r"(One|Two)\. \[", await handle.query("report"))
    assert said == ["One", "Two"] * 2, "in the text, and among the findings"
    added = [output(event)["patch"]["added"] for event in updates(runs)[:3]]
    assert [[placed["claim"]["text"] for placed in each] for each in added] == [
        *(["One."], ["Wrong."], ["Two."])
    ]
    first = rulings(runs)[0]
    assert [placed["claim"]["text"] for placed in first["removed"]] == ["Wrong."]


async def test_changes_of_a_report_do_not_count_among_the_calls_of_a_turn(runs: Harness) -> None:
    searches = [
        Block(type="tool_use", id=f"s{n}", name="web_search", input={"query": f"wells {n}"})
        for n in range(MAX_CALLS_PER_TURN + 1)
    ]
    runs.fakes.making = [*(update(f"Fact {n}.") for n in range(MAX_CALLS_PER_TURN)), *searches]
    handle = await started(runs)
    await handle.result()
    assert f"Fact {MAX_CALLS_PER_TURN - 1}." in await handle.query("report")
    asked = {*runs.fakes.searches}
    assert {f"wells {n}" in asked for n in range(MAX_CALLS_PER_TURN)} == {True}
    assert f"wells {MAX_CALLS_PER_TURN}" not in asked
    refused = [i.text for i in results_of(runs.fakes.requests) if i.name == "error"]
    assert f"at most {MAX_CALLS_PER_TURN} calls a turn" in refused


async def test_after_a_turn_its_sections_are_shown_with_their_numbers(runs: Harness) -> None:
    runs.fakes.making = [update("One."), update("Two.", after=0)]
    handle = await started(runs)
    await handle.result()
    last = [r for r in runs.fakes.requests if r.role == "researcher"][-1]
    told = [i for b in last.messages[-1].content for i in b.inputs if i.name == "report"]
    [section] = json.loads(told[-1].text)["sections"]
    shown = {"1": "[id f1] One.", "2": "[id f2] Two.", "3": "[id f3] Pumps sell."}
    assert section["sentences"] == shown


async def test_the_conversation_keeps_the_calls_as_the_model_made_them(runs: Harness) -> None:
    handle = await started(runs)
    await handle.result()
    last = [r for r in runs.fakes.requests if r.role == "researcher"][-1]
    blocks = [block for message in last.messages for block in message.content]
    assert [b.input["add"] for b in blocks if b.name == "update_report"] == [[QUOTED]]


async def test_what_a_page_told_is_written_down_and_the_page_stays_in_sight(runs: Harness) -> None:
    handle = await started(runs)
    await handle.result()
    turns = [r for r in runs.fakes.requests if r.role == "researcher"]
    shown = [[i.blob is not None for i in pages(r)] for r in turns]
    assert shown == [[], [True], [True]]
    assert "https://example.org/0" in pages(turns[-1])[0].text


def pages(request: Any) -> list[Any]:
    blocks = [b for message in request.messages for b in message.content]
    return [i for b in blocks if b.type == "tool_result" for i in b.inputs if "source" in i.name]


async def test_an_agent_is_told_what_was_refused_and_why(runs: Harness) -> None:
    runs.fakes.unfounded = ["False."]
    runs.fakes.making = [
        update("False."),
        update("Long. " * 200),
        update("Astray.", section="Weather"),
        update("True."),
    ]
    handle = await started(runs)
    await handle.result()
    said = [str(e.payload["tool_output"]["content"]) for e in updates(runs)]  # type: ignore[index,call-overload]
    errors = [e.payload["tool_output"]["is_error"] for e in updates(runs)]  # type: ignore[index,call-overload]
    assert errors[:4] == [False, True, True, False]
    assert judged(runs) == [("False.", "not_shown")]
    assert "at most 800 may be written" in said[1]
    assert "the outline has 'Market'" in said[2]
    report = await handle.query("report")
    assert "True." in report
    assert "False." not in report


async def test_a_turn_moves_a_sentence_and_its_agent_is_told_what_it_repeated() -> None:
    section: Json = {"section": "Look"}

    class Moving(Fakes):
        def _tool_calls(self, request: ModelRequest) -> list[Block]:
            if len(request.messages) != 7:
                return super()._tool_calls(request)
            taken = update("", **section, add=[], remove=[1])
            return [update("One.", **section, after=2), update("Two.", **section), taken]

    fakes = Moving()
    fakes.making = [update("One.", **section), update("Two.", **section)]
    done = await work(fakes, ResearchPhase(id="reading", config=ResearchConfig(living=True)))
    found = ResearchOutput.model_validate(done.gave[-1]).findings
    assert [claim.text for claim in found] == ["Two.", "One.", "Pumps sell."]
    told = [i.text for b in fakes.requests[-1].messages[-1].content for i in b.inputs]
    assert [json.loads(text) for text in told[:3]] == [
        {"written": 1, "taken_out": 1},
        {"written": 0, "repeated": ["Two."]},
        {"written": 0, "moved": 1},
    ]


async def test_an_agent_is_told_which_sentence_holds_in_part_and_why(runs: Harness) -> None:
    runs.fakes.partly = {"Loose.": "leaves out the year"}
    runs.fakes.making = [update("Loose."), update("True.")]
    handle = await started(runs)
    await handle.result()
    [placed, *_] = rulings(runs)[0]["verdicts"]
    assert (placed["verdict"], placed["doubts"][0]["params"]) == (
        "partly",
        {"text": "leaves out the year"},
    )
    assert "Loose." in await handle.query("report")


async def test_claim_that_the_judge_sees_in_another_form_has_its_verdict(runs: Harness) -> None:
    runs.fakes.restates = True
    runs.fakes.making = [update("True."), update("False.")]
    runs.fakes.unfounded = ["False."]
    handle = await started(runs)
    await handle.result()
    report = await handle.query("report")
    assert ("True." in report, "False." in report) == (True, False)
    assert en("mark-not_judged") not in report


async def test_the_next_turn_begins_while_the_judge_is_at_work(runs: Harness) -> None:
    """A sentence under check is marked; a removed one is reported a turn later, and gets its own turn."""
    runs.fakes.making = [
        update("Wrong.", add=[{**QUOTED, "text": "Wrong.", "id": "s1"}]),
        update("So.", add=[{"text": "So.", "citations": [], "rests_on": ["s1"]}]),
    ]
    runs.fakes.unfounded = ["Wrong."]
    begun, seen = asyncio.Event(), asyncio.Event()

    async def wait_for_reader() -> None:
        begun.set()
        await seen.wait()

    def before(kind: str, request: Any) -> Any:
        if kind == "judge" and request.call.scope.phase_id == "research":
            return seen.wait()
        is_next = kind == "model" and request.scope.name == "turn-3"
        return wait_for_reader() if is_next else None

    runs.fakes.before = before
    handle = await started(runs)
    await asyncio.wait_for(begun.wait(), 10)
    draft = await handle.query("report")
    marked = re.findall(rf"(Wrong|So|Pumps sell)\.[^.]*{phrase('mark-being_checked')}", draft)
    assert marked[:3] == ["Wrong", "So", "Pumps sell"]
    seen.set()
    await handle.result()
    report = await handle.query("report")
    assert "Pumps sell." in report
    assert not re.search(r"Wrong\.|So\.|being checked", report)
    assert [r.scope.name for r in runs.fakes.requests if r.role == "researcher"] == [
        f"turn-{n}" for n in range(1, 5)
    ]
    assert judged(runs) == [("Wrong.", "not_shown"), ("So.", "not_shown")]


def results_of(requests: list[ModelRequest]) -> list[Any]:
    """The inputs of the tools' results that an agent's requests have."""
    blocks = [b for r in requests for m in r.messages for b in m.content]
    return [i for b in blocks if b.type == "tool_result" for i in b.inputs]


async def test_what_a_human_takes_back_stays_out_and_the_agents_know(runs: Harness) -> None:
    held = runs.fakes.hold("turn-3")
    handle = await started(runs)
    await runs.until(handle, lambda _: updates(runs))
    assert "Pumps sell. [1]" in await handle.query("report")
    await runs.update(handle, "undo", {"patch": 1, "by": "ann"})
    assert "Pumps sell. [1]" not in await handle.query("report")
    for wrong, reason in (
        (1, opening("patch-gone", "number", number=1)),
        (9, phrase("patch-unknown")),
    ):
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await runs.update(handle, "undo", {"patch": wrong})
        assert reason in str(refused.value.cause)
    held.set()
    assert (await handle.result()).status == "completed"
    report = await handle.query("report")
    assert "Pumps sell. [1]" not in report
    assert "And more." in report
    undone = output(updates(runs)[1])["patch"]
    assert (undone["undoes"], undone["by"]) == (1, "ann")
    [told] = [
        r for r in runs.fakes.requests if r.scope.name == "turn-1" and r.role == "synthesizer"
    ]
    assert "Leave it out" in next(
        i.text for b in told.messages[-1].content for i in b.inputs if i.name == "steering"
    )


async def test_what_a_human_took_back_cannot_be_written_again(runs: Harness) -> None:
    runs.fakes.making = [update("Farms pay.")]
    held = runs.fakes.hold("turn-3")
    handle = await started(runs)
    await runs.until(handle, lambda _: updates(runs))
    first = output(updates(runs)[0])["patch"]["number"]
    await runs.update(handle, "undo", {"patch": first, "by": "ann"})
    held.set()
    await handle.result()
    said = [str(event.payload["tool_output"]) for event in updates(runs)]
    assert any(phrase("doubt-taken-out") in told for told in said)
    report = await handle.query("report")
    assert "And more." in report
    assert "Farms pay." not in report


async def test_a_finished_report_is_not_changed_behind_its_reader(runs: Harness) -> None:
    phases = [*LIVING.phases, HitlCheckpointPhase(id="last", after=["synthesis"])]
    runs.fakes.definitions["more"] = LIVING.model_copy(update={"id": "more", "phases": phases})
    handle = await runs.start(definition_id="more")
    await runs.decide(handle, "approve")
    await runs.asked(handle, "last")
    with pytest.raises(WorkflowUpdateFailedError) as refused:
        await runs.update(handle, "undo", {"patch": 1})
    assert en("report-finished") in str(refused.value.cause)
    await handle.signal("undo", {"patch": "one"})
    await runs.until(
        handle, lambda _: f"'undo' {phrase('signal-ignored')}" in str(runs.fakes.events)
    )
    await handle.signal("cancel", {"mode": "now"})
    assert (await handle.result()).status == "cancelled"


async def test_a_last_pass_that_is_cut_off_leaves_the_report_as_it_is(runs: Harness) -> None:
    def before(kind: str, request: Any) -> None:
        if kind == "model" and request.role == "synthesizer":
            raise_truncated()

    runs.fakes.before = before
    handle = await started(runs)
    assert (await handle.result()).status == "partial"
    assert "Pumps sell. [1]" in await handle.query("report")
    warned = next(p for p in (await runs.state(handle)).phases if p.id == "synthesis").warnings
    assert warned == [f"{en('report-unfinished')}: {en('cause-answer-cut')}"]
    assert phrase("report-unfinished") in await handle.query("report")


def raise_truncated() -> None:
    raise ApplicationError("cut off", type="model-truncated", non_retryable=True)


async def test_sentences_are_taken_out_by_the_numbers_they_were_shown_with(runs: Harness) -> None:
    """A human may remove a sentence while the model thinks, so later ones get other numbers."""
    thinking, go_on = asyncio.Event(), asyncio.Event()

    def before(kind: str, request: Any) -> Any:
        if kind != "model" or request.role != "synthesizer":
            return None
        if request.scope.name == "turn-1":
            runs.fakes.making = [update(text) for text in ("One.", "Two.", "Three.")]
            return None
        thinking.set()
        return go_on.wait()

    runs.fakes.before = before
    handle = await started(runs)
    await thinking.wait()
    await runs.until(handle, lambda _: len(updates(runs)) == 5)
    made = [output(event)["patch"] for event in updates(runs)]
    [first] = [p["number"] for p in made if p["added"][0]["claim"]["text"] == "One."]
    await runs.update(handle, "undo", {"patch": first})
    runs.fakes.making_next = [update("Two.", remove=[2], add=[])]
    go_on.set()
    assert (await handle.result()).status == "completed"
    report = await handle.query("report")
    assert "Three. [" in report
    assert "One. [" not in report
    assert "Two. [" not in report


async def test_what_stands_in_the_report_by_name_may_be_rested_on(runs: Harness) -> None:
    runs.fakes.making = [update("", add=[{**QUOTED, "text": "Named.", "id": "named"}])]
    handle = await started(runs)
    await handle.result()
    last = next(r for r in runs.fakes.requests if r.role == "synthesizer")
    assert last.judge
    known = {name: premise.text for name, premise in last.judge.known.items()}
    assert known.pop("Q"), "the client's words carry sentences, too"
    assert known == {"named": "Named.", "f1": "Pumps sell."}, (
        "a finding without a name is given one"
    )


async def test_a_conclusion_may_rest_on_an_assumption_of_the_plan(runs: Harness) -> None:
    runs.fakes.answers["PlanDraft"] = runs.fakes.answers["PlanDraft"] | {
        "assumptions": ["Rain as before."]
    }
    ends = [{**QUOTED, "text": "So they last.", "rests_on": ["A1"]}]
    runs.fakes.making = [update("", add=ends)]
    handle = await started(runs)
    await handle.result()
    last = next(r for r in runs.fakes.requests if r.role == "synthesizer")
    assert last.judge
    assumed = last.judge.known["A1"]
    assert (assumed.text, assumed.assumed, assumed.is_supported) == ("Rain as before.", True, True)
    told = json.loads(runs.fakes.told("synthesizer", "plan")[-1])
    assert told["assumptions"] == ["A1: Rain as before."]
    report = await handle.query("report")
    assert en("mark-basis_gone") not in report
    assert "Rain as before." in report.split(en("basis"))[1]


async def test_writer_of_a_german_report_is_offered_its_table_in_german(temporal: Client) -> None:
    cell: Json = {"row": "Preis", "column": "Kenia", "claim": {**QUOTED, "text": "5 Euro"}}
    table = Block(
        type="tool_use",
        id="table",
        name="update_report",
        input={"section": TABLE_NAMES["de"], "figures": [cell], "makes_whole": True},
    )

    class German(Fakes):
        def _tool_calls(self, request: ModelRequest) -> list[Block]:
            if request.role != "synthesizer":
                return super()._tool_calls(request)
            return [table, update("Zwei.")] if len(request.messages) == 1 else []

    fakes = German(LIVING)
    async with harness(temporal, fakes) as runs:
        handle = await runs.start(
            definition_id="living", query="Wie viel kosten die Pumpen in Kenia?"
        )
        await runs.decide(handle, "approve")
        await handle.result()
    request = next(r for r in fakes.requests if r.role == "synthesizer")
    [tool] = request.tools
    assert tool.input_schema["properties"]["section"]["enum"] == ["Market", TABLE_NAMES["de"]]  # type: ignore[index,call-overload]
    made = [output(event)["patch"] for event in updates(runs) if event.phase_id == "synthesis"]
    assert [c["row"] for patch in made for c in patch.get("cells", [])] == ["Preis"]
    assert TABLE in {patch["section"] for patch in made}

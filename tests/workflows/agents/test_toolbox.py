"""What an agent's tools ask for on behalf of a run."""

from dataclasses import replace
from typing import Any

import pytest
from temporalio.exceptions import ActivityError

from contracts.agents.server_tools import GrantedTool, OfferedTool
from contracts.base import Json
from contracts.errors import ApprovalRequired
from contracts.evidence.sources import GivenFile
from contracts.human.checkpoints import Decision
from contracts.human.messages import Steer
from contracts.models.call import Block
from contracts.phases.research import ResearchPhase
from contracts.tool_servers import ToolServer
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.phase_harness import NOW, PLAN, Silent, context_of, opened
from workflows.agents.agent import MAX_CALLS_PER_TURN
from workflows.agents.tool_servers import ServerToolset
from workflows.agents.toolbox import Toolbox
from workflows.checkpoints.prices.spending_cap import compute_left_usd
from workflows.interpreter.phase_walk import Interpreter
from workflows.phase_context.context import PhaseContext
from workflows.phases.research import PROMPTS

TOOL = GrantedTool(
    server=ToolServer(name="stock"),
    address="http://127.0.0.1:1/mcp",
    offered=OfferedTool(name="look_up", changes=False, hash="h", input_schema={}),
)
FAILED: Any = {
    **dict.fromkeys(("scheduled_event_id", "started_event_id"), 0),
    **dict.fromkeys(("identity", "activity_type", "activity_id"), ""),
    "retry_state": None,
}


async def test_the_addresses_that_humans_wrote_in_the_run_may_be_fetched() -> None:
    state = opened(ResearchPhase(id="reading"))
    state.request = state.request.model_copy(
        update={"query": "What does a.test/q say?", "inputs": {"site": "https://b.test/i"}}
    )
    state.answers = {"c": {"q1": "see c.test/a", "q2": None}}
    state.steering = [Steer(text="Read http://d.test/s too.")]
    state.decisions = [
        Decision(checkpoint_id="c", phase_id="p", action="revise", feedback="e.test/f", at=NOW)
    ]
    phase = state.resolved.definition.phases[-1]
    named = context_of(Interpreter(state), phase).humans.find_named_urls()
    assert named == [
        *("https://a.test/q", "https://b.test/i", "https://c.test/a"),
        *("https://e.test/f", "http://d.test/s"),
    ]


def _open_toolbox(chars: int) -> tuple[Toolbox, PhaseContext, Fakes]:
    state = opened(ResearchPhase(id="reading"))
    interpreter = Interpreter(state)
    interpreter.recorder = Silent(state)  # type: ignore[assignment]
    fakes = Fakes()
    fakes.page_chars = chars
    run = context_of(interpreter, state.resolved.definition.phases[-1], fakes)
    return Toolbox(run, "researcher", max_sources=5, max_results=5), run, fakes


@pytest.mark.parametrize(
    ("page_usd", "left_usd", "more"), [(0.02, 0.05, 2), (0.02, 9.0, 4), (0.02, 0.01, 0), (0, 9, 0)]
)
async def test_pages_beyond_the_limit_are_read_while_the_money_left_pays_for_them(
    page_usd: float, left_usd: float, more: int
) -> None:
    opened, run, fakes = _open_toolbox(300)
    keep_usd = compute_left_usd(run.state, 0) - left_usd
    toolbox = replace(opened, max_sources=1, more_sources=4, page_usd=page_usd, keep_usd=keep_usd)
    assert (toolbox.pages_left, toolbox.more_pages) == (1, more)
    await _call(toolbox, "fetch_url", url="https://example.org/7")
    assert (toolbox.pages_left, toolbox.more_pages) == (0, more)
    await _call(toolbox, "fetch_url", url="https://example.org/8")
    assert len(fakes.fetches) == 1 + (more > 0)


async def _call(toolbox: Toolbox, name: str, **args: Any) -> Block:
    call = Block(type="tool_use", id="1", name=name, input=args)
    return toolbox.answer(call, await toolbox.call(name, call))


async def test_long_page_is_opened_where_it_bears_on_what_is_asked() -> None:
    toolbox, run, fakes = _open_toolbox(500_000)
    await _call(toolbox, "fetch_url", url="https://example.org/7", about="inventories 2022")
    assert [(asked.about, asked.start) for asked in fakes.opened] == [("inventories 2022", 0)]
    assert fakes.fetches == ["https://example.org/7"]
    await _call(toolbox, "fetch_url", url="https://example.org/7", about="payables 2022")
    assert fakes.fetches == ["https://example.org/7"]
    assert fakes.opened[-1].about == "payables 2022"
    assert [*run.state.shown.values()] == [[(0, 18_000)]]


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("fetch_url", {"url": "https://example.org/7", "about": "inventories"}),
        (TOOL.called, {"city": "Kisumu"}),
    ],
)
async def test_long_text_whose_parts_cannot_be_chosen_is_shown_from_its_start(
    tool: str, args: dict[str, str]
) -> None:
    toolbox, run, fakes = _open_toolbox(500_000)

    def before(kind: str, request: Any) -> None:
        if kind == "parts":
            raise ActivityError("no", **FAILED)

    fakes.before = before
    servers = ServerToolset(run, {TOOL.called: TOOL})
    shown = await _call(replace(toolbox, servers=servers), tool, **args)
    [blob] = [item.blob for item in shown.inputs if item.blob]
    assert (blob.start, blob.is_excerpt) == (0, False)


async def test_short_page_is_shown_whole_without_another_call() -> None:
    toolbox, run, fakes = _open_toolbox(9_000)
    shown = await _call(toolbox, "fetch_url", url="https://example.org/7", about="inventories")
    assert fakes.opened == []
    assert [i.blob.chars for i in shown.inputs if i.blob] == [9_000]
    assert run.state.shown == {}


async def test_part_of_a_source_is_opened_by_its_page() -> None:
    toolbox, run, fakes = _open_toolbox(500_000)
    await _call(toolbox, "fetch_url", url="https://example.org/7")
    number = len(run.state.sources)
    await _call(toolbox, "parse_content", source=number, page=60)
    assert [(asked.page, asked.about) for asked in fakes.opened] == [(None, ""), (60, "")]
    refused = await _call(toolbox, "parse_content", source=number + 1, page=60)
    assert refused.is_error
    assert run.me.progress.pages_read == 1


@pytest.mark.parametrize("own", [[], [GivenFile(name="a.pdf", chars=9, content_hash="")]])
async def test_search_compares_its_query_with_approved_words_only_beside_own_documents(
    own: list[GivenFile],
) -> None:
    """Else each search would keep the whole plan in the history."""
    _, run, _ = _open_toolbox(9)
    run.state.files = own
    words = "\n".join(run.humans.list_approved_words())
    assert ("Where to sell pumps?" in words, PLAN.title in words) == (bool(own), bool(own))


async def test_tools_that_reach_the_web_name_the_approved_plan_and_stop_without_one() -> None:
    toolbox, run, fakes = _open_toolbox(500_000)
    await _call(toolbox, "fetch_url", url="https://example.org/7", about="inventories")
    assert [opened.plan_hash for opened in fakes.opened] == [PLAN.hash]
    run.state.decisions.clear()
    asked: dict[str, Json] = {
        "web_search": {"query": "pumps"},
        "fetch_url": {"url": "https://example.org/8"},
        "parse_content": {"source": 1, "find": "inventories"},
    }
    for name, args in asked.items():
        with pytest.raises(ApprovalRequired):
            await _call(toolbox, name, **args)
    assert (fakes.searches, fakes.fetches) == ([], ["https://example.org/7"])


async def test_tool_of_a_users_server_is_called_once_the_plan_is_approved_alone() -> None:
    _, run, fakes = _open_toolbox(9)
    servers = ServerToolset(run, {TOOL.called: TOOL})
    call = Block(type="tool_use", id="1", name=TOOL.called, input={"city": "Kisumu"})
    await servers.call("approved", "", call)
    assert [asked.plan_hash for asked in fakes.tool_calls] == [PLAN.hash]
    run.state.decisions.clear()
    with pytest.raises(ApprovalRequired):
        await servers.call("unapproved", "", call)
    assert len(fakes.tool_calls) == 1


def test_who_reads_is_told_how_many_calls_a_turn_makes() -> None:
    for name in ("findings", "answer", "living"):
        assert f"at most {MAX_CALLS_PER_TURN} calls a turn" in PROMPTS[name]

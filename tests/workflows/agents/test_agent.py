"""Agents of one attempt: each with its own cursor and its own finished calls."""

from typing import Any

import pytest
from pydantic import JsonValue

from contracts.models.call import to_input
from contracts.models.model_drafts import Findings
from contracts.phases.research import ResearchPhase
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.phase_harness import Done, Silent, context_of, opened
from workflows.agents.agent import Agent
from workflows.agents.toolbox import Toolbox
from workflows.interpreter.phase_walk import Interpreter
from workflows.phase_context.context import PhaseContext


def _open_run(fakes: Fakes | None = None) -> tuple[PhaseContext, Done]:
    state, done = opened(ResearchPhase(id="reading")), Done()
    interpreter = Interpreter(state)
    interpreter.recorder = Silent(state)  # type: ignore[assignment]
    return context_of(interpreter, state.resolved.definition.phases[-1], fakes, done), done


def _make_agent(run: PhaseContext, **options: Any) -> Agent:
    toolbox = Toolbox(run, "researcher", max_sources=5, max_results=5)
    inputs = [to_input("question", "Where to sell pumps?")]
    given: dict[str, Any] = {"output": Findings, "max_turns": 9, **options}
    return Agent(run, toolbox, role="researcher", system="Look.", inputs=inputs, **given)


async def test_agent_drops_the_finished_calls_of_its_own_turns_alone() -> None:
    run, _ = _open_run()
    others: dict[str, JsonValue] = {"b-turn-1": {}, "a-review": {}, "gaps": {}}
    run.me.memo.update(others | {"a-turn-1": {}, "a-turn-1-2": {}})
    await _make_agent(run, name="a-").work()
    assert run.me.memo == others


@pytest.mark.parametrize("made", ["turn-1", "turn-1-last"])
async def test_early_last_turn_keeps_the_name_under_which_it_is_finished(made: str) -> None:
    """A run may continue as new with the answer in its memo, after time or money has run out elsewhere."""
    fakes = Fakes()
    run, _ = _open_run(fakes)
    agent = _make_agent(run)
    await agent.begin()
    run.me.memo[made] = {}
    run.losses.end_early("budget")
    await agent.work()
    assert fakes.calls == [f"reading/{made}"]


async def test_agent_that_has_ended_asks_nothing_again() -> None:
    run, done = _open_run()
    ended = await _make_agent(run).work()
    asked = len(done.asked)
    assert await _make_agent(run).work() == ended
    assert len(done.asked) == asked
    assert ended[1] == run.me.progress.agents[""].end_reason == "completed"


async def test_agents_of_one_attempt_have_conversations_of_their_own() -> None:
    run, done = _open_run()
    for name in ("a-", "b-"):
        await _make_agent(run, name=name).work()
    first, second = run.me.progress.agents.values()
    assert len(done.of_models()) == 2 * (first.turn + 1)
    assert [m.role for m in first.messages] == [m.role for m in second.messages]

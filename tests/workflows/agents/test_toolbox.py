"""What an agent's tools ask for on behalf of a run."""

from contracts.human.messages import Steer
from contracts.phases.research import ResearchPhase
from contracts.runs.state import Decision
from tests.workflows.support.phase_harness import NOW, context_of, opened
from workflows.interpreter.interpreter import Interpreter


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
    named = context_of(Interpreter(state), phase).find_named_urls()
    assert named == [
        *("https://a.test/q", "https://b.test/i", "https://c.test/a"),
        *("https://e.test/f", "http://d.test/s"),
    ]

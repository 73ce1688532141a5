"""What of a definition is looked for when a start leaves it out, and what of that is supplied."""

from typing import Any

import pytest
from pydantic import TypeAdapter

from contracts.base import Json
from contracts.definitions import Definition
from contracts.errors import Conflict, InvalidDefinition
from contracts.phases import Phase
from contracts.runs.start import Opened, OpenRequest, ParentRun, RunInput
from contracts.runs.state import Decision
from contracts.step_cache import KeptOutput
from contracts.terms import Terms
from tests.workflows.alone import DONE, NOW, PAGE, PLAN
from tests.workflows.fakes import TERMS
from workflows.interpreter.run_state import opened_state
from workflows.start.start import open_supplied

CACHED = TERMS.model_copy(update={"step_cache_hours": 24})
PHASE_LIST: TypeAdapter[list[Phase]] = TypeAdapter(list[Phase])
PLANNED: Json = {"planning": DONE["planning"]}
OTHER_PAGE: Json = {**PAGE, "url": "https://example.org/1"}


def analysis(name: str, **more: Any) -> Json:
    return {"kind": "analysis", "id": name, **more}


def made_of(*phases: Json) -> Definition:
    """Return a definition of a plan and these."""
    return Definition(id="d", phases=PHASE_LIST.validate_python([{"kind": "planning"}, *phases]))


def gave(text: str, **more: Any) -> KeptOutput:
    output: Json = {"analysis": {"text": text, "points": [], "gaps": []}, **more}
    return KeptOutput(run_id="before", output=output, warnings=[f"{text} is old"])


class Kept:
    """Answers the nth look as it was told, and any after that with something."""

    def __init__(self, *answers: KeptOutput | None) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def find(self, key: str) -> KeptOutput | None:
        self.asked.append(key)
        nth = len(self.asked) - 1
        return self.answers[nth] if nth < len(self.answers) else gave("any")


async def opened(
    definition: Definition,
    kept: Kept,
    parent: ParentRun | None = None,
    terms: Terms = CACHED,
    **start: Any,
) -> Opened:
    if parent is None:
        start = {"given": PLANNED} | start
    request = RunInput.model_validate({"query": "?", **start})
    return await open_supplied(request, definition, parent, terms, kept.find)


def parent_of(definition: Definition, *ids: str, **more: Any) -> ParentRun:
    """Return a run of which these phases completed."""
    outputs = {i: DONE.get(i, gave(i).output) for i in ids}
    return ParentRun(run_id="p", definition=definition, outputs=outputs, **more)


LINE = made_of(*map(analysis, "abcd"))


async def test_what_lies_ahead_is_supplied_and_nothing_beside_or_behind() -> None:
    beside = analysis("beside", after=["a"])
    definition = made_of(*(analysis(name) for name in "abcd"), beside)
    kept = Kept(gave("first"), gave("second"))
    made = await opened(definition, kept, only=["c"])
    assert len(set(kept.asked)) == 2
    resolved = made.resolved
    assert resolved.selected == ["c"]
    assert resolved.bindings["c"]["input"] == ["b"]
    assert {i: kept.run_id for i, kept in resolved.reused.items()} == dict.fromkeys("ab", "before")

    opening = OpenRequest(run_id="r", input=RunInput(query="?", only=["c"]), started_at=NOW)
    phases = {phase.id: phase for phase in opened_state(opening, made).phases}
    assert phases["b"].output == {**gave("second").output, **resolved.seeds["b"]}
    assert (phases["b"].status, phases["b"].reused_from) == ("completed", "before")
    assert phases["b"].warnings == ["second is old"]
    assert (phases["planning"].status, phases["planning"].reused_from) == ("completed", None)
    assert {phases[i].status for i in ("beside", "d")} == {"skipped"}


async def test_what_a_phase_is_looked_for_under_follows_from_what_was_found_ahead() -> None:
    keys = []
    for first in ("first", "first", "other"):
        kept = Kept(gave(first))
        await opened(LINE, kept, only=["c"])
        keys.append(kept.asked)
    assert keys[0] == keys[1]
    assert keys[0][0] == keys[2][0]
    assert keys[0][1] != keys[2][1]


@pytest.mark.parametrize("answer", [None, KeptOutput(run_id="before", output={"old": "form"})])
async def test_a_gap_ends_the_search(answer: KeptOutput | None) -> None:
    kept = Kept(answer)
    made = await opened(LINE, kept, only=["c"])
    assert (len(kept.asked), made.resolved.reused) == (1, {})


async def test_behind_a_plan_that_is_left_out_nothing_is_looked_for() -> None:
    kept = Kept()
    with pytest.raises(Conflict, match="'c' needs"):
        await opened(LINE, kept, only=["c"], given={})
    assert not kept.asked


@pytest.mark.parametrize(
    "start",
    [
        {"fresh": True, "only": ["c"]},
        {"only": ["c"], "terms": TERMS},
        {"until": "b"},
        {"only": ["a", "c"]},
        {"config_overrides": {"b": {"enabled": False}}},
    ],
    ids=str,
)
async def test_who_is_not_meant_to_look_does_not(start: dict[str, Any]) -> None:
    """With `a` chosen, what `b` would read is still to be made."""
    kept = Kept()
    made = await opened(LINE, kept, **start)
    assert (kept.asked, made.resolved.reused) == ([], {})


async def test_what_is_to_be_done_again_is_not_looked_for() -> None:
    kept, parent = Kept(), parent_of(LINE, "planning", "a", "b")
    made = await opened(LINE, kept, parent, from_run="p", redo=["b"], only=["c"])
    assert (kept.asked, made.resolved.bindings["c"]["input"]) == ([], ["a"])


async def test_what_the_start_brings_along_wins() -> None:
    mine = gave("mine").output
    kept = Kept(gave("kept"))
    made = await opened(LINE, kept, given={**PLANNED, "a": mine}, only=["c"])
    assert made.resolved.seeds["a"]["analysis"] == mine["analysis"]
    assert list(made.resolved.reused) == ["b"]

    kept, parent = Kept(gave("kept")), parent_of(LINE, "planning", "a")
    made = await opened(LINE, kept, parent, from_run="p", only=["c"])
    assert made.resolved.seeds["a"] == parent.outputs["a"]
    assert list(made.resolved.reused) == ["b"]


CHECKPOINT: Json = {"kind": "hitl_checkpoint", "id": "checkpoint"}
POLICY: Json = {**CHECKPOINT, "config": {"approvers": {"of": ["bob"]}}}


@pytest.mark.parametrize("checkpoint", [CHECKPOINT, POLICY], ids=["anybody's", "an approver's"])
async def test_no_checkpoint_is_supplied_and_nothing_behind_one(checkpoint: Json) -> None:
    definition = made_of(analysis("a"), checkpoint, analysis("b"), analysis("c"))
    kept = Kept()
    if checkpoint is POLICY:
        with pytest.raises(InvalidDefinition, match="choose it too"):
            await opened(definition, kept, only=["c"])
        assert not kept.asked
    else:
        made = await opened(definition, kept, only=["c"])
        assert len(kept.asked) == 1
        assert not made.resolved.reused, "what `c` reads is `b`, and `a` is no substitute"


async def test_what_was_decided_on_is_not_exchanged() -> None:
    """A run whose analysis fell short, and whose approver let it pass."""
    definition = made_of(analysis("a"), POLICY, analysis("b", bind={"input": "a"}))
    kept, parent = Kept(), parent_of(definition, "planning", "checkpoint")
    with pytest.raises(Conflict, match="'b' needs"):
        await opened(definition, kept, parent, from_run="p", only=["b"])
    assert not kept.asked


@pytest.mark.parametrize("approved", [True, False])
async def test_what_reaches_the_web_is_supplied_for_an_approved_plan_alone(approved: bool) -> None:
    retrieval: Json = {"kind": "retrieval", "bind": {"plan": "planning"}}
    definition = made_of(CHECKPOINT, retrieval, analysis("b"))
    decision = Decision(
        checkpoint_id="c",
        phase_id="checkpoint",
        action="approve",
        plan_hash=PLAN.hash if approved else "of another",
        at=NOW,
    )
    parent = parent_of(definition, "planning", "checkpoint", decisions=[decision])
    found = KeptOutput(run_id="before", output={"fundamentals": None, "news": []})
    kept, inputs = Kept(found), {"ticker": "AAPL"}
    made = await opened(definition, kept, parent, from_run="p", only=["b"], inputs=inputs)
    assert list(made.resolved.reused) == ["retrieval"][:approved]
    assert len(kept.asked) == approved


async def test_pages_must_have_the_same_numbers() -> None:
    definition = made_of(
        analysis("a", after=["planning"]),
        analysis("b", after=["planning"]),
        analysis("c", after=["a", "b"], bind={"input": "a"}),
    )
    for page, found in ((PAGE, ["a", "b"]), (OTHER_PAGE, ["a"])):
        kept = Kept(gave("a", sources=[PAGE]), gave("b", sources=[page]))
        made = await opened(definition, kept, only=["c"])
        assert list(made.resolved.reused) == found


async def test_two_that_are_further_away_stand_in_for_nobody() -> None:
    """The nearest that gives an analysis is missing; what is further away would be ambiguous."""
    summary: Json = {"text": "It is so.", "key_points": []}
    definition = made_of(
        analysis("y", after=["planning"]),
        analysis("z", after=["planning"]),
        analysis("x", after=["planning"]),
        {"kind": "summary", "id": "w", "after": ["y", "z"], "bind": {"input": "y"}},
        {"kind": "review", "id": "c", "after": ["w", "x"], "config": {"inputs": ["analysis"]}},
    )
    kept = Kept(
        gave("y"), gave("z"), None, KeptOutput(run_id="before", output={"summary": summary})
    )
    with pytest.raises(Conflict, match="'c' needs 'analysis'"):
        await opened(definition, kept, only=["c"])
    assert len(kept.asked) == 4

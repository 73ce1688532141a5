"""A whole run on the real stack: views, records and the providers' logs agree."""

import asyncio
from collections import defaultdict
from datetime import datetime
from itertools import pairwise

import pytest

from contracts.evidence.sources import SourceFields
from contracts.report.document import Quote
from contracts.report.report import Report
from contracts.runs.events import AgentOutput
from domain.evidence.claims import find_claims
from domain.report.claims.report_claims import list_claims, take_text
from domain.report.formats.markdown import write_markdown
from tests.support.stack import CREW, QUESTION, Run, Undisturbed, Whole
from tests.support.words import en


@pytest.fixture(params=["deep_research", CREW])
def calm(
    request: pytest.FixtureRequest, undisturbed: Undisturbed, market: Undisturbed
) -> Undisturbed:
    """A run of each definition that is offered first."""
    return market if request.param == CREW else undisturbed


@pytest.fixture
def run(whole: Whole, calm: Undisturbed) -> Run:
    """The same run, for a client that is still open."""
    return Run(whole.http, calm.run.id)


def test_questions_say_why_they_are_asked(calm: Undisturbed) -> None:
    assert 2 <= len(calm.asked.questions) <= 3
    assert all(question.context for question in calm.asked.questions)


def test_price_and_ledger_agree(calm: Undisturbed) -> None:
    """The ledger contains each model call once, and their sum does not exceed the displayed price.

    The stand-in takes one short turn for a model's several turns: `test_phase_costs` compares real models'
    bills.
    """
    assert calm.asked_of("/v1/messages") == [1] * calm.models
    assert len(calm.paid) == calm.state.usage.calls == calm.models
    usd = sum(float(call["settled_usd"]) for call in calm.paid)
    assert calm.state.usage.usd == pytest.approx(usd)
    assert sum(phase.usage.usd for phase in calm.state.phases) == pytest.approx(usd)
    assert calm.shown.plan
    shown = calm.shown.plan.estimated_cost
    assert shown.low_usd <= usd <= min(shown.top_usd, 2 * shown.expected_usd)


def test_few_calls_precede_the_approval(calm: Undisturbed) -> None:
    """Questions and plan: one that breaks no rule of plans has no review."""
    ahead = [call for call in calm.paid if call["phase_id"] in {"clarification", "planning"}]
    assert len(ahead) == 2


async def test_log_stream_state_and_rows_tell_the_same_run(calm: Undisturbed, run: Run) -> None:
    events = await run.events()
    assert calm.watched == events
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert events[-1].type == "workflow_complete"
    phases = calm.state.phases
    ended = {e.phase_id: e.status for e in events if e.type == "step_complete"}
    rows = (await run.get("/phases")).json()["items"]
    record = (await run.get()).json()
    assert ended == {p.id: p.status for p in phases} == {r["id"]: r["status"] for r in rows}
    assert record["query"] == QUESTION
    assert all(a.ended_at <= b.started_at for a, b in pairwise(phases))  # type: ignore[operator]
    outputs = [e for e in events if e.type == "AgentOutput"]
    assert len(outputs) == calm.state.usage.calls == record["usage"]["calls"]
    told = [e for e in events if e.type == "ToolCall" and e.payload["tool_name"] == "web_search"]
    assert sum(calm.asked_of("/res/v1/web/search")) == len(told) > 0


def test_log_tells_things_in_the_order_they_happened(calm: Undisturbed) -> None:
    """A phase's events are between its start and its end, and web events follow the approval."""
    at = [datetime.fromisoformat(event.at) for event in calm.watched]
    assert at == sorted(at)
    for phase in calm.state.phases:
        own = [event.type for event in calm.watched if event.phase_id == phase.id]
        assert (own[0], own[-1]) == ("step_start", "step_complete")
    [approved] = [e.seq for e in calm.watched if e.payload.get("action") == "approve"]
    web = {"web_search", "fetch_url"}
    assert approved < min(e.seq for e in calm.watched if e.payload.get("tool_name") in web)


def test_end_of_a_phase_shows_how_its_output_begins(calm: Undisturbed) -> None:
    told = {e.phase_id: e.payload["snippet"] for e in calm.watched if e.type == "step_complete"}
    plan = calm.shown.plan
    assert plan
    assert str(told["planning"]).startswith(plan.title)
    whole = [output["report"]["markdown"] for output in calm.outputs.values() if "report" in output]
    assert [str(said).removesuffix("…") for said in told.values() if str(said).startswith("#")] == [
        report[:300] for report in whole
    ]
    assert max(len(str(said)) for said in told.values()) <= 301


@pytest.mark.parametrize("beyond", [0, 1, 1_000])
async def test_stream_of_an_ended_run_ends_at_once_wherever_it_is_resumed(
    calm: Undisturbed, run: Run, beyond: int
) -> None:
    async with asyncio.timeout(5):
        assert [e async for e in run.stream(after=calm.watched[-1].seq + beyond)] == []


def test_pieces_of_answers_make_up_the_answers(calm: Undisturbed) -> None:
    """Pieces are matched by phase, step, agent and the call's name."""
    streamed: defaultdict[tuple[object, ...], str] = defaultdict(str)
    answered: dict[tuple[object, ...], str] = {}
    for event in calm.watched:
        said = event.payload
        who = (event.phase_id, event.plan_step, said.get("current_agent_name"), said.get("call"))
        if event.type == "AgentStream":
            streamed[who] += event.payload["delta"]  # type: ignore[operator]
        elif event.type == "AgentOutput":
            output = AgentOutput.model_validate(event.payload)
            [block] = output.response.blocks
            assert who not in answered
            changes = (call.tool_kwargs for call in output.tool_calls)
            texts = (claim.text for change in changes for claim in find_claims(change))
            answered[who] = block.text + "".join(f"{text} " for text in texts)
    assert streamed == {who: text for who, text in answered.items() if text}


def test_report_says_where_was_searched(calm: Undisturbed) -> None:
    head, _, _ = calm.report.partition("\n## ")
    assert en("searched-only", scope=en("searched-sample")) in head


async def test_quotes_stand_in_their_sources(calm: Undisturbed, run: Run) -> None:
    """Each claim's quote is what its source's snapshot says at that place; no model, no judge."""
    *_, written = (output["report"] for output in calm.outputs.values() if "report" in output)
    report = Report.model_validate(written)
    kept = (await run.get("/sources")).json()["items"]
    links = {"n", "file_id", "snapshot", "kept"}
    sources = [
        SourceFields.model_validate({n: v for n, v in source.items() if n not in links})
        for source in kept
    ]
    texts = [(await run.get(f"/sources/{n}/snapshot")).text for n in range(1, len(sources) + 1)]
    assert [len(text) for text in texts] == [source.chars for source in sources]
    usable = [claim for claim in list_claims(report) if claim.is_usable]
    cited = [citation for claim in usable for citation in claim.citations]
    assert len(cited) > 5
    for citation in cited:
        assert texts[citation.source - 1][citation.start : citation.end] == citation.quote
    told = list_claims(take_text(report))
    assert report.claims_total == len(told)
    assert report.claims_unsupported == sum(not claim.is_usable for claim in told)
    assert report.claims_unjudged is None
    served = Report.model_validate((await run.get("/report", format="json")).json())
    assert served.document
    assert served.markdown == write_markdown(served.document) == calm.report
    quotes = [note for note in served.document.notes if isinstance(note, Quote)]
    for quote in quotes:
        assert texts[quote.source - 1][quote.start : quote.end] == quote.text

"""Live, recent, independent sources where they are asked for; the outline and rules always."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from temporalio.client import Client
from temporalio.exceptions import ApplicationError

from contracts.base import Json
from contracts.definitions import Definition
from contracts.models.call import ModelRequest
from contracts.notices import Notice
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.phases.planning import PlanningPhase
from contracts.phases.research import ResearchConfig, ResearchPhase
from contracts.phases.synthesis import SynthesisPhase
from contracts.phases.typed_answers import SummaryPhase
from contracts.phases.validation import ValidationPhase
from contracts.words import say
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.run_harness import Handle, Harness, harness
from workflows.phases import validation as validation_phase
from workflows.phases.validation import split_at_lines

VALIDATED = Definition(
    id="validated",
    phases=[
        PlanningPhase(),
        HitlCheckpointPhase(id="checkpoint"),
        ResearchPhase(),
        SynthesisPhase(),
        ValidationPhase(),
    ],
)
CURRENT = "Was kosten Pumpen derzeit?"
NAMES = ("Publisher 0", "Publisher 1")
BOTH = Notice.of("joined-by-and", first=NAMES[0], last=NAMES[1])
GONE = Notice.of("sources-not-live", n=0, of=2, least=2)
"""Neither of the two sources answers."""


def days_ago(days: int) -> str:
    """Return the UTC date a number of days ago."""
    return (datetime.now(UTC).date() - timedelta(days=days)).isoformat()


@pytest.fixture
async def runs(temporal: Client) -> AsyncIterator[Harness]:
    fakes = Fakes(VALIDATED)
    fakes.turn_size = 2
    fakes.published = days_ago(0)
    cited: Any = [{"source": n, "quote": "Pumps sell."} for n in (1, 2)]
    claim: Any = {"text": "Pumps sell.", "citations": cited}
    fakes.answers["Report"] = {
        "title": "Pumps",
        "sections": [{"heading": "Market", "claims": [claim]}],
    }
    asks_for(fakes, 365)
    async with harness(temporal, fakes) as made:
        yield made


def asks_for(fakes: Fakes, days: int | None) -> None:
    """Have the planner say how old a source may be."""
    fakes.answers["PlanDraft"] = {**fakes.answers["PlanDraft"], "max_age_days": days}


async def validated(
    runs: Harness, query: str = CURRENT, **config: Any
) -> tuple[dict[str, Any], str]:
    """Return what was found of a run's report, and its text."""
    overrides: Json = {"validation": {"config": config}}
    handle = await runs.start(query, definition_id="validated", config_overrides=overrides)
    await runs.decide(handle, "approve")
    assert (await handle.result()).status == "completed"
    records = [p for batch in runs.fakes.batches for p in batch.phases if p.id == "validation"]
    return dict((records[-1].output or {})["validation"]), await handle.query("report")  # type: ignore[arg-type]


async def test_two_live_recent_publishers_pass(runs: Harness) -> None:
    found, text = await validated(runs)
    assert found["verdict"] == "passed"
    assert found["max_age_days"] == 365
    assert [(s["publisher"], s["status"], s["counts"]) for s in found["sources"]] == [
        ("Publisher 0", 200, True),
        ("Publisher 1", 200, True),
    ]
    assert sorted(runs.fakes.probes) == ["https://example.org/0", "https://example.org/1"]
    assert "Note:" not in text


async def test_pages_read_within_the_hour_are_not_read_again(runs: Harness) -> None:
    runs.fakes.retrieved = datetime.now(UTC).isoformat()
    found, _ = await validated(runs)
    assert not runs.fakes.probes
    assert [(s["status"], s["is_live"], s["changed"]) for s in found["sources"]] == [
        (200, True, False)
    ] * 2


@pytest.mark.full
async def test_sources_are_checked_where_the_plan_or_the_definition_says_so(runs: Harness) -> None:
    asks_for(runs.fakes, None)
    found, _ = await validated(runs, query="What is the current price of pumps?")
    assert (found["verdict"], found["max_age_days"]) == ("not_needed", None)
    assert not runs.fakes.probes
    found, _ = await validated(runs, always=True, max_age_days=30)
    assert (found["verdict"], found["max_age_days"]) == ("passed", 30)
    asks_for(runs.fakes, 7)
    found, _ = await validated(runs, always=True, max_age_days=30)
    assert found["max_age_days"] == 7


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        ({"min_sources": 3}, Notice.of("sources-not-live", n=2, of=2, least=3)),
        (
            {"min_publishers": 3},
            Notice.of("sources-not-independent", of=2, least=3, publishers=BOTH),
        ),
    ],
)
async def test_too_few_sources_are_noted_in_the_report(
    runs: Harness, config: dict[str, Any], problem: Notice
) -> None:
    found, text = await validated(runs, **config)
    assert found["verdict"] == "insufficient"
    [told] = map(Notice.model_validate, found["problems"])
    assert told == problem
    assert Notice.of("note", text=told).say("de") in text


@pytest.mark.full
async def test_unreachable_old_and_undated_sources_do_not_count(runs: Harness) -> None:
    runs.fakes.statuses["https://example.org/0"] = 404
    found, _ = await validated(runs)
    assert [(s["status"], s["counts"]) for s in found["sources"]] == [(404, False), (200, True)]
    assert list(map(Notice.model_validate, found["problems"])) == [
        Notice.of("sources-not-live", n=1, of=2, least=2),
        Notice.of("sources-not-independent", of=1, least=2, publishers="Publisher 1"),
    ]
    runs.fakes.statuses.clear()

    def silent(kind: str, request: Any) -> None:
        if kind == "probe" and request.url.endswith("/1"):
            raise ApplicationError("gone", type="fetch-refused", non_retryable=True)

    runs.fakes.before = silent
    found, _ = await validated(runs)
    assert [(s["status"], s["counts"]) for s in found["sources"]] == [(200, True), (None, False)]
    runs.fakes.before = lambda kind, request: None
    runs.fakes.published = days_ago(30)
    asks_for(runs.fakes, 29)
    found, text = await validated(runs)
    assert not any(source["counts"] for source in found["sources"])
    assert {source["age_days"] for source in found["sources"]} <= {
        30,
        31,
    }  # midnight may have passed
    [old] = found["problems"]
    stale = Notice.of("sources-not-recent", n=2, old=2, days=29, least=2)
    assert Notice.model_validate(old) == stale
    assert Notice.of("note", text=stale).say("de") in text
    runs.fakes.published = None
    found, _ = await validated(runs)
    assert [(s["age_days"], s["counts"]) for s in found["sources"]] == [(None, False)] * 2
    undated = Notice.of("sources-not-recent", n=2, undated=2, days=29, least=2)
    assert Notice.model_validate(found["problems"][0]) == undated


async def test_changed_page_is_noted_and_still_counts(
    runs: Harness,
) -> None:
    runs.fakes.changed = {"https://example.org/1"}
    found, text = await validated(runs)
    assert found["verdict"] == "passed"
    assert [(s["position"], s["changed"]) for s in found["sources"]] == [(1, False), (2, True)]
    assert "- Page 1 — Publisher 1" in text
    assert "1>: *(" not in text
    assert text.count(f"*({say('de', 'source-changed')})*\n") == 1
    assert "unsupported" not in text


async def test_credibility_notes_are_not_sent_to_models(
    runs: Harness,
) -> None:
    runs.fakes.notes = [Notice.of("source-undated")]
    runs.fakes.answers["DraftVerdict"] = {"met": True, "quote": "Pumps sell.", "reason": ""}
    found, text = await validated(runs, rules=["It says whether pumps sell."])
    assert found["verdict"] == "passed"
    assert text.count(f"*({say('de', 'source-undated')})*") == 2
    assert runs.fakes.requests
    for request in runs.fakes.requests:
        assert "source-undated" not in request.model_dump_json()


async def test_missing_outline_section_is_a_problem(runs: Harness) -> None:
    plan: Any = runs.fakes.answers["PlanDraft"]
    runs.fakes.answers["PlanDraft"] = {**plan, "outline": ["Market", "Risks"]}
    found, text = await validated(runs)
    assert found["missing_headings"] == ["Risks"]
    missing = Notice.of("section-agreed-missing", heading="Risks")
    assert found["problems"] == [missing.model_dump(mode="json")]
    assert Notice.of("note", text=missing).say("de") in text
    assert "cited sources" not in text


@pytest.mark.parametrize(
    ("quote", "met"),
    [
        ("Pumps  sell.", True),
        ("Pumps are loved.", False),
        pytest.param("", False, marks=pytest.mark.full),
    ],
)
async def test_rule_is_met_only_by_a_sentence_of_the_report(
    runs: Harness, quote: str, met: bool
) -> None:
    runs.fakes.answers["DraftVerdict"] = {"met": True, "quote": quote, "reason": ""}
    found, text = await validated(runs, rules=["It says whether pumps sell."])
    broken = Notice.of("rule-broken", rule="It says whether pumps sell.")
    assert (broken.say("de") in text) != met
    assert "stand behind" not in text
    assert [(r["met"], r["quote"]) for r in found["rules"]] == [(met, quote)]
    assert found["verdict"] == ("passed" if met else "insufficient")
    [request] = [r for r in runs.fakes.requests if r.role == "validator"]
    assert "It says whether pumps sell." in request.messages[0].content[0].inputs[0].text


BREACH = "Pumps are the best of all."


@pytest.mark.parametrize("breach", ["", BREACH])
async def test_each_part_of_a_long_report_keeps_a_rule(
    runs: Harness, monkeypatch: pytest.MonkeyPatch, breach: str
) -> None:
    monkeypatch.setattr(validation_phase, "REPORT_CHARS", 300)

    def judge(request: ModelRequest) -> Json:
        given = {part.name: part.text for part in request.messages[0].content[0].inputs}
        assert len(given["report"]) <= 300
        is_broken = bool(breach) and breach in given["report"]
        quote = breach if is_broken else "Pumps sell."
        earlier = given.get("earlier_verdicts", "").count("Pumps sell.")
        return {"met": not is_broken, "quote": quote, "reason": str(earlier)}

    report: Any = runs.fakes.answers["Report"]
    [section] = report["sections"]
    claims = [{**section["claims"][0], "text": text} for text in ("Pumps sell.", breach) if text]
    sections = [{"heading": f"Part {n}", "claims": claims[:1]} for n in range(9)]
    last = {"heading": "The end", "claims": claims[-1:]}
    runs.fakes.answers["Report"] = {**report, "sections": [*sections, last]}
    runs.fakes.answers["DraftVerdict"] = judge
    found, _ = await validated(runs, rules=["No superlatives."])
    [rule] = found["rules"]
    assert rule["met"] is not bool(breach)
    asked = [r.scope.name for r in runs.fakes.requests if r.role == "validator"]
    assert asked[:2] == ["rule-1", "rule-1-part-2"]
    if not breach:
        assert rule["reason"] == str(len(asked) - 1)


@pytest.mark.parametrize(
    ("quotes", "met"),
    [
        (("", "Pumps sell."), True),
        (("Pumps are loved.", "Pumps sell."), False),
        (("Pumps sell.", ""), False),
    ],
)
async def test_only_the_last_part_of_a_long_report_must_quote_a_sentence(
    runs: Harness, monkeypatch: pytest.MonkeyPatch, quotes: tuple[str, str], met: bool
) -> None:
    """What a rule requires may stand in another part than the first."""
    monkeypatch.setattr(validation_phase, "REPORT_CHARS", 300)

    def judge(request: ModelRequest) -> Json:
        given = {part.name: part.text for part in request.messages[0].content[0].inputs}
        number, of = given["part"].split(" of ")
        return {"met": True, "quote": quotes[number == of], "reason": ""}

    runs.fakes.answers["DraftVerdict"] = judge
    found, _ = await validated(runs, rules=["It says whether pumps sell."])
    assert [rule["met"] for rule in found["rules"]] == [met]


def test_parts_of_a_text_are_all_of_it_and_end_with_lines() -> None:
    text = "one\ntwo and more\n" + "x" * 25 + "\nend"
    parts = split_at_lines(text, 10)
    assert "".join(parts) == text
    assert parts[0] == "one\n"
    assert max(map(len, parts)) == 10


async def test_without_a_model_a_rule_is_neither_kept_nor_broken(runs: Harness) -> None:
    runs.fakes.terms = runs.fakes.terms.model_copy(update={"offline": True})
    for met, quote in ((False, ""), (True, "Pumps sell.")):
        runs.fakes.answers["DraftVerdict"] = {"met": met, "quote": quote, "reason": ""}
        found, text = await validated(runs, rules=["The report names a year."])
        assert found["rules"] == []
        unjudged = Notice.of("rule-unjudged", rule="The report names a year.")
        assert found["problems"][-1] == unjudged.model_dump(mode="json")
        assert unjudged.say("de") in text
        assert "does not keep" not in text
    assert not [r for r in runs.fakes.requests if r.role == "validator"]


async def test_sources_of_parallel_branches_are_checked(runs: Harness) -> None:
    """Its need is bound to the first branch, and the report cites what the second one read."""
    planning, checkpoint, _, synthesis, _ = VALIDATED.phases
    first = ResearchPhase(id="first", config=ResearchConfig(max_sources=1))
    second = ResearchPhase(id="second", bind={"plan": "planning"})
    bound = ValidationPhase(bind={"sources": "first"})
    phases = [planning, checkpoint, first, second, synthesis, bound]
    runs.fakes.definitions["validated"] = Definition(id="validated", phases=phases)
    found, report = await validated(runs)
    assert [source["position"] for source in found["sources"]] == [1, 2]
    assert "Page 1" in report


async def held_back(runs: Harness, on_fail: str) -> Handle:
    """Start a run whose report has too few live sources; a summary follows its validation."""
    runs.fakes.statuses = {f"https://example.org/{n}": 404 for n in range(2)}
    phases = [*VALIDATED.phases, SummaryPhase()]
    runs.fakes.definitions["held"] = Definition(id="held", phases=phases)
    given: Json = {"validation": {"config": {"on_fail": on_fail}}}
    handle = await runs.start(definition_id="held", config_overrides=given)
    await runs.decide(handle, "approve")
    return handle


async def test_insufficient_report_is_noted_by_default(runs: Harness) -> None:
    handle = await held_back(runs, "note")
    assert (await handle.result()).status == "completed"
    report = await handle.query("report")
    assert report.count(GONE.text) == 1, "its note stands in the report"
    state = await runs.state(handle)
    [notice] = [each for each in state.notices if each.code == "report-insufficient"]
    assert notice.params["reason"] == GONE
    assert notice.text in state.warnings


async def test_insufficient_report_can_stop_the_run(runs: Harness) -> None:
    handle = await held_back(runs, "stop")
    assert (await handle.result()).status == "failed"
    state = await runs.state(handle)
    assert [phase.status for phase in state.phases[-2:]] == ["failed", "skipped"]
    error = state.phases[-2].error
    assert error
    assert error.type == "validation-failed"
    assert error.notice == Notice.of("validation-failed", reasons=[GONE])
    assert GONE.text in await handle.query("report"), "what was written stays readable"
    assert "summary" not in {r.scope.phase_id for r in runs.fakes.requests}


async def test_gate_checks_sources_whatever_the_plan_says(runs: Harness) -> None:
    runs.fakes.answers["PlanDraft"] = {**runs.fakes.answers["PlanDraft"], "max_age_days": None}
    handle = await held_back(runs, "stop")
    assert (await handle.result()).status == "failed"


@pytest.mark.parametrize(("action", "ends"), [("approve", "completed"), ("reject", "rejected")])
async def test_insufficient_report_can_be_put_to_a_human(
    runs: Harness, action: str, ends: str
) -> None:
    handle = await held_back(runs, "ask")
    state = await runs.asked(handle, "validation")
    [shown] = state.pending
    assert GONE.text in shown.message
    assert shown.options == ["approve", "reject"]
    assert "summary" not in {r.scope.phase_id for r in runs.fakes.requests}
    given: Json = {"action": action, "checkpoint_id": shown.checkpoint_id}
    await runs.update(handle, "decide", given)
    assert (await handle.result()).status == ends
    last = (await runs.state(handle)).phases[-1]
    assert last.status == ("completed" if ends == "completed" else "skipped")


@pytest.mark.parametrize("on_fail", ["ask", pytest.param("stop", marks=pytest.mark.full)])
async def test_sufficient_report_holds_nothing_back(runs: Harness, on_fail: str) -> None:
    given: Json = {"validation": {"config": {"on_fail": on_fail}}}
    handle = await runs.start(definition_id="validated", config_overrides=given)
    await runs.decide(handle, "approve")
    assert (await handle.result()).status == "completed"

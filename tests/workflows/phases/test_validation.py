"""Live, recent, independent sources where they are asked for; the outline and rules always."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from temporalio.client import Client
from temporalio.exceptions import ApplicationError

from contracts.base import Json
from contracts.definitions import Definition
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.phases.planning import PlanningPhase
from contracts.phases.research import ResearchConfig, ResearchPhase
from contracts.phases.synthesis import SynthesisPhase
from contracts.phases.validation import ValidationPhase
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.run_harness import Harness, harness

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
CURRENT = "What is the current price of pumps?"
TODAY = datetime.now(UTC).date()


@pytest.fixture
async def runs(temporal: Client) -> AsyncIterator[Harness]:
    fakes = Fakes(VALIDATED)
    fakes.turn_size = 2
    fakes.published = TODAY.isoformat()
    cited: Any = [{"source": n, "quote": "Pumps sell."} for n in (1, 2)]
    claim: Any = {"text": "Pumps sell.", "citations": cited}
    fakes.answers["Report"] = {
        "title": "Pumps",
        "sections": [{"heading": "Market", "claims": [claim]}],
    }
    async with harness(temporal, fakes) as made:
        yield made


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
    assert found["asked_by"] == ["current", "price"]
    assert [(s["publisher"], s["status"], s["counts"]) for s in found["sources"]] == [
        ("publisher 0", 200, True),
        ("publisher 1", 200, True),
    ]
    assert sorted(runs.fakes.probes) == ["https://example.org/0", "https://example.org/1"]
    assert "Note:" not in text


@pytest.mark.full
async def test_validation_is_not_needed_without_a_timely_word(runs: Harness) -> None:
    found, _ = await validated(runs, query="How do pumps work?")
    assert found["verdict"] == "not_needed"
    assert not runs.fakes.probes
    found, _ = await validated(runs, query="How do pumps work?", always=True)
    assert found["verdict"] == "passed"
    found, _ = await validated(runs, query="How do pumps work?", words=["pumps"])
    assert found["asked_by"] == ["pumps"]


@pytest.mark.parametrize(
    ("config", "problem"),
    [({"min_sources": 3}, "2 of 2 cited"), ({"min_publishers": 3}, "2 independent publishers")],
)
async def test_too_few_sources_are_noted_in_the_report(
    runs: Harness, config: dict[str, Any], problem: str
) -> None:
    found, text = await validated(runs, **config)
    assert found["verdict"] == "insufficient"
    assert problem in found["problems"][0]
    assert "Note: I could not reliably retrieve enough live sources" in text
    assert problem in text


@pytest.mark.full
async def test_unreachable_old_and_undated_sources_do_not_count(runs: Harness) -> None:
    runs.fakes.statuses["https://example.org/0"] = 404
    found, _ = await validated(runs)
    assert [(s["status"], s["counts"]) for s in found["sources"]] == [(404, False), (200, True)]
    runs.fakes.statuses.clear()

    def silent(kind: str, request: Any) -> None:
        if kind == "probe" and request.url.endswith("/1"):
            raise ApplicationError("gone", type="fetch-refused", non_retryable=True)

    runs.fakes.before = silent
    found, _ = await validated(runs)
    assert [(s["status"], s["counts"]) for s in found["sources"]] == [(200, True), (None, False)]
    runs.fakes.before = lambda kind, request: None
    runs.fakes.published = (TODAY - timedelta(days=30)).isoformat()
    found, _ = await validated(runs, max_age_days=29)
    assert [(s["age_days"], s["counts"]) for s in found["sources"]] == [(30, False)] * 2
    runs.fakes.published = None
    found, _ = await validated(runs)
    assert [(s["age_days"], s["counts"]) for s in found["sources"]] == [(None, False)] * 2


async def test_changed_page_is_noted_and_still_counts(
    runs: Harness,
) -> None:
    runs.fakes.changed = {"https://example.org/1"}
    found, text = await validated(runs)
    assert found["verdict"] == "passed"
    assert [(s["position"], s["changed"]) for s in found["sources"]] == [(1, False), (2, True)]
    assert "- Page 1 — Publisher 1" in text
    assert text.count("has changed since it was read") == 1
    assert "1>: *(" not in text
    assert "*(has changed since it was read; what is quoted stood there)*\n" in text
    assert "unsupported" not in text


async def test_credibility_notes_are_not_sent_to_models(
    runs: Harness,
) -> None:
    runs.fakes.notes = ["states no date"]
    runs.fakes.answers["DraftVerdict"] = {"met": True, "quote": "Pumps sell.", "reason": ""}
    found, text = await validated(runs, rules=["It says whether pumps sell."], max_age_days=1)
    assert found["verdict"] == "passed"
    assert text.count("*(states no date)*") == 2
    assert runs.fakes.requests
    for request in runs.fakes.requests:
        assert "states no date" not in request.model_dump_json()


async def test_missing_outline_section_is_a_problem(runs: Harness) -> None:
    plan: Any = runs.fakes.answers["PlanDraft"]
    runs.fakes.answers["PlanDraft"] = {**plan, "outline": ["Market", "Risks"]}
    found, text = await validated(runs)
    assert found["missing_headings"] == ["Risks"]
    assert "“Risks” is missing" in text


@pytest.mark.parametrize(
    ("quote", "met"), [("Pumps  sell.", True), ("Pumps are loved.", False), ("", False)]
)
async def test_rule_is_met_only_by_a_sentence_of_the_report(
    runs: Harness, quote: str, met: bool
) -> None:
    runs.fakes.answers["DraftVerdict"] = {"met": True, "quote": quote, "reason": ""}
    found, _ = await validated(runs, rules=["It says whether pumps sell."])
    assert [(r["met"], r["quote"]) for r in found["rules"]] == [(met, quote)]
    assert found["verdict"] == ("passed" if met else "insufficient")
    [request] = [r for r in runs.fakes.requests if r.role == "validator"]
    assert "It says whether pumps sell." in request.messages[0].content[0].inputs[0].text


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

"""A second reader's word on claims: what it denies is unsupported, what it leaves out is unjudged."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from temporalio.client import Client
from temporalio.exceptions import ApplicationError

from contracts.report.research import Report
from contracts.runs.records import PhaseRecord
from tests.workflows.support.memory_step_cache import Remembering
from tests.workflows.support.run_harness import Harness, harness
from workflows.agents.verification import CLAIMS_PER_CALL

CITED: Any = [{"source": 1, "quote": "Pumps sell."}]
MANY = CLAIMS_PER_CALL + 2


@pytest.fixture
async def runs(temporal: Client) -> AsyncIterator[Harness]:
    async with harness(temporal, Remembering(hours=24)) as made:
        claims = [{"text": f"Pump {n} sells.", "citations": CITED} for n in range(MANY)]
        made.fakes.answers["Questions"] = {"questions": []}
        made.fakes.answers["ShortAnswer"] = {"title": "Pumps", "claims": claims}
        yield made


async def report(runs: Harness) -> Report:
    handle = await runs.start(definition_id="web_answer")
    assert (await handle.result()).status == "completed"
    return Report.model_validate((record(runs).output or {})["report"])


def record(runs: Harness) -> PhaseRecord:
    return [p for batch in runs.fakes.batches for p in batch.phases if p.id == "synthesis"][-1]


async def test_what_the_judge_denies_is_unsupported(runs: Harness) -> None:
    denied = {"claim": 2, "entailed": False, "reason": "another pump"}
    kept = [{"claim": n, "entailed": True} for n in range(1, CLAIMS_PER_CALL + 1) if n != 2]
    runs.fakes.answers["Entailments"] = {"verdicts": [denied, *kept]}
    made = await report(runs)
    [section] = made.sections
    flagged = [(n, c.reason) for n, c in enumerate(section.claims) if c.verdict == "unsupported"]
    assert flagged == [(1, "another pump"), (CLAIMS_PER_CALL + 1, "another pump")], (
        "two calls, two words"
    )
    assert (made.claims_unsupported, made.claims_unjudged) == (2, 0)
    assert "(unsupported: another pump)" in made.markdown
    assert record(runs).cache_key
    told = runs.fakes.told("judge", "claims")
    assert len(told) == 2
    assert "Pump 26 sells." in told[1]


async def test_what_is_not_judged_is_counted(runs: Harness) -> None:
    def spent(kind: str, request: Any) -> None:
        if kind == "model" and request.scope.name == "judge-2":
            raise ApplicationError("no more", type="budget-exceeded", non_retryable=True)

    runs.fakes.before = spent
    made = await report(runs)
    assert (made.claims_unsupported, made.claims_unjudged) == (0, MANY - 1)
    assert f"{MANY - 1} (96%) were left unjudged" in made.markdown
    assert record(runs).cache_key is None, "no later run is to do with less"

"""Reports that answer a similar question: of the same user, with the same terms, validated, recent."""

from typing import Any

import pytest

from contracts.base import Json
from contracts.phases.recall import FinishedReport
from contracts.planning.startup_company import Startup
from contracts.runs.start import Opened
from store.postgres.pool import Pool
from store.reuse.semantic_cache import QuestionRepository
from store.run_records.runs import RunRepository
from tests.store.samples import artifact, batch, opened, phase, similar, source, started
from tests.support.databases import fetch_as_owner

REPORT: Json = {"title": "Pumps", "sections": [], "claims_total": 1, "claims_unsupported": 0}
VALIDATED: Json = {"report": REPORT, "validation": {"verdict": "passed"}}
STARTUP = Startup(id="s", name="Pumps")


async def answered(
    runs: RunRepository, run_id: str, output: Json = VALIDATED, **changes: Any
) -> None:
    """Have a run end with a report."""
    ending = {
        "status": "completed",
        "ended_at": "2999-01-01T00:00:00+00:00",
        "phases": [phase("validation", output=output)],
        "sources": [source(1)],
        "artifacts": [artifact(1)],
    }
    await runs.record(batch(run_id, 1, **ending | changes))


class Asking:
    """Runs of one user with the same question."""

    def __init__(self, pool: Pool, user_id: str) -> None:
        self.pool, self.user_id = pool, user_id
        self.runs, self.questions = RunRepository(pool), QuestionRepository(pool)

    async def asks(
        self,
        run_id: str,
        vector: tuple[float, ...] = (1, 0),
        embedder: str = "e",
        made: Opened | None = None,
        **request: Any,
    ) -> None:
        given = {"user_id": self.user_id, **request}
        await self.runs.create(started(f"{self.user_id}-{run_id}", **given), made or opened())
        tenant = request.get("tenant_id", "default")
        await self.questions.save_embedding(
            tenant, f"{self.user_id}-{run_id}", embedder, list(vector)
        )

    async def answered(self, run_id: str, output: Json = VALIDATED, **changes: Any) -> None:
        await answered(self.runs, f"{self.user_id}-{run_id}", output, **changes)

    async def finds(
        self, startup: Startup | None = None, hours: int = 24, tenant: str = "default", **asked: Any
    ) -> list[str]:
        """Ask again, and return the runs that are found."""
        await self.asks("mine", **asked)
        mine = similar(f"{self.user_id}-mine", tenant, startup, hours)
        found = await self.questions.list_similar(mine, 0.95)
        return [before.run_id.removeprefix(f"{self.user_id}-") for before in found]


@pytest.fixture
def ann(pool: Pool, request: pytest.FixtureRequest) -> Asking:
    return Asking(pool, f"ann{abs(hash(request.node.name))}")


async def test_the_newest_validated_report_comes_first(ann: Asking) -> None:
    for name, day in (("a", "2999-01-01"), ("b", "2999-01-02")):
        await ann.asks(name)
        await ann.answered(name, ended_at=f"{day}T00:00:00+00:00")
    assert await ann.finds() == ["b", "a"]
    found = await ann.questions.find_report("default", f"{ann.user_id}-a", "reader")
    assert found
    assert found.report.title == "Pumps"
    assert (found.sources, found.artifacts) == ([source(1)], [artifact(1)])
    assert isinstance(found, FinishedReport)


@pytest.mark.parametrize(
    "asked",
    [
        {"vector": (0.9, 0.9)},
        {"vector": (1, 0, 0)},
        {"embedder": "another"},
        {"inputs": {"ticker": "ACME"}},
        {"until": "research"},
        {"user_id": "bob"},
        {"tenant_id": "other", "tenant": "other"},
        {"startup": STARTUP},
        {"made": opened().model_copy(update={"terms": opened().terms.model_copy(update={"model": "n"})})},
        {"made": opened().model_copy(update={"terms": opened().terms.model_copy(update={"roles": {"judge": "n"}})})},
    ],
    ids=lambda asked: next(iter(asked)),
)  # fmt: skip
async def test_what_differs_in_anything_is_not_found(ann: Asking, asked: dict[str, Any]) -> None:
    await ann.asks("a")
    await ann.answered("a")
    assert await ann.finds(**asked) == []


async def test_a_temporary_run_stands_for_no_question_and_finds_others(ann: Asking) -> None:
    await ann.asks("short", temp_workflow=True)
    await ann.answered("short")
    assert await ann.finds() == []
    await ann.asks("kept")
    await ann.answered("kept")
    assert await ann.finds() == ["kept"]
    await ann.asks("another", temp_workflow=True)
    found = await ann.questions.list_similar(similar(f"{ann.user_id}-another"), 0.95)
    assert [run.run_id for run in found] == [f"{ann.user_id}-kept"]


async def test_a_definition_that_was_changed_is_another(ann: Asking) -> None:
    """A preset keeps its version when a release changes it; an override changes it for a run."""
    await ann.asks("a")
    await ann.answered("a")
    resolved = opened().resolved
    changed = resolved.definition.model_copy(update={"consent": "more"})
    made = opened().model_copy(
        update={"resolved": resolved.model_copy(update={"definition": changed})}
    )
    assert await ann.finds(made=made) == []


@pytest.mark.parametrize(
    "ending",
    [
        {"status": "partial"},
        {"status": "failed"},
        {"ended_at": "2026-01-01T00:00:00+00:00"},
        {"phases": []},
        {"output": {**VALIDATED, "validation": {"verdict": "insufficient"}}},
        {"output": {**VALIDATED, "report": {**REPORT, "claims_total": 0}}},
        {"output": {**VALIDATED, "report": {**REPORT, "claims_unsupported": 1}}},
    ],
    ids=str,
)
async def test_what_is_not_validated_or_not_recent_is_not_found(
    ann: Asking, ending: dict[str, Any]
) -> None:
    await ann.asks("a")
    await ann.answered("a", **ending)
    assert await ann.finds() == []


async def test_it_is_found_however_often_it_is_asked_and_for_the_same_startup(ann: Asking) -> None:
    snapshot = {"startup": STARTUP.model_dump(mode="json") | {"last_accessed": "then"}}
    await ann.asks("a", budget=1.0, fresh=True)
    await ann.answered("a", snapshot=snapshot)
    used_since = STARTUP.model_copy(update={"last_accessed": "now"})
    assert await ann.finds(used_since) == ["a"]
    assert await ann.finds() == []
    assert await ann.finds(STARTUP.model_copy(update={"description": "Sea pumps"})) == []


async def test_a_deleted_run_is_forgotten(ann: Asking) -> None:
    await ann.asks("a")
    await ann.answered("a")
    assert await ann.finds() == ["a"]
    await fetch_as_owner(ann.pool, "DELETE FROM runs WHERE id = %(id)s", {"id": f"{ann.user_id}-a"})
    assert await ann.finds() == []
    assert await ann.questions.find_report("default", f"{ann.user_id}-a", "reader") is None

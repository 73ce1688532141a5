"""A run's question is kept, and a report on the same one is found; by the model and a service."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from temporalio.testing import ActivityEnvironment

from activities.integrations.embedder import LocalEmbedder, ServiceEmbedder
from activities.reuse.recall import Embedder, RecallActivities
from bench.semantic_cache import PAIRS, measure
from contracts.errors import EmbeddingFailed
from contracts.models.call import Scope
from contracts.notices import Notice
from contracts.phases.recall import (
    FinishedReport,
    ReportRequest,
    SimilarRequest,
    SimilarResult,
)
from store.postgres.pool import Pool
from store.reuse.semantic_cache import QuestionRepository
from store.run_records.runs import RunRepository
from tests.greenlight.terminal.app_server import AppServer
from tests.store.runs.test_semantic_cache import answered
from tests.store.samples import opened, started
from tests.support.databases import fetch_as_owner
from tests.support.words import en, pattern

ASKED = "What does Kenya export to Peru?"


@pytest.fixture
async def pool(database: str) -> AsyncIterator[Pool]:
    async with Pool(database) as pool:
        yield pool


@pytest.fixture(scope="module")
def model() -> Embedder:
    return LocalEmbedder()


async def asks(
    pool: Pool, embedder: Embedder, run_id: str, query: str, *, user_id: str = "ann"
) -> FinishedReport | None:
    """Open a run and look for a report on its question in the same words."""
    return (await compares(pool, embedder, run_id, query, user_id=user_id)).finished


async def compares(
    pool: Pool, embedder: Embedder, run_id: str, query: str, *, user_id: str = "ann"
) -> SimilarResult:
    """Open a run and look for reports that may answer its question."""
    await RunRepository(pool).create(started(run_id, query=query, user_id=user_id), opened())
    scope = Scope(run_id=run_id, phase_id="recall", attempt=1, name="similar")
    request = SimilarRequest(scope=scope, query=query, within_hours=24)
    activity = RecallActivities(QuestionRepository(pool), embedder).similar
    return await ActivityEnvironment().run(activity, request)


async def test_repeated_question_finds_its_report(pool: Pool, model: Embedder) -> None:
    assert await asks(pool, model, "first", ASKED) is None
    await answered(RunRepository(pool), "first")
    again = await asks(pool, model, "again", "what does kenya export to peru")
    assert again
    assert (again.run_id, again.query, again.report.title) == ("first", ASKED, "Pumps")
    assert [source.url for source in again.sources] == ["http://example.org/1"]
    assert await asks(pool, model, "turned", "What does Peru export to Kenya?") is None
    assert await asks(pool, model, "other", "What does Kenya export to Mali?") is None


@pytest.mark.parametrize(
    "said", ["wind🐘 in Kenya 🐘🐘", f"{'ab' * 80} in Kenya", "in Kenya 🧑\u200d🌾\ufe0f"]
)
async def test_word_that_the_model_cannot_read_says_nothing(model: Embedder, said: str) -> None:
    assert await model.embed(said) == pytest.approx(await model.embed("in Kenya"))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("🐘🐘", pattern("embed-no-words")),
        ("", pattern("embed-no-words")),
        ("tea " * 300, en("embed-long", n=256)),
    ],
)
async def test_question_that_has_no_vector_is_told(model: Embedder, said: str, told: str) -> None:
    with pytest.raises(EmbeddingFailed, match=told):
        await model.embed(said)


async def test_time_bound_question_is_found_only_on_its_day(pool: Pool, model: Embedder) -> None:
    asked = "What is the latest on tea in Kenya?"
    for run_id, query in (("day", asked), ("year", "What was new on tea in Kenya in 1998?")):
        await asks(pool, model, run_id, query)
        await answered(RunRepository(pool), run_id)
    assert await asks(pool, model, "day-again", asked)
    then = "UPDATE runs SET started_at = started_at - interval '1 day' WHERE id = ANY(%(ids)s)"
    await fetch_as_owner(pool, then, {"ids": ["day", "year"]})
    assert await asks(pool, model, "next-day", asked) is None
    assert await asks(pool, model, "next-year", "What was new on tea in Kenya in 1998?")


async def test_another_wording_is_a_candidate_and_another_question_is_none(
    pool: Pool, model: Embedder
) -> None:
    who: Any = {"user_id": "dora"}
    await asks(pool, model, "asked", "How many people live in Kenya?", **who)
    await answered(RunRepository(pool), "asked")
    found = await compares(pool, model, "reworded", "What is the population of Kenya?", **who)
    assert [(asked.run_id, asked.query) for asked in found.candidates] == [
        ("asked", "How many people live in Kenya?")
    ]
    assert found.finished is None
    for run_id, query in (
        ("before", "How many people lived in Kenya in 1990?"),
        ("elsewhere", "How many people live in Peru?"),
    ):
        assert await compares(pool, model, run_id, query, **who) == SimilarResult()


async def test_report_of_a_candidate_is_loaded_until_it_is_removed(
    pool: Pool, model: Embedder
) -> None:
    await asks(pool, model, "chosen", "What does Chad import?", user_id="eve")
    await answered(RunRepository(pool), "chosen")
    load = RecallActivities(QuestionRepository(pool), model).load_report
    found = await ActivityEnvironment().run(
        load, ReportRequest(tenant_id="default", run_id="chosen", reader="run")
    )
    assert found.finished
    assert found.finished.query == "What does Chad import?"
    gone = await ActivityEnvironment().run(
        load, ReportRequest(tenant_id="default", run_id="gone", reader="run")
    )
    assert gone == SimilarResult()


@pytest.mark.full
async def test_bench_decides_pairs_at_the_gates_of_a_run(tmp_path: Path) -> None:
    lines = PAIRS.read_text("utf-8").splitlines()
    file = tmp_path / "pairs.jsonl"
    file.write_text("\n".join(lines[::12]), "utf-8")
    outcomes = await measure([file], with_judge=False)
    assert sum(sum(found.values()) for found in outcomes.values()) == len(lines[::12])
    assert not any(
        found.get("same words") for kind, found in outcomes.items() if kind != "paraphrase"
    )
    assert sum(outcomes["paraphrase"].get(gate, 0) for gate in ("open", "same words")) >= 5


async def test_question_too_long_for_the_model_has_no_vector(model: Embedder) -> None:
    with pytest.raises(EmbeddingFailed, match=en("embed-long", n=256)):
        await model.embed("pumps and " * 200)


class Service:
    """An embedding service with scripted answers, which records its requests."""

    def __init__(self) -> None:
        self.status = 200
        self.body: Any = {"data": [{"embedding": [0.6, 0.8]}]}
        self.asked: list[Any] = []

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/v1/embeddings", self.answer, methods=["POST"])])

    async def answer(self, request: Request) -> JSONResponse:
        self.asked.append((await request.json(), request.headers.get("authorization")))
        return JSONResponse(self.body, self.status)


async def test_embedder_service_gets_an_openai_request() -> None:
    service = Service()
    with AppServer(service) as url:
        vector = await ServiceEmbedder(f"{url}/", "small", "key-1").embed("How many?")
    assert vector == [0.6, 0.8]
    assert service.asked == [({"model": "small", "input": "How many?"}, "Bearer key-1")]


async def test_embedder_service_failure_is_explained() -> None:
    service = Service()
    with AppServer(service) as url:
        for status, body in (
            (500, service.body),
            (401, service.body),
            (200, {"data": []}),
            (200, {"data": [{"embedding": []}]}),
            (200, {"data": [{"embedding": ["nan"]}]}),
            (200, ["odd"]),
        ):
            service.status, service.body = status, body
            with pytest.raises(EmbeddingFailed):
                await ServiceEmbedder(url, "small", "").embed("How many?")
    with pytest.raises(EmbeddingFailed):
        await ServiceEmbedder("http://127.0.0.1:9", "small", "").embed("How many?")


class Counting:
    """An embedder that notes what it reads, and cannot read everything."""

    name = "counting"

    def __init__(self) -> None:
        self.read: list[str] = []

    async def embed(self, text: str) -> list[float]:
        self.read.append(text)
        if text.startswith("Long"):
            raise EmbeddingFailed(Notice.of("embed-long", n=256))
        return [1.0, 0.0]


async def test_questions_are_embedded_only_if_one_is_comparable(pool: Pool) -> None:
    counting, asked = Counting(), "How many pumps does Togo import?"
    assert await asks(pool, counting, "lone", asked, user_id="bob") is None
    assert counting.read == []
    await answered(RunRepository(pool), "lone")
    for run_id in ("second", "third"):
        assert await asks(pool, counting, run_id, asked, user_id="bob")
    assert counting.read == [asked.rstrip("?")] * 3


async def test_unreadable_earlier_question_is_skipped(pool: Pool) -> None:
    counting = Counting()
    who: Any = {"user_id": "cy"}
    await asks(pool, counting, "unreadable", "Long ago, what did Benin import?", **who)
    await answered(RunRepository(pool), "unreadable")
    assert await asks(pool, counting, "after", "What does Benin import?", **who) is None
    with pytest.raises(EmbeddingFailed):
        await asks(pool, counting, "too", "Long question on what Benin imports", **who)

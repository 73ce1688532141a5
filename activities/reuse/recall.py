"""Recall: whether a user's earlier report answers the question again, or questions that a model must compare."""

from typing import TYPE_CHECKING, Protocol

from temporalio import activity

from contracts.errors import EmbeddingFailed
from contracts.phases.recall import (
    EarlierQuestion,
    ReportRequest,
    SimilarRequest,
    SimilarResult,
)
from domain.text_matching.question_match import find_difference, is_same_question, is_time_bound

if TYPE_CHECKING:
    from store.reuse.semantic_cache import QuestionRepository

MIN_COSINE = 0.80
"""Similarity of two questions from which they are compared; unrelated ones are rarely as close."""
MAX_CANDIDATES = 5
"""Questions that a model compares in one call."""

TRAILING = " \t\n?!."


class Embedder(Protocol):
    """A model that makes vectors of texts; vectors of one name alone can be compared."""

    name: str

    async def embed(self, text: str) -> list[float]:
        """Return a text's vector.

        Raises:
            EmbeddingFailed: No vector could be computed; retried.
        """


class RecallActivities:
    """Searches the semantic cache."""

    def __init__(self, questions: "QuestionRepository", embedder: Embedder) -> None:
        self._questions = questions
        self._embedder = embedder

    @activity.defn(name="recall.similar")
    async def similar(self, request: SimilarRequest) -> SimilarResult:
        """Return the report on the question in the same words, or questions that may ask the same.

        Vectors are made only if there is an earlier question to compare with.

        Raises:
            EmbeddingFailed: the question has no vector; retried.
        """
        query, tenant_id = request.query, request.scope.tenant_id
        await self._embed_missing(request)
        candidates: list[EarlierQuestion] = []
        for asked in await self._questions.list_similar(request, MIN_COSINE):
            if not asked.same_day and is_time_bound(query):
                continue
            if is_same_question(query, asked.query):
                finished = await self._questions.find_report(
                    tenant_id, asked.run_id, request.scope.run_id
                )
                return SimilarResult(finished=finished)
            if not find_difference(query, asked.query):
                candidates.append(EarlierQuestion(run_id=asked.run_id, query=asked.query))
        return SimilarResult(candidates=candidates[:MAX_CANDIDATES])

    @activity.defn(name="recall.report")
    async def load_report(self, request: ReportRequest) -> SimilarResult:
        """Return an earlier run's report; empty if the run was removed."""
        finished = await self._questions.find_report(
            request.tenant_id, request.run_id, request.reader
        )
        return SimilarResult(finished=finished)

    async def _embed_missing(self, request: SimilarRequest) -> None:
        """Compute missing vectors; an earlier question whose embedding fails is skipped."""
        scope, name = request.scope, self._embedder.name
        unread = await self._questions.list_unembedded(request, name)
        for run_id, query in unread.items():
            try:
                vector = await self._embedder.embed(query.rstrip(TRAILING))
            except EmbeddingFailed:
                if run_id == scope.run_id:
                    raise
                continue
            await self._questions.save_embedding(scope.tenant_id, run_id, name, vector)

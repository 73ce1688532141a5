"""The caches: a user's finished reports by their questions, phases' outputs by what they read."""

from typing import TYPE_CHECKING, Protocol

from pydantic import Field
from temporalio import activity

from contracts.base import Contract
from contracts.errors import EmbeddingFailed
from contracts.models.call import Scope
from contracts.phases.recall import FinishedReport
from contracts.principal import Principal
from contracts.report.research import Startup
from contracts.runs.request import FindRequest, FindResult
from domain.question_match import is_same_question, is_time_bound

if TYPE_CHECKING:
    from store.caches import QuestionRepository, StepCacheRepository

MIN_COSINE = 0.95
"""Similarity of two questions from which their words are compared."""

TRAILING = " \t\n?!."


class Embedder(Protocol):
    """A model that makes vectors of texts; vectors of one name alone can be compared."""

    name: str

    async def embed(self, text: str) -> list[float]:
        """Return a text's vector.

        Raises:
            EmbeddingFailed: there is no vector; retried.
        """


class SimilarRequest(Contract):
    """A request for an earlier report on a run's question."""

    scope: Scope
    query: str
    startup: Startup | None = None
    within_hours: int = Field(ge=1, description="how old a report may be")


class SimilarResult(Contract):
    """The newest report on the question; None if there is none."""

    finished: FinishedReport | None = None


class RecallActivities:
    """Searches the semantic cache."""

    def __init__(self, questions: "QuestionRepository", embedder: Embedder) -> None:
        self._questions = questions
        self._embedder = embedder

    @activity.defn(name="recall.similar")
    async def similar(self, request: SimilarRequest) -> SimilarResult:
        """Return the newest report on the same question.

        Vectors are made only if there is an earlier question to compare with.

        Raises:
            EmbeddingFailed: the question has no vector; retried.
        """
        scope, query = request.scope, request.query
        await self._embed_missing(request)
        close = await self._questions.list_similar(
            scope.tenant_id,
            scope.run_id,
            cosine=MIN_COSINE,
            within_hours=request.within_hours,
            startup=request.startup,
        )
        for asked in close:
            if is_same_question(query, asked.query) and (
                asked.same_day or not is_time_bound(query)
            ):
                finished = await self._questions.find_report(scope.tenant_id, asked.run_id)
                return SimilarResult(finished=finished)
        return SimilarResult()

    async def _embed_missing(self, request: SimilarRequest) -> None:
        """Make the missing vectors; an earlier question whose embedding fails is not found."""
        scope, name = request.scope, self._embedder.name
        unread = await self._questions.list_unembedded(
            scope.tenant_id,
            scope.run_id,
            embedder=name,
            within_hours=request.within_hours,
            startup=request.startup,
        )
        for run_id, query in unread.items():
            try:
                vector = await self._embedder.embed(query.rstrip(TRAILING))
            except EmbeddingFailed:
                if run_id == scope.run_id:
                    raise
                continue
            await self._questions.save_embedding(scope.tenant_id, run_id, name, vector)


class StepCacheActivities:
    """Reads the step cache; the recorder writes it."""

    def __init__(self, outputs: "StepCacheRepository") -> None:
        self._outputs = outputs

    @activity.defn(name="step_cache.find")
    async def find(self, request: FindRequest) -> FindResult:
        """Return the newest output that the same user's runs have under a key."""
        who = Principal(tenant_id=request.tenant_id, user_id=request.user_id)
        return FindResult(seed=await self._outputs.find(who, request.cache_key, request.run_id))

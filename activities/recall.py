"""The semantic cache: reports that other runs of the same user wrote on the same question."""

from typing import TYPE_CHECKING, Protocol

from pydantic import Field
from temporalio import activity

from contracts.base import Contract
from contracts.errors import EmbeddingFailed
from contracts.models.call import Scope
from contracts.phases.recall import FinishedReport
from contracts.report.research import Startup
from domain.question_match import is_same_question, is_time_bound

if TYPE_CHECKING:
    from store.questions import QuestionRepository

CLOSE = 0.95
"""The cosine that two questions must pass before their words are compared."""

ENDS = " \t\n?!."


class Embedder(Protocol):
    """What makes vectors of texts; those of one name can be compared."""

    name: str

    async def embed(self, text: str) -> list[float]:
        """Return a text's vector; raises EmbeddingFailed."""


class SimilarRequest(Contract):
    """A run's question, to be looked for among those of earlier runs."""

    scope: Scope
    query: str
    startup: Startup | None = None
    within_hours: int = Field(ge=1, description="how old a report may be")


class SimilarResult(Contract):
    """The report that answers a question already, if there is one."""

    finished: FinishedReport | None = None


class RecallActivities:
    """Compares questions."""

    def __init__(self, questions: "QuestionRepository", embedder: Embedder) -> None:
        self._questions = questions
        self._embedder = embedder

    @activity.defn(name="recall.similar")
    async def similar(self, request: SimilarRequest) -> SimilarResult:
        """Return the newest report on the same question.

        Vectors are made when there is something to compare: a user's first question needs none.

        Raises:
            EmbeddingFailed: there is no vector to be had.
        """
        scope, query = request.scope, request.query
        await self._read(request)
        close = await self._questions.close_to(
            scope.tenant_id,
            scope.run_id,
            cosine=CLOSE,
            within_hours=request.within_hours,
            startup=request.startup,
        )
        for asked in close:
            if is_same_question(query, asked.query) and (
                asked.same_day or not is_time_bound(query)
            ):
                finished = await self._questions.finished(scope.tenant_id, asked.run_id)
                return SimilarResult(finished=finished)
        return SimilarResult()

    async def _read(self, request: SimilarRequest) -> None:
        """Make the vectors that are missing; an earlier question that gets none is not found."""
        scope, name = request.scope, self._embedder.name
        unread = await self._questions.unread(
            scope.tenant_id,
            scope.run_id,
            embedder=name,
            within_hours=request.within_hours,
            startup=request.startup,
        )
        for run_id, query in unread.items():
            try:
                vector = await self._embedder.embed(query.rstrip(ENDS))
            except EmbeddingFailed:
                if run_id == scope.run_id:
                    raise
                continue
            await self._questions.keep(scope.tenant_id, run_id, name, vector)

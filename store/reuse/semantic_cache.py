"""Validated reports by their questions as vectors: which of them answers what a run asks."""

from typing import LiteralString

from contracts.phases.recall import EarlierQuestion, FinishedReport, SimilarRequest
from store.postgres.encoding import encode
from store.postgres.pool import Repository
from store.run_records.runs import ARTIFACTS, SOURCES


class SimilarQuestion(EarlierQuestion):
    """A question that an earlier run answered, perhaps on the day of the run that asks."""

    same_day: bool


VALIDATED: LiteralString = """r.status = 'completed' AND EXISTS (
    SELECT FROM phase_executions p
    WHERE (p.tenant_id, p.run_id) = (r.tenant_id, r.id)
    AND p.body #>> '{output,validation,verdict}' IN ('passed', 'not_needed')
    AND (p.body #>> '{output,report,claims_total}')::int > 0
    AND (p.body #>> '{output,report,claims_unsupported}')::int = 0)"""
"""The run's report makes claims, all are supported, and validation passed."""

BESIDE: LiteralString = (
    "'{query,fresh,batch,budget,save_startup,temp_workflow,definition_id,version}'::text[]"
)
"""Request fields in which two starts may differ and still ask for the same report."""

KEPT: LiteralString = "'{created_at,last_accessed}'::text[]"
"""Fields of a startup that the store sets."""

ALIKE: LiteralString = f"""FROM runs mine JOIN runs r
    USING (tenant_id, user_id, definition_id, definition_version)
    WHERE (tenant_id, mine.id) = (%(tenant)s, %(run)s) AND r.id <> mine.id
    AND r.ended_at > now() - make_interval(hours => %(hours)s) AND {VALIDATED}
    AND NOT r.temporary
    AND r.request - {BESIDE} = mine.request - {BESIDE}
    AND r.opened #> '{{resolved,definition}}' = mine.opened #> '{{resolved,definition}}'
    AND r.opened #> '{{terms,model}}' = mine.opened #> '{{terms,model}}'
    AND r.opened #> '{{terms,roles}}' = mine.opened #> '{{terms,roles}}'
    AND r.opened #> '{{terms,offline}}' = mine.opened #> '{{terms,offline}}'
    AND r.opened #> '{{terms,recorded}}' IS NOT DISTINCT FROM mine.opened #> '{{terms,recorded}}'
    AND nullif(r.snapshot -> 'startup', 'null') - {KEPT}
        IS NOT DISTINCT FROM nullif(%(startup)s::jsonb, 'null') - {KEPT}"""
"""Matches runs `r` whose report answers run `mine`, provided both questions mean the same."""


SHARE: LiteralString = """refer_to_blobs(r.tenant_id, %(reader)s, ARRAY(
    SELECT key FROM blob_references b WHERE (b.tenant_id, b.holder) = (r.tenant_id, r.id)))"""
"""Makes the reading run refer to all blobs of run `r`; false if one of them was removed meanwhile."""


class QuestionRepository(Repository):
    """Keeps the embeddings of questions with their runs and finds similar ones."""

    async def save_embedding(
        self, tenant_id: str, run_id: str, embedder: str, vector: list[float]
    ) -> None:
        """Save the embedding of a run's question; only those of one embedder are compared."""
        await self._fetch(
            "UPDATE runs SET embedder = %(embedder)s, embedding = %(vector)s::vector"
            " WHERE (tenant_id, id) = (%(tenant)s, %(run)s)",
            {"tenant": tenant_id, "run": run_id, "embedder": embedder, "vector": encode(vector)},
        )

    async def list_unembedded(self, request: SimilarRequest, embedder: str) -> dict[str, str]:
        """Return the questions without an embedding by run id, the run's own question first.

        Return nothing if no earlier run could answer it.
        """
        found = await self._fetch(
            f"""
            WITH alike AS (SELECT r.id {ALIKE} ORDER BY r.ended_at DESC LIMIT 20)
            SELECT jsonb_build_array(id, request ->> 'query') FROM runs
            WHERE tenant_id = %(tenant)s AND (embedding IS NULL OR embedder <> %(embedder)s)
                AND id IN (SELECT id FROM alike
                    UNION ALL SELECT %(run)s WHERE EXISTS (SELECT FROM alike))
            ORDER BY id = %(run)s DESC
            """,
            _bind_alike(request) | {"embedder": embedder},
        )
        return dict(found)

    async def list_similar(self, request: SimilarRequest, cosine: float) -> list[SimilarQuestion]:
        """Return earlier questions whose cosine similarity exceeds `cosine`, the most similar and newest first.

        Only runs count that match in everything else: user, the definition with all its settings, inputs,
        startup and model.
        """
        found = await self._fetch(
            f"""
            SELECT jsonb_build_object(
                'run_id', r.id, 'query', r.request ->> 'query',
                'same_day', r.started_at::date = mine.started_at::date)
            {ALIKE} AND r.embedder = mine.embedder
            AND CASE WHEN vector_dims(r.embedding) = vector_dims(mine.embedding)
                THEN 1 - (r.embedding <=> mine.embedding) > %(cosine)s ELSE false END
            ORDER BY (r.embedding <=> mine.embedding)::real, r.ended_at DESC LIMIT 20
            """,
            _bind_alike(request) | {"cosine": cosine},
        )
        return [SimilarQuestion.model_validate(row) for row in found]

    async def find_report(self, tenant_id: str, run_id: str, reader: str) -> FinishedReport | None:
        """Return a run's validated report, and record that the `reader` run refers to its pages.

        Return None if the run was removed.
        """
        found = await self._fetch(
            f"""
            SELECT jsonb_build_object('run_id', r.id, 'query', r.request ->> 'query', 'ended_at', r.ended_at,
                'report', p.body #> '{{output,report}}', 'sources', {SOURCES}, 'artifacts', {ARTIFACTS})
            FROM runs r JOIN phase_executions p ON (p.tenant_id, p.run_id) = (r.tenant_id, r.id)
            WHERE (r.tenant_id, r.id) = (%(tenant)s, %(run)s)
            AND p.body #> '{{output,validation}}' IS NOT NULL AND {SHARE} LIMIT 1
            """,
            {"tenant": tenant_id, "run": run_id, "reader": reader},
        )
        return FinishedReport.read_record(found[0]) if found else None


def _bind_alike(request: SimilarRequest) -> dict[str, object]:
    """Return the parameters of `ALIKE`."""
    scope, startup = request.scope, encode(request.startup)
    run = {"tenant": scope.tenant_id, "run": scope.run_id}
    return {**run, "hours": request.within_hours, "startup": startup}

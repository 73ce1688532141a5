"""Search in own documents: candidates by their words, ranked by the shared core."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from activities.call_pool import Runner
from contracts.collections import Candidate, Candidates, RankedDocument
from contracts.evidence.sources import FoundPassage
from domain.retrieval.passages import find_passages
from domain.retrieval.ranking import (
    NAME_SCORE,
    CorpusStatistics,
    RowKey,
    count_row,
    group_rows,
    rank,
    score_rows,
)
from domain.retrieval.rows import Row
from domain.retrieval.terms import list_terms, make_tsquery, parse_query

if TYPE_CHECKING:
    from store.collections.index import IndexRepository

TEXT_SHARE = 0.3
"""What a term in a row's text usually scores; by it and the names' terms candidates are chosen."""


class OwnDocumentSearch:
    """Finds the documents of some scopes that answer a query best."""

    def __init__(self, index: "IndexRepository", run: Runner) -> None:
        self._index = index
        self._run = run

    async def search(
        self, tenant_id: str, scopes: Sequence[str], query: str, documents: int
    ) -> list[RankedDocument]:
        """Return documents with their best passages, best first."""
        terms = parse_query(query).terms
        if not terms or not scopes:
            return []
        within = make_tsquery(f"@{scope}" for scope in scopes)
        weights = {term: TEXT_SHARE * weight for term, weight in terms.items()}
        weights |= {
            f"#{term}": (NAME_SCORE - TEXT_SHARE) * weight for term, weight in terms.items()
        }
        queries = {term: f"({within}) & {make_tsquery([term])}" for term in weights}
        found = await self._index.search(tenant_id, scopes, weights, queries)
        return await self._run(
            rank_candidates,
            *(query, found, documents),
            task="searching own documents",
            tenant=tenant_id,
        )


def rank_candidates(query: str, found: Candidates, documents: int) -> list[RankedDocument]:
    """Return the documents of the best rows, each with a passage of each of these rows."""
    asked = parse_query(query)
    statistics = CorpusStatistics(found.rows, found.average_length, found.frequencies)
    rows: dict[RowKey[str], Candidate] = {
        (row.document_id, row.position): row for row in found.candidates
    }
    counted = {key: count_row(row.name, row.head, row.text) for key, row in rows.items()}
    scores = score_rows(asked, counted, statistics)
    ranked = []
    for document, numbers in group_rows(rank(scores), documents).items():
        passages = []
        for number in numbers:
            row = rows[document, number]
            whole = Row(row.start, row.stop, row.page, row.head, row.text)
            name = frozenset(list_terms(row.name))
            passages += [
                FoundPassage(page=one.page, start=one.start, heading=one.heading, text=one.text)
                for one in find_passages(whole, asked, weigh=statistics.weigh, name=name)
            ]
        ranked.append(RankedDocument(document_id=document, passages=passages))
    return ranked

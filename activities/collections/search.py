"""Search in users' documents: candidates by words, ranked by the shared core."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from activities.confined.call_pool import Runner
from contracts.collections import Candidates, FoundRow, RankedDocument, RankedRows
from contracts.evidence.sources import FoundPassage
from domain.retrieval.document_rows import Row
from domain.retrieval.row_passages import find_passages
from domain.retrieval.row_ranking import (
    NAME_SCORE,
    CorpusStatistics,
    RowKey,
    RowTerms,
    group_rows,
    rank,
    score_rows,
)
from domain.retrieval.search_words import list_terms, make_tsquery, parse_query

if TYPE_CHECKING:
    from store.collections.index import IndexRepository

TEXT_SHARE = 0.3
"""Typical score of a term in a row's text; with the names' terms it selects candidates."""
NEAR_RANKS = 6
"""Rows up to this rank all contribute a passage; documents further down contribute one."""


class OwnDocumentSearch:
    """Finds the documents of some scopes that answer a query best."""

    def __init__(self, index: "IndexRepository", run: Runner) -> None:
        self._index = index
        self._run = run

    async def search(
        self, tenant_id: str, scopes: Sequence[str], query: str, documents: int
    ) -> list[RankedDocument]:
        """Return documents with their best passages, best first."""
        found = await self.find(tenant_id, scopes, query)
        if not found.candidates:  # starting a process would take seconds for nothing
            return []
        task = {"task": "searching own documents", "tenant": tenant_id}
        ranked = await self._run(rank_candidates, query, found, documents, **task)
        rows = await self._index.read(tenant_id, ranked)
        statistics = found.model_copy(update={"candidates": []})
        return await self._run(choose_passages, query, statistics, ranked, rows, **task)

    async def find(self, tenant_id: str, scopes: Sequence[str], query: str) -> Candidates:
        """Return the rows that may answer a query."""
        terms = parse_query(query).terms
        if not terms or not scopes:
            return Candidates(rows=0, average_length=1, frequencies={}, candidates=[])
        within = make_tsquery(f"@{scope}" for scope in scopes)
        weights = {term: TEXT_SHARE * weight for term, weight in terms.items()}
        weights |= {
            f"#{term}": (NAME_SCORE - TEXT_SHARE) * weight for term, weight in terms.items()
        }
        queries = {term: f"({within}) & {make_tsquery([term])}" for term in weights}
        return await self._index.search(tenant_id, scopes, weights, queries)


def rank_candidates(query: str, found: Candidates, documents: int) -> list[RankedRows]:
    """Return the best rows by their documents, best first: of later documents one, of earlier ones more."""
    ranking = rank_found(query, found)
    near = set(ranking[:NEAR_RANKS])
    best = group_rows(ranking, documents)
    positions = {
        document: [place for place in places if (document, place) in near] or places[:1]
        for document, places in best.items()
    }
    return [RankedRows(document_id=each, positions=rows) for each, rows in positions.items()]


def rank_found(query: str, found: Candidates) -> list[RowKey[str]]:
    """Return the rows that were found, best first."""
    rows: dict[RowKey[str], RowTerms] = {
        (row.document_id, row.position): RowTerms(
            frozenset(list_terms(row.name)), row.head_terms, row.text_terms, row.length
        )
        for row in found.candidates
    }
    return rank(score_rows(parse_query(query), rows, _get_statistics(found)))


def choose_passages(
    query: str, found: Candidates, ranked: list[RankedRows], rows: list[FoundRow]
) -> list[RankedDocument]:
    """Return the documents of ranked rows, each with a passage of each of these rows."""
    asked, statistics = parse_query(query), _get_statistics(found)
    read = {(row.document_id, row.position): row for row in rows}
    chosen = []
    for each in ranked:
        passages = []
        for row in (read.get((each.document_id, position)) for position in each.positions):
            if row is None:
                continue
            whole = Row(row.start, row.stop, row.page, row.head, row.text)
            name = frozenset(list_terms(row.name))
            passages += [
                FoundPassage(page=one.page, start=one.start, heading=one.heading, text=one.text)
                for one in find_passages(whole, asked, weigh=statistics.weigh, name=name)
            ]
        if passages:
            chosen.append(RankedDocument(document_id=each.document_id, passages=passages))
    return chosen


def _get_statistics(found: Candidates) -> CorpusStatistics:
    return CorpusStatistics(found.rows, found.average_length, found.frequencies)

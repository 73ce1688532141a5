"""The price of documents that are known before the start."""

from workflows.start.cost_estimate import (
    LONG_DOCUMENT_SEARCHES,
    MAX_LONG_DOCUMENTS,
    count_known_sources,
)


def test_long_document_costs_several_searches_and_a_short_one_none() -> None:
    assert count_known_sources(2, [500, 20_000]) == 2
    assert count_known_sources(2, [500, 480_000]) == 2 + LONG_DOCUMENT_SEARCHES
    many = count_known_sources(0, [480_000] * 50)
    assert many == LONG_DOCUMENT_SEARCHES * MAX_LONG_DOCUMENTS

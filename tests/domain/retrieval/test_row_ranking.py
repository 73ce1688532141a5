"""The ranking of rows."""

from domain.retrieval.row_ranking import (
    RowKey,
    count_row,
    count_statistics,
    group_rows,
    rank,
    score_rows,
)
from domain.retrieval.search_words import parse_query, split_name

FILLER = " ".join(f"word{n}" for n in range(300))
PAGES: dict[RowKey[str], tuple[str, str]] = {
    ("ACME_2023_10K.pdf", 0): (
        "Table of contents",
        f"Table of contents. Balance sheets 60. {FILLER}",
    ),
    ("ACME_2023_10K.pdf", 7): (
        "ACME Inc. Consolidated balance sheets",
        f"Cash 12. Inventories 9. {FILLER}",
    ),
    ("ACME_2023_10K.pdf", 30): ("Notes", f"As the balance sheets show, ACME has leases. {FILLER}"),
    ("ACME_2022_10K.pdf", 7): (
        "ACME Inc. Consolidated balance sheets",
        f"Cash 8. Inventories 7. {FILLER}",
    ),
    ("OTHER_2023_10K.pdf", 7): ("Other Ltd. Consolidated balance sheets", f"Cash 5. {FILLER}"),
}
ROWS = {key: count_row(split_name(str(key[0])), *page) for key, page in PAGES.items()}


def search(text: str) -> list[RowKey[str]]:
    query = parse_query(text)
    return rank(score_rows(query, ROWS, count_statistics(ROWS.values(), query.terms)))


def test_page_with_the_heading_in_the_named_document_leads() -> None:
    assert search("ACME 2023 balance sheet")[0] == ("ACME_2023_10K.pdf", 7)
    assert search("ACME 2022 balance sheet")[0] == ("ACME_2022_10K.pdf", 7)
    assert search("Other 2023 statement of financial position")[0] == ("OTHER_2023_10K.pdf", 7)


def test_rows_without_a_term_are_left_out() -> None:
    assert search("submarines") == []
    assert ("OTHER_2023_10K.pdf", 7) not in search("inventories of acme")


def test_candidates_score_as_they_do_among_all_rows() -> None:
    query = parse_query("ACME 2023 inventories")
    statistics = count_statistics(ROWS.values(), query.terms)
    key: RowKey[str] = ("ACME_2023_10K.pdf", 7)
    alone = score_rows(query, {key: ROWS[key]}, statistics)
    assert alone[key] == score_rows(query, ROWS, statistics)[key]


def test_neighbour_of_a_good_row_gains() -> None:
    rows = {("d", n): count_row("", "", text) for n, text in enumerate(["pumps", "rows", "pumps"])}
    rows |= {("e", 0): count_row("", "", "pumps"), ("e", 5): count_row("", "", "rows pumps")}
    query = parse_query("pumps rows")
    scores = score_rows(query, rows, count_statistics(rows.values(), query.terms))
    assert scores["d", 0] > scores["e", 0]


def test_rows_are_grouped_into_documents_with_their_best_rows() -> None:
    ranking: list[RowKey[str]] = [("a", 4), ("b", 1), ("a", 2), ("c", 1), ("a", 9), ("a", 7)]
    assert group_rows(ranking, documents=2) == {"a": [4, 2, 9], "b": [1]}

"""The measurement of retrieval, on documents of a few pages."""

from pathlib import Path

import pytest

from bench.documents.collection import open_collection
from bench.documents.retrieval import (
    WAYS,
    find_evidence,
    index_texts,
    judge,
    open_as_asked,
    open_by_ranking,
    search_rows,
    write_queries,
)
from contracts.documents import PAGE_BREAK

TEXTS = {
    f"{name}_2022_10K": f"\n{PAGE_BREAK}\n".join(
        [
            f"{name} Corporation, annual report. Table of contents: balance sheets 3",
            f"Risk factors\n{name} depends on weather, on suppliers and on the price of copper in every market.",
            f"Consolidated balance sheets\nInventories of {name} at year end were {figure} and payables {figure}9",
        ]
    )
    for name, figure in (("Acme", "1,204"), ("Borealis", "3,310"))
}
QUESTION = {
    "doc_name": "Borealis_2022_10K",
    "company": "Borealis",
    "question": "Assume you are an analyst. What were the inventories of Borealis at the end of FY2022?"
    " Use the balance sheet.",
    "evidence": [
        {
            "evidence_text": "Inventories of Borealis at year end were 3,310 and payables 3,3109",
            "evidence_page_num": 2,
        }
    ],
}


def test_evidence_is_on_the_page_of_its_words() -> None:
    text = TEXTS["Borealis_2022_10K"]
    assert find_evidence(QUESTION, text) == {3}
    moved = {**QUESTION, "evidence": [{**QUESTION["evidence"][0], "evidence_page_num": 0}]}  # type: ignore[dict-item]
    assert find_evidence(moved, text) == {1, 3}


def test_searches_name_company_year_and_statement() -> None:
    library = index_texts(TEXTS)
    question, words, statement, rare = write_queries(QUESTION, library.frequencies)
    assert question == QUESTION["question"]
    assert words == "Borealis 2022 inventories end"
    assert statement == "Borealis 2022 consolidated balance sheet"
    assert "Borealis" not in rare


def test_shares_are_of_the_right_page_in_the_right_document() -> None:
    library = index_texts(TEXTS)
    found = judge(lambda text: search_rows(library, text), library, [QUESTION], open_as_asked)
    assert set(found) == set(WAYS)
    assert found["any"] == dict.fromkeys(
        ("doc@1", "doc@5", "doc@10", "page@5", "page@10", "shown", "evidence"), 100
    )
    nothing = judge(lambda _: [("Acme_2022_10K", 2)], library, [QUESTION], open_by_ranking)
    assert set(nothing["any"].values()) == {0}


@pytest.mark.full
async def test_collection_finds_the_row_that_memory_finds(tmp_path: Path) -> None:
    library = index_texts(TEXTS)
    files = [tmp_path / f"{name}.txt" for name in TEXTS]
    for path in files:
        path.write_text(TEXTS[path.stem])
    async with open_collection(files) as collection:
        *named, _ = write_queries(
            QUESTION, library.frequencies
        )  # without names, two pages have the same rank
        for query in named:
            ranked = await collection.rank(query)
            assert ranked[:1] == search_rows(library, query)[:1]
    assert len(collection.seconds) == 3
    assert collection.times["index"] > 0

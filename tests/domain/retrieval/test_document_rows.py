"""The rows of documents with and without pages."""

from contracts.documents import PAGE_BREAK, PageSection
from domain.retrieval.document_rows import MAX_PAGE_CHARS, PART_CHARS, Row, split_rows


def _check_offsets(text: str, rows: list[Row]) -> None:
    assert all(text[row.start : row.end] == row.text for row in rows)
    assert [row.start for row in rows] == sorted(row.start for row in rows)


def test_every_page_with_text_is_a_row() -> None:
    text = f"Cover\n{PAGE_BREAK}\n \n{PAGE_BREAK}\nBalance sheets\nCash 12\n"
    rows = split_rows(text)
    _check_offsets(text, rows)
    assert [(row.page, row.head, row.text) for row in rows] == [
        (1, "Cover", "Cover"),
        (3, "Balance sheets Cash 12", "Balance sheets\nCash 12"),
    ]


def test_long_page_is_several_rows_of_the_same_page() -> None:
    text = f"Front\n{PAGE_BREAK}\n" + "One more line of text.\n" * 2_000
    rows = split_rows(text)
    _check_offsets(text, rows)
    assert {row.page for row in rows[1:]} == {2}
    assert max(len(row.text) for row in rows) <= MAX_PAGE_CHARS
    assert all(row.text.endswith(".") for row in rows[1:])


def test_long_sections_are_cut_and_keep_their_heading() -> None:
    body = "A sentence about pumps. " * 200
    text = f"# Pumps\n\n{body}\n\n# Prices\n\n{body}"
    rows = split_rows(text)
    _check_offsets(text, rows)
    assert {row.head for row in rows} == {"Pumps", "Prices"}
    assert max(len(row.text) for row in rows) <= PART_CHARS
    assert all(row.page is None and row.text.endswith(".") for row in rows)
    assert sum(len(row.text.split()) for row in rows) == len(text.split())


def test_short_sections_share_a_row_and_all_head_it() -> None:
    text = "# A\n\nOne.\n\n# B\n\nTwo.\n"
    assert [(row.head, row.text) for row in split_rows(text)] == [("A / B", text.strip())]


def test_sections_without_marks_are_found_by_their_places() -> None:
    body = "Words of a sheet. " * 60
    text = f"{body}\n{body}"
    sections = [
        PageSection(heading="Sheet 1", start=0, end=len(body)),
        PageSection(heading="Sheet 2", start=len(body) + 1, end=len(text)),
    ]
    assert [row.head for row in split_rows(text, sections)] == ["Sheet 1", "Sheet 2"]


def test_text_without_spaces_or_words_ends() -> None:
    assert split_rows("") == split_rows("| - |\n" * 2_000) == []
    assert len(split_rows("x" * 10_000)) == 5


def test_head_of_a_page_has_no_marks_of_tables() -> None:
    text = f"Front\n{PAGE_BREAK}\n## Balance sheets\n\n| | 2023 |\n|---|---|\n| Cash | 12 |\n"
    assert split_rows(text)[1].head == "Balance sheets 2023 Cash 12"

"""Passages of a document are exact substrings of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offline.text.passages import HEADING_CHARS, split_passages

TABLE = """# Settings

| Setting | Staging | Production |
|---|---|---|
| work_mem | 16 MB | 64 MB |

Keep it low. It costs memory!"""


@given(st.text("ab A.|-#:;\n*_1"))
def test_every_passage_stands_in_its_text(text: str) -> None:
    lines = "\n".join(line.strip() for line in text.splitlines())
    assert all(passage.text in lines for passage in split_passages(1, text))


def test_nothing_has_no_passages() -> None:
    assert split_passages(1, "") == []


def test_a_row_of_a_table_names_its_columns() -> None:
    [row] = [passage for passage in split_passages(1, TABLE) if "|" in passage.text]
    assert row.plain == "Setting: work_mem; Staging: 16 MB; Production: 64 MB"


def test_prose_is_cut_into_sentences() -> None:
    assert [p.text for p in split_passages(1, TABLE)][-2:] == ["Keep it low.", "It costs memory!"]


def test_a_sentence_that_the_page_has_wrapped_is_one_passage() -> None:
    text = "The harbour of Porthaven handled 4,120 ships in\nthe year 2023.\nIts cranes are old."
    assert [passage.plain for passage in split_passages(1, text)] == [
        "The harbour of Porthaven handled 4,120 ships in the year 2023.",
        "Its cranes are old.",
    ]


def test_a_passage_knows_the_heading_above_it() -> None:
    text = f"# {'long ' * 99}\nOne.\n## Price\n| Plan | Price |\n|---|---|\n| Team | EUR 99 |\nTwo."
    above = [passage.above for passage in split_passages(1, text)]
    assert above == [f"# {'long ' * 99}"[:HEADING_CHARS], "| Plan | Price |", "## Price"]


@pytest.mark.parametrize(
    "text",
    [
        "Apple Inc. was founded in 1976.",
        "J. Smith spoke.",
        "It costs 3.5 dollars.",
        "No. 7 is red.",
    ],
)
def test_a_dot_within_a_sentence_does_not_end_it(text: str) -> None:
    assert [passage.text for passage in split_passages(1, text)] == [text]


def test_caption_of_a_table_is_no_sentence_and_a_line_with_a_colon_elsewhere_is() -> None:
    text = "Prices by return:\n\n| A | B |\n|---|---|\n| Water | 7 |\n\nNote this: it grew.\nAnd so:\nit fell."
    found = [passage.text for passage in split_passages(1, text)]
    assert found == ["| Water | 7 |", "Note this: it grew.", "And so:", "it fell."]

"""A document is cut into passages that stand in it to the letter."""

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


def test_a_row_of_a_table_knows_its_columns() -> None:
    [row] = [passage for passage in split_passages(1, TABLE) if passage.header]
    assert row.cells == {"Staging": "16 MB", "Production": "64 MB"}
    assert row.plain == "work_mem: Staging: 16 MB; Production: 64 MB"


def test_prose_is_cut_into_sentences() -> None:
    assert [p.text for p in split_passages(1, TABLE)][-2:] == ["Keep it low.", "It costs memory!"]


def test_a_sentence_that_the_page_has_wrapped_is_one_passage() -> None:
    text = "The harbour of Porthaven handled 4,120 ships in\nthe year 2023.\nIts cranes are old."
    assert [passage.plain for passage in split_passages(1, text)] == [
        "The harbour of Porthaven handled 4,120 ships in the year 2023.",
        "Its cranes are old.",
    ]


def test_a_line_with_a_colon_is_a_fact() -> None:
    [fact] = split_passages(1, "- **Price:** $990 (2024)")
    assert (fact.fact, fact.figures) == (("Price", "$990 (2024)"), ["$990"])


HEADED = """# Rivals

We watch them.

## Stockpilot

Costs EUR 99
```
# a comment
```
### Price
| Plan | Price |
|---|---|
| Team | EUR 99 |

## Invento
**Customers:**
They are 2,100 shops.
Support
It is from Vienna."""


def test_a_passage_knows_the_headings_above_it() -> None:
    found = {passage.plain: passage.headings for passage in split_passages(1, HEADED)}
    assert found["We watch them."] == ("# Rivals",)
    assert found["Costs EUR 99"] == found["a comment"] == ("# Rivals", "## Stockpilot")
    assert found["Team: Price: EUR 99"] == ("# Rivals", "## Stockpilot", "### Price")
    assert found["They are 2,100 shops."] == ("# Rivals", "## Invento", "**Customers:**")
    assert found["It is from Vienna."] == ("# Rivals", "## Invento", "Support")


def test_headings_are_bounded_whatever_their_length_and_number() -> None:
    text = "\n".join(f"{'#' * (1 + n % 6)} {'long ' * 99}{n}\nText {n}." for n in range(99))
    told = [passage.headings for passage in split_passages(1, text)]
    assert max(map(len, told)) <= 7
    assert max(len(line) for lines in told for line in lines) == HEADING_CHARS

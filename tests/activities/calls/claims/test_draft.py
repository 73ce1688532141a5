"""The Markdown of a drafted text, read as numbered sentences."""

import pytest

from activities.claims.draft import read_draft
from contracts.evidence.claims import DraftPart
from contracts.report.draft import DraftSentence

Told = tuple[str, int, str, int]


def told(text: str) -> list[Told]:
    """Return the sentences of a draft: words, part, its form, characters of the lead."""
    return [
        (each.text, each.part.number, each.part.form, each.lead_chars)
        for each in read_draft(text).sentences
        if each.part
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "**Prices.** Rents fell in 2023. Wages did not fall.",
            [
                ("Prices. Rents fell in 2023.", 1, "paragraph", 7),
                ("Wages did not fall.", 1, "paragraph", 0),
            ],
        ),
        (
            "**Prices**: rents fell.",
            [("Prices: rents fell.", 1, "paragraph", 7)],
        ),
        (
            "1. **By 18 December 2026**, ask him.",
            [("By 18 December 2026, ask him.", 1, "step", 20)],
        ),
        (
            "Rents *fell* in **all** towns\nof the south.\n\nWages did not.",
            [
                ("Rents fell in all towns of the south.", 1, "paragraph", 0),
                ("Wages did not.", 2, "paragraph", 0),
            ],
        ),
        (
            "1. **Archive:** set `wal_level=replica`, and `` a`b `` too.",
            [("Archive: set `wal_level=replica`, and `ab` too.", 1, "step", 8)],
        ),
        (
            "- **By May:** ask him. Then wait.\n- Ask her.\n\n1. Sign.",
            [
                ("By May: ask him. Then wait.", 1, "item", 7),
                ("Ask her.", 2, "item", 0),
                ("Sign.", 3, "step", 0),
            ],
        ),
        (
            "| Finding | Answer |\n|---|---|\n| Rents rise. | Stay out |\n",
            [("Rents rise: Stay out", 1, "row", 11)],
        ),
        (
            "### Prices\n\nRents fell.\n\nWages did not.",
            [
                ("Prices: Rents fell.", 1, "paragraph", 7),
                ("Wages did not.", 2, "paragraph", 0),
            ],
        ),
        ("> Rents fell in the south.", [("Rents fell in the south.", 1, "paragraph", 0)]),
        ("# Rents in the south", []),
        ("```\nRents fell.\n```\n\n---\n", []),
        ("", []),
    ],
)
def test_blocks_become_parts(text: str, expected: list[Told]) -> None:
    assert told(text) == expected


def test_a_long_beginning_in_bold_is_a_sentence_that_opens_its_paragraph() -> None:
    first, second = read_draft("**Rents fell in all of the south.** Wages did not.").sentences
    assert (first.text, first.opens) == ("Rents fell in all of the south.", True)
    assert (second.text, second.opens, second.part) == ("Wages did not.", False, first.part)


@pytest.mark.parametrize("label", ["**What we assume:**", "### What we assume:", "What we assume:"])
@pytest.mark.parametrize(
    "listed",
    [
        "- Rents fall.\n- Wages do not.",
        "1. Rents fall.\n2. Wages do not.",
        "| Question | Answer |\n|---|---|\n| Rents | fall. |\n| Wages | do not. |",
    ],
)
def test_a_few_words_above_a_list_or_table_are_its_label(label: str, listed: str) -> None:
    *items, after = read_draft(f"{label}\n\n{listed}\n\n- - -\n\nAsk him.").sentences
    assert [each.part and each.part.label for each in items] == ["What we assume:"] * 2
    assert "assume" not in " ".join(each.text for each in items)
    assert after.part
    assert after.part.label == ""


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("**Enter Ghana first.**\n\nWages did not fall.", "Enter Ghana first."),
        ("**Enter Ghana first.**", "Enter Ghana first."),
        ("**Rents fell by 7%.**\n\n- Wages did not.", "Rents fell by 7%."),
        ("### Rents fell by 7%\n\n- Wages did not.", "Rents fell by 7%: Wages did not."),
    ],
)
def test_bold_words_that_may_state_something_are_a_sentence(text: str, first: str) -> None:
    sentences = read_draft(text).sentences
    assert sentences[0].text == first
    assert not any(each.part and each.part.label for each in sentences)


def test_headings_of_the_second_level_name_the_sections() -> None:
    draft = read_draft("# Title\n\n## Prices\n\nRents fell.\n\n## Wages\n\nThey did not.")
    assert [each.heading for each in draft.sentences] == ["Prices", "Wages"]


def test_the_cells_of_the_table_that_compares_come_last() -> None:
    wide = "| | North | South |\n|---|---|---|\n| Rent | 7 | |\n| Wage | 9 | 5 |\n"
    draft = read_draft(f"{wide}\nRents fell.\n\n{wide}")
    head = ["", "North", "South"]
    first, second = (DraftPart(number=n, form="row", columns=head) for n in (2, 3))
    assert draft.sentences == [
        DraftSentence(text="Rents fell.", part=DraftPart(number=1)),
        DraftSentence(text="Rent: 7 | –", part=first, lead_chars=5),
        DraftSentence(text="Wage: 9 | 5", part=second, lead_chars=5),
        DraftSentence(text="7", row="Rent", column="North"),
        DraftSentence(text="9", row="Wage", column="North"),
        DraftSentence(text="5", row="Wage", column="South"),
    ]


def test_a_table_of_sentences_compares_nothing() -> None:
    [row] = read_draft(
        "| Question | Whom to ask | Stop if |\n|---|---|---|\n"
        "| Who pays? | The port, the ministry and ten of your customers \\| importers | Nobody at all signs a letter before May |"
    ).sentences
    told_of = "Who pays?: The port, the ministry and ten of your customers / importers | Nobody at all signs a letter before May"
    assert (row.text, row.lead_chars) == (told_of, 10)
    assert row.part
    assert row.part.columns == ["Question", "Whom to ask", "Stop if"]


def test_a_row_without_a_name_has_no_lead() -> None:
    [row] = read_draft("| | Answer |\n|---|---|\n| | Stay out |").sentences
    assert (row.text, row.lead_chars) == ("Stay out", 0)


def draw_table(name: str) -> str:
    return f"| {name} | Mali | Chad |\n|---|---|---|\n| Roads | 3 | 4 |\n\n"


@pytest.mark.parametrize(
    "text",
    [
        f"## Answer\n\nMali.\n\n{draw_table('Chosen')}## Why\n\n{draw_table('Example')}",
        f"## Answer\n\nMali.\n\n## Why\n\nAn example.\n\n{draw_table('Example')}## All\n\n{draw_table('Chosen')}",
        f"# Title\n\nMali.\n\n{draw_table('Chosen')}## Why\n\n{draw_table('Example')}",
        f"## Answer\n\nMali.\n\n## Why\n\nThus.\n\n{draw_table('Chosen')}{draw_table('Example')}",
    ],
)
def test_the_table_of_the_answer_or_alone_below_its_heading_compares(text: str) -> None:
    draft = read_draft(text)
    assert [(each.row, each.column) for each in draft.sentences[-2:]] == [
        ("Roads", "Mali"),
        ("Roads", "Chad"),
    ]
    rows = [each.part for each in draft.sentences if each.part and each.part.form == "row"]
    assert [part.columns[0] for part in rows] == ["Example"]


def test_names_of_rows_and_columns_are_without_the_backticks_of_code() -> None:
    text = "## A\n\n| By | `pump` | Pipe |\n|---|---|---|\n| `size` | `5` | 6 |\n"
    cells = [(each.row, each.column, each.text) for each in read_draft(text).sentences]
    assert cells == [("size", "pump", "`5`"), ("size", "Pipe", "6")]

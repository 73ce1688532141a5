"""Guidance in announcements of results, and risk factors that came and went."""

from random import Random

import pytest

from contracts.company.filings import Filing
from domain.company.filings.passages import (
    build_sections,
    compare_risks,
    find_guidance,
    locate_passages,
    render_passages,
)
from tests.domain.company.figures.companies import list_texts
from tests.support.words import de, en

RELEASE = Filing(form="8-K", accession="r", filed="2026-02-01")
OUTLOOK = """Kestrel grows
Revenue was $90 million, up 12%.
Financial Outlook:
Our guidance includes GAAP and non-GAAP financial measures.
The following table has our guidance for the first quarter of fiscal 2026:
|  | First quarter of fiscal 2026 | Growth |
| Product revenue | $100 - $104 million | 14% - 18% |
| Operating margin | 5% |  |
We expect capital expenditure of about $9 million in fiscal 2026.
Share Repurchase Program
The board approved $40 million.
"""
WORDS = [f"{first}{last}" for first in ("cost", "demand", "law") for last in "abcdefghijklmnop"]
SENTENCES = """Results
"We expect revenue of $100 to $104 million in the first quarter," said the chief. Margins rose to 5%.
For fiscal 2026 the company anticipates growth.
This release has forward-looking statements: it expects 9 risks.
"""


def test_guidance_is_what_stands_with_a_figure_below_its_heading() -> None:
    assert find_guidance(OUTLOOK) == [
        "| Product revenue | $100 - $104 million | 14% - 18% |",
        "| Operating margin | 5% |  |",
        "We expect capital expenditure of about $9 million in fiscal 2026.",
    ]


def test_without_a_heading_guidance_is_sentences_that_expect_a_figure() -> None:
    [told] = find_guidance(SENTENCES)
    assert told.startswith('"We expect revenue of $100 to $104 million')


def test_a_value_below_its_name_is_told_with_it() -> None:
    text = "FY26 Outlook\nNet sales\n\n$10 billion to $11 billion\nTax rate\napproximately 24.6%\n"
    assert find_guidance(text) == [
        "Net sales $10 billion to $11 billion",
        "Tax rate approximately 24.6%",
    ]
    passages = locate_passages(find_guidance(text), text, "guidance", 2, RELEASE)
    assert [text[p.start : p.end] for p in passages] == [p.quote for p in passages]
    assert len(passages) == 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Outlook",
        "We expect to grow.",
        "Guidance\nSee our website.\nIt was founded in 1999.",
        f"We expect {'very ' * 200}5%.",
        "Forward-looking statements: we expect 5% of them to be wrong.",
        "| " * 10_000,
    ],
)
def test_an_announcement_without_figures_to_expect_has_no_guidance(text: str) -> None:
    assert find_guidance(text) == []


def test_reworded_risk_factors_are_neither_new_nor_gone() -> None:
    old = ["We have a history of losses and may not be profitable.", "Our coal may not be sold."]
    new = [
        "We have a history of losses, and may never be profitable.",
        "AI may take our customers.",
    ]
    assert compare_risks(new, old) == (
        ["AI may take our customers."],
        ["Our coal may not be sold."],
    )
    assert compare_risks(old, old) == ([], [])


def test_as_many_long_risk_factors_as_are_read_are_compared() -> None:
    words = Random(1)
    old = [" ".join(words.choices(WORDS, k=35)) for _ in range(200)]
    new = [*(f"{heading} more" for heading in old[:150]), "AI may take our customers."]
    assert compare_risks(new, old) == (["AI may take our customers."], old[150:])


def test_a_quoted_row_is_told_without_the_marks_of_its_table() -> None:
    row = "| Product revenue | $100 - $104 million | 14% - 18% |"
    [section] = build_sections(locate_passages([row], row, "guidance", 1, RELEASE), "Kestrel Inc.")
    [claim] = section.claims
    assert claim.text == "Product revenue: $100 - $104 million, 14% - 18%."
    assert claim.citations[0].quote == row


def test_passages_are_quoted_with_their_filing_on_the_page_and_in_the_report() -> None:
    annual = RELEASE.model_copy(update={"form": "10-K", "filed": "2026-02-20"})
    text = "Item 1A.\nAI may take our customers.\nIt may."
    found = locate_passages(
        ["AI may take our customers.", "Nobody said so at all."], text, "risk added", 3, annual
    )
    of = {"form": "10-K", "company": "Kestrel Inc.", "filed": "2026-02-20"}
    heading = en("passages-risk-added", **of)
    assert list_texts(render_passages(found, "Kestrel Inc."))[1:] == [
        f"{heading}:",
        "- “AI may take our customers.”",
    ]
    [section] = build_sections(found, "Kestrel Inc.")
    assert section.heading == heading
    [german] = build_sections(found, "Kestrel Inc.", "de")
    assert german.heading == de("passages-risk-added", **of)
    [claim] = section.claims
    [citation] = claim.citations
    assert (citation.source, citation.quote) == (3, "AI may take our customers.")
    assert text[citation.start : citation.end] == citation.quote
    assert claim.is_supported

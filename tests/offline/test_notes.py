"""Notes about a business: what they say is told with its figures, tables and all."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from greenlight.offline.text.passages import passages
from tests.offline.conftest import serving
from tests.offline.walking import Research, Walker, claims_of

NOTES = {
    "memo.md": """# Board memo

Churn was 11.4 % in 2023, up from 8.9 % in 2022. Most of the rise came from small teams.

We raised the price of the Team plan from $49 to $59 in May 2023.""",
    "survey.txt": """Exit survey

We asked 312 customers why they went.
Of those who left, 41 % named price.""",
    "plans.md": """# Plans

| Plan | Price | Churn in 2023 |
|---|---|---|
| Solo | $19 | 14.2 % |
| Team | $59 | 12.1 % |

The Team plan includes single sign-on.""",
    "start.html": """<html><head><title>First steps</title></head><body><h1>First steps</h1>
<p>Customers who finished the first steps in a week churned at 5.1 % in 2023.</p></body></html>""",
    "office.md": "# Office\n\nThe rent of the office is 4,200 euros per month.",
}


@pytest.fixture
async def done(tmp_path: Path) -> AsyncIterator[Research]:
    for name, text in NOTES.items():
        (tmp_path / name).write_text(text)
    async with serving("--library", str(tmp_path)) as services:
        yield await Walker(services, "What do we know about our churn?", []).walk()


async def test_notes_lead_with_their_figures(done: Research) -> None:
    [section] = done.report.sections
    told = [claim.text for claim in section.claims]
    assert told[0] == "Churn was 11.4 % in 2023, up from 8.9 % in 2022."
    for figure in ("41 %", "5.1 %", "Churn in 2023: Solo 14.2 % and Team 12.1 %."):
        assert any(figure in text for text in told), figure
    assert not any("euros" in text for text in told)
    assert not section.missing
    assert done.unsupported() == []


async def test_headings_and_headers_are_no_claims(done: Research) -> None:
    claims = claims_of(done.report)
    assert not any("Plan |" in claim.text or "Board memo" in claim.text for claim in claims)
    assert not any(c.quote.startswith("#") for claim in claims for c in claim.citations)


async def test_a_table_in_a_note_stays_a_table(done: Research) -> None:
    table = done.report.comparison
    assert table
    assert table.columns == ["Solo", "Team"]
    told = {row.label: [cell and cell.text for cell in row.cells] for row in table.rows}
    assert told == {"Churn in 2023": ["14.2 %", "12.1 %"], "Price": ["$19", "$59"]}


async def test_a_question_on_what_is_known_is_no_choice(done: Research) -> None:
    assert done.plan.outline == ["Churn"]
    assert not any("udget" in question["question"] for question in done.questions)
    assert not any("count most" in question["question"] for question in done.questions)


def test_a_sentence_that_points_back_keeps_what_it_points_to() -> None:
    found = [p.text for p in passages(1, NOTES["survey.txt"])]
    assert (
        found[-1] == "We asked 312 customers why they went.\nOf those who left, 41 % named price."
    )


def test_a_sentence_over_two_lines_is_one_passage() -> None:
    text = "The board met in March and found that churn had\nrisen to 11.4 % in a single year."
    [found] = passages(1, text)
    assert found.text == text
    assert "\n" not in found.plain


def test_prices_never_stand_beside_shares() -> None:
    rows = "\n".join(f"| Plan {n} | {cell} |" for n, cell in enumerate(("$19", "12 %")))
    found = passages(1, f"| Plan | Churn |\n|---|---|\n{rows}")
    assert [p.plain for p in found] == ["Plan 0 — Churn: $19", "Plan 1 — Churn: 12 %"]


async def test_periods_of_a_table_stand_in_their_order(tmp_path: Path) -> None:
    rows = "\n".join(f"| Q{n} 2023 | {40 + n} | {n}.1 % |" for n in (2, 1, 3))
    table = f"---\nauthor: Ana\n---\n# Churn\n\n| Quarter | Lost | Churn |\n|:--|--:|--:|\n{rows}"
    (tmp_path / "quarters.md").write_text(table)
    async with serving("--library", str(tmp_path)) as services:
        done = await Walker(services, "How high is our churn?", []).walk()
    assert done.report.comparison
    assert done.report.comparison.columns == ["Q2 2023", "Q1 2023", "Q3 2023"]
    assert not any("Ana" in claim.text for claim in claims_of(done.report))
    assert done.unsupported() == []


async def test_a_document_on_the_topic_lends_it_to_its_sentences(tmp_path: Path) -> None:
    text = "# Interviews with former customers\n\nA bakery left because the export broke twice."
    (tmp_path / "interviews.md").write_text(text)
    async with serving("--library", str(tmp_path)) as services:
        done = await Walker(services, "Why do customers leave us?", []).walk()
    told = [claim.text for claim in claims_of(done.report)]
    assert told == ["A bakery left because the export broke twice."]

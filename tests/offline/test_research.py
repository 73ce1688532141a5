"""Whole pieces of research over the sample and over a folder, judged by the application's check."""

from pathlib import Path

import pytest

from tests.offline.conftest import Services, serving
from tests.offline.test_report import EGRET, HERON
from tests.offline.walking import Walker, claims_of


@pytest.mark.parametrize(
    ("question", "answers", "countries"),
    [
        (
            "Which of Kenya, Ethiopia and Tanzania should we enter first with solar irrigation pumps?",
            ["Ability to pay", "Small businesses", "Within a year"],
            ["Kenya", "Ethiopia", "Tanzania"],
        ),
        ("Is Brazil or Argentina better for wind power?", [], ["Brazil", "Argentina"]),
        ("I want to explore the AI market", ["Chatbots for schools", "Germany"], ["Germany"]),
        (
            "How large could a chain of clinics for families become in Vietnam by 2030?",
            [None, "$2 million"],
            ["Vietnam"],
        ),
    ],
)
async def test_countries_are_compared_by_what_bears_on_the_subject(
    services: Services, question: str, answers: list[str | None], countries: list[str]
) -> None:
    done = await Walker(services, question, answers).walk()
    assert 2 <= len(done.questions) <= 3
    assert {title.split(":")[0] for title in done.titles} == set(countries)
    table = done.report.comparison
    assert table
    assert table.columns == countries
    assert 6 <= len(table.rows) <= 10
    filled = [cell for row in table.rows for cell in row.cells if cell]
    assert len(filled) >= 0.9 * len(table.rows) * len(countries)
    assert len(claims_of(done.report)) > len(filled) + 5
    assert done.unsupported() == []
    assert {c.source for f in done.findings.findings for c in f.citations} <= set(
        range(1, len(done.texts) + 1)
    )
    assert done.turns <= 7


@pytest.mark.full
@pytest.mark.parametrize("answers", [[], ["Ability to pay", "Small businesses"]])
async def test_the_table_shows_what_the_question_names(
    services: Services, answers: list[str | None]
) -> None:
    question = (
        "Which of Kenya, Ethiopia and Tanzania should we enter first with solar irrigation pumps?"
    )
    done = await Walker(services, question, answers).walk()
    assert done.report.comparison
    labels = " | ".join(row.label for row in done.report.comparison.rows).lower()
    for measure in (
        "irrigated land",
        "solar",
        "agricult",
        "gdp per capita",
        "population",
        "electri",
    ):
        assert measure in labels
    figures = {row.label: [c and c.text for c in row.cells] for row in done.report.comparison.rows}
    assert figures["Irrigated land"] == [
        "1,030 sq km (2012)",
        "1,814 sq km (2020)",
        "1,840 sq km (2012)",
    ]


async def test_a_subject_the_library_lacks_is_reported_as_missing(services: Services) -> None:
    done = await Walker(services, "I want to explore the AI market", []).walk()
    assert done.texts == []
    assert done.report.comparison is None
    assert claims_of(done.report) == []
    assert all(section.missing for section in done.report.sections)


async def test_the_readers_own_notes_are_compared(tmp_path: Path) -> None:
    (tmp_path / "heron.md").write_text(HERON)
    (tmp_path / "egret.md").write_text(EGRET)
    (tmp_path / "soup.md").write_text("# Lentil soup\n\nCooking time: 40 minutes")
    async with serving("--library", str(tmp_path)) as services:
        done = await Walker(services, "Should we buy the Heron or the Egret drone?", []).walk()
        (tmp_path / "egret.md").unlink()
        less = await Walker(services, "Should we buy the Heron or the Egret drone?", []).walk()
    assert sorted(done.titles) == ["Egret drone", "Heron drone"]
    assert done.report.comparison
    assert done.report.comparison.columns == ["Heron", "Egret"]
    assert done.unsupported() == []
    assert less.titles == ["Heron drone"]
    assert not any("Egret" in claim.text for claim in claims_of(less.report))

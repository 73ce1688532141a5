"""Reports: figures side by side and sections, every word of it from the sources."""

import re
from typing import Any

import pytest

from contracts.base import get_answer_schema
from contracts.report.research import Report
from domain.report.report_claims import list_claims
from tests.offline.asking import instance

QUESTION = "Should we buy the Heron or the Egret drone?"
HERON = """# Heron drone

The Heron is a light drone made in Norway.

- **Price:** $990
- Flight time: 31 minutes
- Payload: 0.8 kg

Testers called the Heron quiet. Its price fell in 2023."""
EGRET = """# Egret drone

The Egret costs $700. Flight time: 27 minutes

| Payload | 1.2 kg |

Owners complain that the Egret is loud: a risk near houses."""
SOURCES = {"source-1": HERON, "source-2": EGRET}
PLAN = {"goal": "", "outline": ["In short", "Cost: price", "Flight time", "Noise", "Range at sea"]}


def report(question: str = QUESTION, **inputs: Any) -> Report:
    given = {"question": question, "plan": PLAN, **SOURCES, **inputs}
    return Report.model_validate(instance(get_answer_schema(Report), **given))


def quotes(made: Report) -> list[tuple[int, str]]:
    return [(c.source, c.quote) for claim in list_claims(made) for c in claim.citations]


def test_every_quote_stands_in_its_source() -> None:
    found = quotes(report())
    assert len(found) > 6
    assert all(quote in SOURCES[f"source-{number}"] for number, quote in found)


def test_figures_stand_side_by_side() -> None:
    table = report().comparison
    assert table
    assert table.columns == ["Heron", "Egret"]
    told = {row.label: [cell.text if cell else None for cell in row.cells] for row in table.rows}
    assert told["Payload"] == ["0.8 kg", "1.2 kg"]
    assert told["Price"] == ["$990", None]


def test_a_claim_says_no_figure_or_name_beyond_its_quotes() -> None:
    for section in report().sections:
        for claim in section.claims:
            proof = " ".join(citation.quote for citation in claim.citations)
            figures = re.findall(r"\d+(?:[.,]\d+)*", claim.text)
            names = re.findall(r"(?<!^)\b(?:Heron|Egret|Norway)\b", claim.text)
            assert all(part in proof for part in (*figures, *names))


def test_sections_follow_the_outline_and_own_up_to_gaps() -> None:
    sections = {section.heading: section for section in report().sections}
    assert list(sections) == PLAN["outline"]
    assert sections["Cost: price"].claims
    assert not sections["Range at sea"].claims
    assert "Range at sea" in sections["Range at sea"].missing


def test_a_removed_source_takes_its_sentences_along() -> None:
    made = report(**{"source-2": ""})
    assert "Egret" not in "".join(quote for _, quote in quotes(made))
    assert all(number == 1 for number, _ in quotes(made))


def test_without_sources_nothing_is_claimed() -> None:
    made = report(**dict.fromkeys(SOURCES, ""))
    assert made.comparison is None
    assert not any(section.claims for section in made.sections)
    assert all(section.missing for section in made.sections)


def test_lines_about_the_source_are_not_quoted() -> None:
    head = "url: http://host/heron\ntitle: Heron drone, 31 minutes\npublished: 2024-01-01\n\n"
    made = report(**{"source-1": head + HERON})
    assert not any("http" in quote or "published" in quote for _, quote in quotes(made))
    assert all(quote in HERON for number, quote in quotes(made) if number == 1)


def test_a_line_that_may_be_cut_off_is_not_quoted() -> None:
    long = HERON + "\n\n" + "The Heron flew again. " * 120 + "\n\nHeron, flight time at sea: 1"
    assert not any("at sea" in quote for _, quote in quotes(report(**{"source-1": long})))


def test_a_report_fits_the_room_there_is() -> None:
    long = "# Heron\n\n" + "\n".join(f"Price {n} of the Heron: ${n}" for n in range(300))
    schema = get_answer_schema(Report)
    made = instance(schema, question=QUESTION, plan=PLAN, **{"source-1": long})
    assert len(str(made)) < 8_000 * 4


@pytest.mark.parametrize("question", ["ペルー", "x", "Which drone is best?", "?"])
def test_any_question_gets_a_report(question: str) -> None:
    made = report(question)
    assert all(quote in SOURCES[f"source-{number}"] for number, quote in quotes(made))


def test_things_no_question_names_are_compared_by_their_titles() -> None:
    table = report("Which drone is best?").comparison
    assert table
    assert table.columns == ["Heron drone", "Egret drone"]

"""Sentences that a report's table has are details of its appendix; what draws on them stays clear and sourced."""

from typing import Any

import pytest

from contracts.evidence.claims import Citation, Claim
from contracts.report.document import Document, Paragraph
from contracts.report.report import Comparison, ComparisonRow, Report, Section
from domain.report.context import ReportContext
from domain.report.document_builder import build_document
from domain.report.parts.details import MAX_SENTENCES
from tests.support.sources import page

LANDS = ("Kenya", "Mali")
SOURCES = [page(f"http://{land}.test/", title=f"{land}: Land") for land in LANDS]


def said(text: str, *quotes: str, source: int = 1, **about: Any) -> Claim:
    cited = [Citation(source=source, quote=quote) for quote in quotes]
    return Claim.model_validate({"text": text, "citations": cited, "verdict": "supported"} | about)


def build(*claims: Claim, answer: str = "Enter Kenya.", searches: Any = ()) -> Document:
    """Return the document of an answer, a table of two cells, and a section of these claims."""
    cells = [said("9 %", "Kenya: 9 %"), said("4 %", "Mali: 4 %", source=2, rests_on=["mali"])]
    table = Comparison(
        columns=[f"{n}, 2024" for n in LANDS],
        rows=[ComparisonRow(label="Irrigated", cells=[*cells])],
    )
    opening = Section(heading="Answer", claims=[said(answer, rests_on=["ground"])])
    sections = [opening, Section(heading="Land", claims=[*claims])]
    report = Report(title="T", comparison=table, sections=sections, searches=searches)
    return build_document(report, ReportContext(SOURCES))


def list_texts(document: Document, part: str) -> list[str]:
    """Return the sentences of the section, or those of the appendix, each with its lead."""
    paragraphs = [b for b in getattr(document, part) if isinstance(b, Paragraph)]
    told = [f"{s.lead} {s.text}".strip() for block in paragraphs for s in block.sentences]
    return told[1:] if part == "blocks" else told


@pytest.mark.parametrize(
    ("claim", "is_detail"),
    [
        (said("Kenya irrigates 9 %.", "Kenya: 9 %"), True),
        (said("Kenya irrigates 9 % of 5 ha.", "Kenya: 9 %", "5 ha"), True),
        (said("Kenya irrigates 9 % of 5 of 6 ha.", "Kenya: 9 %", "5 ha", "6 ha"), False),
        (said("Kenya is dry.", "dry"), False),
        (said("Mali irrigates 4 %.", id="mali"), True),
        (said("Mali irrigates little.", id="mali"), False),
        (said("Kenya leads.", "Kenya: 9 %", rests_on=["kenya"]), False),
        (said("Kenya irrigates 9 %.", "Kenya: 9 %", verdict="partly"), False),
        (said("Kenya irrigates 9 %.", "Kenya: 9 %", id="ground"), True),
        (said("One book of 2024 has it.", "Kenya: 9 %", id="ground"), False),
    ],
)
def test_sentence_that_the_table_has_is_told_in_the_appendix_alone(
    claim: Claim, *, is_detail: bool
) -> None:
    document = build(said("It rains.", "rain"), claim)
    assert (claim.text in list_texts(document, "appendix")) is is_detail
    assert (claim.text in list_texts(document, "blocks")) is not is_detail
    draft = build(claim, searches=None)
    assert not list_texts(draft, "appendix")


@pytest.mark.parametrize("of_it", [{"rests_on": ["share"]}, {"expression": "9 / 5"}, {}])
def test_sentence_stays_if_the_next_one_draws_on_it(of_it: Any) -> None:
    share = said("Kenya irrigates 9 %.", "Kenya: 9 %", id="share")
    quotes = ["Kenya: 9 %", "5 ha", "6 ha"] if "expression" in of_it else ["dry"]
    after = said("Of that, Kenya sows a part.", *quotes, **of_it)
    assert (share.text in list_texts(build(share, after), "blocks")) is bool(of_it)


def test_answer_keeps_what_the_table_has() -> None:
    opening = said("Kenya irrigates 9 %, the most.", "Kenya: 9 %", id="ground")
    document = build(opening, answer=opening.text)
    [first, *_] = [block for block in document.blocks if isinstance(block, Paragraph)]
    assert first.sentences[0].text == opening.text


def test_sentences_of_the_answer_stand_in_no_section_again() -> None:
    told = said("Kenya is dry.", "dry")
    answer = Section(heading="In short", claims=[told])
    sections = [Section(heading="Land", claims=[told, said("It rains.", "rain")])]
    report = Report(title="T", sections=sections, answer=answer, searches=[])
    document = build_document(report, ReportContext(SOURCES))
    assert list_texts(document, "blocks") == ["It rains."]


@pytest.mark.parametrize(
    ("next_one", "shown"),
    [
        (said("It also has lakes.", "lakes"), ["Kenya: It also has lakes."]),
        (said("In 2024 it rained.", "rain", source=2), ["Mali: Land: In 2024 it rained."]),
        (said("Mali has its rivers.", "rivers", source=2), ["Mali has its rivers."]),
        (said("Rain fell.", "rain"), ["Kenya: Rain fell."]),
        (said("It follows.", rests_on=["x"]), ["It follows."]),
    ],
)
def test_sentence_whose_subject_went_to_the_appendix_names_it(
    next_one: Claim, shown: list[str]
) -> None:
    document = build(said("Kenya irrigates 9 %.", "Kenya: 9 %"), next_one)
    assert list_texts(document, "blocks") == shown


def test_sentence_before_stays_where_no_subject_is_known() -> None:
    both = Claim.model_validate(
        {
            "text": "They both have lakes.",
            "verdict": "supported",
            "citations": [{"source": n, "quote": "lakes"} for n in (3, 4)],
        }
    )
    document = build(said("Kenya irrigates 9 %.", "Kenya: 9 %"), both)
    assert list_texts(document, "blocks") == ["Kenya irrigates 9 %.", "They both have lakes."]


def test_long_section_keeps_its_conclusions_and_what_they_rest_on() -> None:
    facts = [said(f"Lake {n} is deep.", f"lake {n}") for n in range(MAX_SENTENCES)]
    ground = said("Rivers of Kenya dry up.", "rivers", id="ground")
    short, long = build(*facts[1:], ground), build(*facts, ground)
    assert not list_texts(short, "appendix")
    assert list_texts(long, "blocks") == [ground.text]
    assert list_texts(long, "appendix") == [fact.text for fact in facts]


def test_section_that_was_written_in_paragraphs_stays_whole_and_opens_them() -> None:
    facts = [said(f"Lake {n} is deep.", f"lake {n}") for n in range(MAX_SENTENCES)]
    opens = said("The lakes are full.", opens=True, rests_on=["rain"])
    rain = said("It rained.", "rain", id="rain")
    document = build(*facts, opens, rain)
    assert not list_texts(document, "appendix")
    paragraphs = [block for block in document.blocks if isinstance(block, Paragraph)][1:]
    firsts = [paragraph.sentences[0].text for paragraph in paragraphs]
    assert firsts == [facts[0].text, opens.text]


def test_sentence_that_draws_on_the_one_before_goes_where_it_goes() -> None:
    facts = [said(f"Lake {n} is deep.", f"lake {n}") for n in range(MAX_SENTENCES)]
    rise = said("Rainfall of Kenya rose by a third.", "third", "900 mm")
    ground = said("It was 900 mm.", "900 mm", id="ground", expression="300 * 3")
    tail = said("That was a record.", rests_on=["ground"])
    lone = said("This one is salty.", "salty")
    document = build(*facts, lone, said("Rivers run.", "run"), rise, ground, tail)
    assert list_texts(document, "blocks") == [rise.text, ground.text, tail.text]
    assert list_texts(document, "appendix")[-2:] == [lone.text, "Rivers run."]

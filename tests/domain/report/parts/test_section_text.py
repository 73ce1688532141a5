"""The text of sections: paragraphs, lists, and sentences left for the appendix."""

import pytest

from contracts.evidence.claims import Claim
from contracts.report.document import (
    Callout,
    DocumentHeading,
    ItemList,
    Paragraph,
    Remark,
    Sentence,
    Table,
)
from contracts.report.report import Section
from contracts.words import say
from domain.report.formats.markdown import write_markdown
from tests.domain.report.built_documents import build, find, list_sentences, said


def test_long_sections_are_paragraphs() -> None:
    claims = [said(f"{n} {'word ' * 25}.") for n in range(12)]
    document = build(Section(heading="Land", claims=claims))
    assert [len(block.sentences) for block in find(document, Paragraph)] == [6, 6]


def test_next_steps_are_a_numbered_list() -> None:
    steps = [said("Measure it", "it"), said("Offer it.", "it")]
    document = build(Section(heading="Next steps", claims=steps, is_list=True))
    [listed] = find(document, ItemList)
    assert listed.is_ordered
    assert [(item.text, item.notes) for item in listed.items] == [
        ("Measure it.", [1]),
        ("Offer it.", [1]),
    ]


def test_an_agents_own_account_is_set_off_and_said_to_be_unchecked() -> None:
    document = build(Section(heading="Land", account="Nothing was found.\n\nThe *rest* is open."))
    [account] = find(document, Callout)
    assert account.lines == ["Nothing was found.", "The *rest* is open."]
    assert say("en", "accounts") in [remark.text for remark in find(document, Remark)]
    assert not list_sentences(document)


def test_a_paragraph_ends_where_the_sources_change_and_never_before_what_is_computed() -> None:
    def stated(name: str, source: int, chars: int = 150) -> Claim:
        text = f"{name} had {'a' * chars} boats."
        return said(text, citations=[{"source": source, "quote": name}], id=name)

    fell = said(
        "It fell by 2.",
        citations=[{"source": 2, "quote": "Shore"}],
        expression="1 - 3",
        working="1 - 3 = -2",
    )
    share = said("Its share rose.", rests_on=["Shore"], expression="3 - 1", working="3 - 1 = 2")
    claims = [
        *(stated("Lake", 1), stated("Pier", 1), stated("Shore", 2, 600), fell, share),
        *(stated("Bay", 3), stated("Cliff", 4, 20), stated("Dune", 5)),
    ]
    document = build(Section(heading="Boats", claims=claims), comparison=None)
    shown = [[each.text.split()[0] for each in p.sentences] for p in find(document, Paragraph)]
    assert shown == [["Lake", "Pier"], ["Shore", "It", "Its"], ["Bay", "Cliff", "Dune"]]


def test_a_sentence_that_opens_a_paragraph_begins_one_in_bold() -> None:
    text = [said("Pumps pay."), said("They cost 5."), said("Boats do not.", opens=True)]
    finding = Section(heading="So", claims=[said("A pump costs 5.")], is_detail=True)
    document = build(Section(heading="So", claims=[*text, said("They cost 9.")]), finding)
    first, second, *_ = find(document, Paragraph)
    assert [each.text for each in first.sentences] == ["Pumps pay.", "They cost 5."]
    assert [each.text for each in second.sentences] == ["Boats do not.", "They cost 9."]
    assert [each.opens for each in (*first.sentences, *second.sentences)] == [
        *(False, False, True, False)
    ]
    assert "**Boats do not.**" in write_markdown(document)


def test_what_is_said_of_each_source_is_a_paragraph_of_its_own() -> None:
    def stated(source: int, number: int) -> Claim:
        return said(
            f"Boat {number} of {source} is sound.", citations=[{"source": source, "quote": "B"}]
        )

    claims = [stated(source, n) for source in (1, 2, 3) for n in range(2)]
    document = build(Section(heading="Boats", claims=claims), comparison=None)
    shown = [[each.text.split()[3] for each in p.sentences] for p in find(document, Paragraph)]
    assert shown == [["1", "1"], ["2", "2"], ["3", "3"]]


def test_text_that_was_written_as_one_has_paragraphs_of_about_one_length() -> None:
    """Sentences on other sources share a paragraph, as their writer put them."""
    ground = said("It grew.", "3", id="ground")
    claims = [said(f"Point {n} is so.", rests_on=["ground"]) for n in range(3)]
    found = Section(heading="Land", claims=[ground], is_detail=True)
    drawn = find(build(Section(heading="So", claims=[*claims, ground]), found), Paragraph)
    assert [len(paragraph.sentences) for paragraph in drawn[:1]] == [4]


@pytest.mark.parametrize("columns", [[], ["Question"]])
def test_a_row_of_a_table_without_columns_is_an_item(columns: list[str]) -> None:
    place = {"number": 1, "form": "row", "columns": columns}
    given = {"text": "Who pays: The port", "citations": [], "advises": True, "part": place}
    claim = Claim.model_validate(given | {"verdict": "supported"})
    [listed] = find(build(Section(heading="Market", claims=[claim])), ItemList)
    assert [each.text for each in listed.items] == ["Who pays: The port."]


def test_a_list_of_a_drafted_text_stands_below_its_label() -> None:
    places = [
        {"number": 1, "form": "item"},
        {"number": 2, "form": "item", "label": "What we assume:"},
        {"number": 3, "form": "item", "label": "What we assume:"},
    ]
    given = {"text": "Ask him.", "citations": [], "advises": True, "verdict": "supported"}
    claims = [Claim.model_validate(given | {"part": place}) for place in places]
    document = build(Section(heading="Market", claims=claims))
    lists = [len(each.items) for each in find(document, ItemList)]
    assert lists == [1, 2]
    at = document.blocks.index(find(document, ItemList)[1])
    assert document.blocks[at - 1] == Paragraph(sentences=[Sentence(text="What we assume:")])


def test_a_drafted_text_keeps_its_paragraphs_lists_and_tables() -> None:
    def part(text: str, number: int, form: str, lead: str = "") -> Claim:
        heads = {"columns": ["Question", "Whom to ask", "Stop if"]} if form == "row" else {}
        place = {"number": number, "form": form, **heads}
        return Claim.model_validate(
            {"text": text, "citations": [], "advises": True, "part": place}
            | {"lead_chars": len(lead), "verdict": "supported"}
        )

    claims = [
        part("Price. Ask for it.", 3, "paragraph", "Price."),
        part("Then wait.", 3, "paragraph"),
        part("Ask her.", 4, "paragraph"),
        part("Ask him.", 5, "item"),
        part("Ask them.", 6, "item"),
        part("Sign.", 7, "step"),
        part("Who pays: The port. Ask twice. | Nobody signs", 8, "row", "Who pays:"),
        part("May we: A lawyer", 9, "row", "May we:"),
        Claim(text="This continues.", citations=[], advises=True),
    ]
    shown = build(Section(heading="Market", claims=claims))
    paragraphs = [[one.text for one in each.sentences] for each in find(shown, Paragraph)]
    assert paragraphs == [["Ask for it.", "Then wait."], ["Ask her."]]
    assert find(shown, Paragraph)[0].sentences[0].lead == "Price."
    lists = [(each.is_ordered, [one.text for one in each.items]) for each in find(shown, ItemList)]
    assert lists == [(False, ["Ask him.", "Ask them."]), (True, ["Sign."])]
    table = find(shown, Table)[0]
    assert [column.label for column in table.columns] == ["Question", "Whom to ask", "Stop if"]
    assert [[cell.text if cell else "" for cell in row] for row in table.rows] == [
        ["Who pays", "The port. Ask twice.", "Nobody signs"],
        ["May we", "A lawyer", ""],
        ["", "This continues", ""],
    ]


LONG = "It rained on every field of the coast from May to June."
FIRST = say("en", "told-above", begins="It rained on every field of the coast")


@pytest.mark.parametrize("is_beyond", [True, False])
@pytest.mark.parametrize(("base", "is_named"), [("frost", False), ("rain", True)])
def test_appendix_names_what_the_text_says_to_the_letter_only_where_the_next_rests_on_it(
    base: str, *, is_named: bool, is_beyond: bool
) -> None:
    told, new = said(LONG, id="rain"), said("It dried again.", rests_on=[base])
    more = Section(heading="More", claims=[told, new], is_detail=True, is_beyond=is_beyond)
    document = build(Section(heading="Land", claims=[told]), more, comparison=None)
    shown = [
        sentence.text
        for block in document.appendix
        if isinstance(block, Paragraph)
        for sentence in block.sentences
    ]
    assert shown == [*[FIRST] * (is_named or not is_beyond), new.text]


def test_words_above_a_list_without_a_colon_are_its_heading() -> None:
    part = {"number": 1, "form": "item", "label": "What to ask"}
    document = build(Section(heading="So", claims=[said("Ask the port.", part=part)]))
    assert DocumentHeading(level=3, text="What to ask") in document.blocks

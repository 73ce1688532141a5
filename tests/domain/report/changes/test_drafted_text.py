"""Sentences of a draft entered by their numbers, and where new ones stand in the text."""

from typing import Any

import pytest
from pydantic import JsonValue

from contracts.base import Json
from contracts.evidence.claims import Claim, DraftPart
from contracts.models.call import Block, ModelResult
from contracts.models.usage import Usage
from contracts.report.draft import DraftSentence, TextDraft
from contracts.report.report import Report, Section
from domain.report.changes.drafted_text import (
    carry_new_openings,
    list_entered,
    list_own_names,
    outline_draft,
    place_new,
    put_draft,
)
from domain.report.changes.patches import EMPTY

ONE, TWO = DraftPart(number=1), DraftPart(number=2, form="item")
DRAFT = TextDraft(
    sentences=[
        DraftSentence(text="Prices. Rents fell.", part=ONE, lead_chars=7),
        DraftSentence(text="Wages did not.", part=TWO),
        DraftSentence(text="7", row="Rent", column="North"),
    ]
)


def written(**change: object) -> ModelResult:
    given: Json = {"section": "Prices", **change}  # type: ignore[dict-item]
    block = Block(type="tool_use", id="u", name="update_report", input=given)
    return ModelResult(content=[block], usage=Usage())


def enter(said: Json) -> object:
    [block] = put_draft(written(add=[said]), DRAFT, {}, EMPTY).content
    return block.input["add"][0]  # type: ignore[index]


def test_a_number_stands_for_the_words_and_their_part() -> None:
    assert enter({"text": "#1", "opens": True, "rests_on": ["k1", "#2"]}) == {
        "text": "Prices. Rents fell.",
        "part": {"number": 1},
        "lead_chars": 7,
        "rests_on": ["k1", "draft-2"],
        "id": "draft-1",
    }


def test_a_name_that_the_turn_gives_a_sentence_names_it_for_the_others() -> None:
    said: list[Json] = [{"text": "#1", "id": "a1"}, {"text": "#2", "rests_on": ["a1", "k1"]}]
    other = written(add=[{"text": "Nor did fares.", "rests_on": ["a1"]}])
    turn = ModelResult(content=[*written(add=said).content, *other.content], usage=Usage())
    first, second = put_draft(turn, DRAFT, list_own_names(turn, DRAFT), EMPTY).content
    assert [each["id"] for each in first.input["add"]] == ["draft-1", "draft-2"]  # type: ignore[index, union-attr, call-overload]
    assert first.input["add"][1]["rests_on"] == ["draft-1", "k1"]  # type: ignore[index, call-overload]
    assert second.input["add"][0]["rests_on"] == ["draft-1"]  # type: ignore[index, call-overload]


@pytest.mark.parametrize(
    "text", ["#0", "#4", "#99999", "#", "1", "Rents fell by #1.", "#1 by rents is Ghent.", 7, None]
)
def test_what_names_no_sentence_stays_as_it_is(text: object) -> None:
    assert enter({"text": text}) == {"text": text}  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("words", "text", "lead_chars"),
    [
        ("Prices. Rents rose.", "Prices. Rents rose.", 7),
        ("**Prices.** Rents rose.", "Prices. Rents rose.", 7),
        ("Rents rose.", "Rents rose.", None),
    ],
)
def test_words_behind_a_number_take_its_sentences_place(
    words: str, text: str, lead_chars: int | None
) -> None:
    entered = enter({"text": f"#1 {words}", "rests_on": ["k1"]})
    lead = {"lead_chars": lead_chars} if lead_chars else {}
    place = {"part": {"number": 1}, "id": "draft-1", "rests_on": ["k1"]}
    assert entered == {"text": text, **lead, **place}
    assert [*list_entered(written(add=[{"text": f"#1 {words}"}]), DRAFT)] == [1]


def test_words_in_bold_at_the_beginning_of_a_new_sentence_are_its_lead() -> None:
    assert enter({"text": "**Rents.** They fell."}) == {
        "text": "Rents. They fell.",
        "lead_chars": 6,
    }
    assert enter({"text": "**Rents fell.**"}) == {"text": "Rents fell.", "opens": True}
    long = " ".join(["Rents fell in all of the towns of the south"] * 9)
    assert enter({"text": f"**{long}.**"}) == {"text": f"{long}.", "opens": True}


def test_a_cell_takes_the_words_of_its_number() -> None:
    figures = [{"row": "Rent", "column": "North", "claim": {"text": "#3"}}, "no cell, a claim"]
    made = written(figures=figures)
    [block] = put_draft(made, DRAFT, {}, EMPTY).content
    cell = {"row": "Rent", "column": "North", "claim": {"text": "7", "id": "draft-3"}}
    assert block.input["figures"] == [cell, "no cell, a claim"]
    assert [*list_entered(made, DRAFT)] == [3]


NEW = Claim(text="Nor did prices.", citations=[])
OPENING = Claim(text="One thing is open.", citations=[], opens=True)
WAGES = Claim(text="Wages did not.", citations=[], part=TWO)
LED = Claim(text="Prices. Rents fell.", citations=[], part=ONE, lead_chars=7)


@pytest.mark.parametrize(
    ("text", "words"), [("#3", "7"), ("#3 not told: rents", "not told: rents"), ("3", "3")]
)
def test_a_cell_may_have_other_words_in_lower_case(text: str, words: str) -> None:
    said: Json = {"row": "Rent", "column": "North", "claim": {"text": text}}
    [block] = put_draft(written(figures=[said]), DRAFT, {}, EMPTY).content
    assert block.input["figures"][0]["claim"]["text"] == words  # type: ignore[index, call-overload]
    assert [*list_entered(written(figures=[said]), DRAFT)] == [3] * text.startswith("#")


def test_an_item_in_lower_case_may_have_other_words_in_lower_case() -> None:
    drafted = DraftSentence(text="how prices moved;", part=TWO)
    [block] = put_draft(
        written(add=[{"text": "#1 how prices moved since 2024;"}]),
        TextDraft(sentences=[drafted]),
        {},
        EMPTY,
    ).content
    assert block.input["add"][0]["text"] == "how prices moved since 2024;"  # type: ignore[index, call-overload]


@pytest.mark.parametrize(
    ("opening", "rests_on"),
    [
        ({"text": "#1"}, ["draft-2", "draft-3"]),
        ({"text": "#1", "rests_on": ["k1"]}, ["k1"]),
        ({"text": "#1", "assumed": True}, None),
    ],
)
def test_an_opening_that_names_no_evidence_rests_on_its_paragraph(
    opening: Json, rests_on: list[str] | None
) -> None:
    place, other = DraftPart(number=3), DraftPart(number=4)
    draft = TextDraft(
        sentences=[
            DraftSentence(text="Rents fell in all of the south.", part=place, opens=True),
            DraftSentence(text="They fell by 7%.", part=place),
            DraftSentence(text="Nobody says why.", part=place),
            DraftSentence(text="Wages did not.", part=other),
        ]
    )
    said = [opening, *({"text": f"#{n}", "citations": []} for n in (2, 3, 4))]
    [block] = put_draft(written(add=said), draft, {}, EMPTY).content
    assert block.input["add"][0].get("rests_on") == rests_on  # type: ignore[index, union-attr]


@pytest.mark.parametrize(("opens", "rests_on"), [(True, ["draft-2"]), (False, None)])
def test_a_writer_may_call_any_first_sentence_an_opening(
    opens: bool, rests_on: list[str] | None
) -> None:
    place = DraftPart(number=1)
    sentences = [
        DraftSentence(text=text, part=place) for text in ("It is small.", "It has 9 shops.")
    ]
    said: list[Json] = [{"text": "#1", "opens": opens}, {"text": "#2", "citations": []}]
    [block] = put_draft(written(add=said), TextDraft(sentences=sentences), {}, EMPTY).content
    first = block.input["add"][0]  # type: ignore[index]
    assert (first.get("rests_on"), first.get("opens")) == (rests_on, None)  # type: ignore[union-attr]


def test_an_opening_alone_in_its_paragraph_rests_on_the_list_below_it() -> None:
    forms = ("paragraph", "item", "item", "paragraph")
    sentences = [
        DraftSentence(text=f"{n}.", part=DraftPart.model_validate({"number": n, "form": form}))
        for n, form in enumerate(forms, start=1)
    ]
    said: list[Json] = [{"text": f"#{n}", "opens": n == 1} for n in (1, 2, 3, 4)]
    [block] = put_draft(written(add=said), TextDraft(sentences=sentences), {}, EMPTY).content
    assert block.input["add"][0]["rests_on"] == ["draft-2", "draft-3"]  # type: ignore[index, call-overload]


def test_openings_of_one_paragraph_rest_on_the_table_below_it_and_not_on_each_other() -> None:
    parts = [DraftPart(number=1), DraftPart(number=1), DraftPart(number=2, form="row")]
    sentences = [DraftSentence(text=f"{n}.", part=part) for n, part in enumerate(parts, start=1)]
    said: list[Json] = [{"text": f"#{n}", "opens": n < 3} for n in (1, 2, 3)]
    [block] = put_draft(written(add=said), TextDraft(sentences=sentences), {}, EMPTY).content
    bases = [each.get("rests_on") for each in block.input["add"]]  # type: ignore[union-attr]
    assert bases == [["draft-3"], ["draft-3"], None]


def test_a_new_opening_rests_on_the_paragraph_of_the_one_that_it_replaces() -> None:
    part, other = DraftPart(number=1), DraftPart(number=2)

    def make(name: str, of: DraftPart, *rests_on: str) -> Claim:
        return Claim(text=f"{name}.", citations=[], id=name, part=of, rests_on=[*rests_on])

    claims = [
        make("opening", part, "told", "more"),
        make("told", part),
        make("also", part, "opening"),
        make("alone", other, "told"),
    ]
    shown = Report(title="X", sections=[Section(heading="Why", claims=claims)])

    def carry(*removed: int, **said: JsonValue) -> JsonValue:
        turn = written(section="Why", remove=[*removed], add=[{"text": "New.", **said}])
        [block] = carry_new_openings(turn, shown).content
        return block.input["add"][0].get("rests_on")  # type: ignore[index, union-attr]

    assert carry(1, opens=True) == ["told"], "not on what rests on the replaced one"
    assert carry(4, opens=True) == ["told"], "what the replaced one rested on"
    assert [carry(1), carry(opens=True), carry(9, opens=True)] == [None] * 3
    assert carry(1, opens=True, rests_on=["also"]) == ["also"]


def test_a_new_opening_rests_on_what_is_entered_below_it() -> None:
    """Without that it would be refused for naming no source, though a draft's openings need none."""
    said: list[Json] = [
        {"text": "Need is no limit.", "opens": True, "id": "o"},
        {"text": "It buys 15.", "id": "n"},
        {"text": "Each has more.", "rests_on": ["n"], "id": "m"},
        {"text": "So it opens.", "rests_on": ["o"], "id": "on it"},
        {"text": "Money is.", "opens": True},
        {"text": "Mali grew.", "opens": True, "rests_on": ["f1"]},
        {"text": "It grew by 2%."},
    ]
    turn = written(section="Why", after=1, add=[*said])
    [block] = carry_new_openings(turn, Report(title="X", sections=[])).content
    added: Any = block.input["add"]
    assert [each.get("rests_on") for each in added] == [
        ["n", "m"],
        *(None, ["n"], ["o"]),
        *(None, ["f1"], None),
    ]


def test_an_opening_that_is_entered_late_rests_on_its_paragraph_in_the_report() -> None:
    place = DraftPart(number=3)
    sentences = [DraftSentence(text=text, part=place) for text in ("It is small.", "9 shops.")]
    claims = [Claim(text="9 shops.", citations=[], id="draft-2", part=place)]
    shown = Report(title="X", sections=[Section(heading="Why", claims=claims)])
    turn = written(section="Why", add=[{"text": "#1", "opens": True}])
    [block] = put_draft(turn, TextDraft(sentences=sentences), {}, shown).content
    assert block.input["add"][0]["rests_on"] == ["draft-2"]  # type: ignore[index, call-overload]


def test_a_label_is_shown_above_its_list() -> None:
    part = DraftPart(number=1, form="item", label="Ask first:")
    other = part.model_copy(update={"number": 2})
    draft = TextDraft(
        sentences=[
            DraftSentence(text="The port.", heading="Next", part=part),
            DraftSentence(text="A lawyer.", heading="Next", part=other),
        ]
    )
    assert outline_draft(draft)["sections"] == {
        "Next": {"above #1": "Ask first:", "#1": "The port.", "#2": "A lawyer."}
    }


def test_a_new_sentence_joins_the_part_before_it_unless_it_opens_one() -> None:
    placed = place_new([NEW, OPENING, NEW], [], WAGES, [ONE, TWO])
    assert [claim.part for claim in placed] == [TWO, *[DraftPart(number=3)] * 2]
    assert place_new([OPENING], [], None, []) == [OPENING], (
        "a text that nobody drafted has no parts"
    )


def test_sentences_take_the_places_of_those_they_replace() -> None:
    again = Claim(text="Prices. Rents fell in towns.", citations=[])
    first, second = place_new([again, NEW], [LED, WAGES], None, [ONE, TWO])
    assert (first.part, first.lead) == (ONE, "Prices.")
    assert (second.part, second.lead) == (TWO, "")
    assert [claim.part for claim in place_new([NEW], [LED, WAGES], None, [ONE, TWO])] == [ONE]
    assert [claim.part for claim in place_new([NEW, NEW], [WAGES], LED, [ONE, TWO])] == [TWO, TWO]


def test_new_sentence_with_a_name_in_bold_begins_a_paragraph_or_an_item() -> None:
    named = Claim(text="Fares. They rose.", citations=[], lead_chars=6)
    after_text, after_item = (
        place_new([named], [], LED, [ONE, TWO]),
        place_new([named], [], WAGES, [ONE, TWO]),
    )
    assert [claim.part for claim in after_text] == [DraftPart(number=3)]
    assert [claim.part for claim in after_item] == [DraftPart(number=3, form="item")]


def test_a_sentence_behind_a_table_begins_a_paragraph_and_a_row_joins_it() -> None:
    row = DraftPart(number=4, form="row", columns=["If", "Then"])
    last = Claim(text="Rents rise: Leave.", citations=[], part=row, lead_chars=11)
    another = Claim(text="Wages rise: Stay.", citations=[])
    joined, after = place_new([another, NEW], [], last, [row])
    assert (joined.part, joined.lead) == (row, "Wages rise:")
    assert after.part == DraftPart(number=5)


def test_a_row_in_other_words_begins_with_what_stands_before_its_colon() -> None:
    row = DraftPart(number=4, form="row")
    former = Claim(text="Rents rise: Leave.", citations=[], part=row, lead_chars=11)
    again = Claim(text="Rents rise by a tenth: Leave in spring.", citations=[])
    plain = Claim(text="Leave in spring.", citations=[])
    first, second = place_new([again, plain], [former, former], None, [row])
    assert (first.lead, second.lead) == ("Rents rise by a tenth:", "")

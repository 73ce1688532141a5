"""The living report: patches, their bounds, and taking them back."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.errors import Conflict, NotFound
from contracts.evidence.claims import Citation, Claim
from contracts.evidence.reasons import Reason
from contracts.planning.assumptions import Assumption
from contracts.report.patches import (
    TABLE,
    CellChange,
    Opening,
    Patch,
    PlacedClaim,
    UpdateReportArgs,
)
from contracts.report.report import Comparison, Report, Section
from contracts.words import say
from domain.agents.agent_tools import ToolError
from domain.report.changes.patches import (
    EMPTY,
    add_headings,
    apply_patch,
    cite_repeated,
    drop_taken_back,
    find_followed,
    fold_patches,
    keep_ids,
    leave_out_patches,
    list_following,
    name_apart,
    outline_changes,
    outline_report,
    place_patch,
    rebase_patch,
    revert_patch,
)
from domain.report.changes.proposals import Draft, Revision
from domain.report.changes.repeats import drop_repeated, join_moves
from domain.report.claims.report_claims import find_last_source
from domain.report.context import ReportContext
from domain.report.formats.markdown import render
from tests.support.words import en

OUTLINE = ["Market", "Risks"]
OPENING = Opening(title="Pumps", outline=OUTLINE)
START = add_headings(EMPTY, OPENING)


def claim(text: str, source: int = 1) -> Claim:
    return Claim(text=text, citations=[Citation(source=source, quote=text)], verdict="supported")


def placed(*texts: str) -> list[PlacedClaim]:
    return [PlacedClaim(at=99, claim=claim(text)) for text in texts]


def drawn(text: str) -> dict[str, Any]:
    return {"text": text, "citations": [{"source": 1, "quote": text}]}


def asked(most: int = 800, report: Report = START, **args: Any) -> Patch | ToolError:
    made = Draft(report, report, most=most).propose({"section": "Market"} | args)
    if isinstance(made, ToolError):
        return made
    return ToolError(made.error) if made.error else made.patch


def made(*drafts: Patch) -> list[Patch]:
    """Number patches as the run does, each as the report can take it when its turn comes."""
    patches: list[Patch] = []
    for draft in drafts:
        first = OPENING if not patches else None
        on = rebase_patch(draft, fold_patches(patches) if patches else START)
        patches.append(on.model_copy(update={"number": len(patches) + 1, "opening": first}))
    return patches


def writes(text: str, section: str = "Market", **more: Any) -> Patch:
    return Patch(number=1, section=section, added=placed(text), **more)


def test_a_report_grows_in_the_outline_that_was_agreed() -> None:
    report = fold_patches(made(writes("It rains.", "Risks"), writes("Pumps sell.")))
    assert [section.heading for section in report.sections] == OUTLINE
    assert [c.text for c in report.sections[0].claims] == ["Pumps sell."]
    assert report.title == "Pumps"


def test_a_draft_says_what_is_still_to_come() -> None:
    report = fold_patches(made(writes("It rains.", "Risks")))
    text = render(report, ReportContext([]))
    assert text.index("## Market") < text.index(say("en", "not-written"))
    assert say("en", "draft") in text
    assert "It rains. [1]" in text


def test_figures_make_a_table_whatever_order_they_come_in() -> None:
    cells = [("Price", "Kenya"), ("Farms", "Ghana"), ("Price", "Ghana")]
    patches = made(
        *(
            Patch(number=1, section=TABLE, cells=[CellChange(row=r, column=c, after=claim(r + c))])
            for r, c in cells
        )
    )
    table = fold_patches(patches).comparison
    assert table
    assert table.columns == ["Kenya", "Ghana"]
    assert [row.label for row in table.rows] == ["Price", "Farms"]
    assert table.rows[1].cells[0] is None
    assert fold_patches([*patches, revert_patch(patches, 2, "ann")]).comparison != table


def test_row_of_the_table_is_taken_out_and_can_come_back() -> None:
    cells = [CellChange(row=row, column="Kenya", after=claim(row)) for row in ("Price", "Farms")]
    [before] = made(Patch(number=1, section=TABLE, cells=cells))
    dropped = asked(report=fold_patches([before]), section=TABLE, drop_rows=["Price", "Price"])
    assert isinstance(dropped, Patch)
    patches = [before, dropped.model_copy(update={"number": 2})]
    assert [row.label for row in get_table(patches).rows] == ["Farms"]
    whole = get_table([*patches, revert_patch(patches, 2, "ann")])
    assert {row.label for row in whole.rows} == {"Price", "Farms"}


def test_a_row_that_is_taken_out_may_be_written_anew_in_the_same_change() -> None:
    cells = [
        CellChange(row="Price", column=column, after=claim(column)) for column in ("Kenya", "Ghana")
    ]
    [before] = made(Patch(number=1, section=TABLE, cells=cells))
    figure = {"row": "Price", "column": "Kenya", "claim": drawn("7")}
    changed = asked(
        report=fold_patches([before]), section=TABLE, drop_rows=["Price"], figures=[figure]
    )
    assert isinstance(changed, Patch)
    assert [(each.column, each.after and each.after.text) for each in changed.cells] == [
        ("Kenya", "7"),
        ("Ghana", None),
    ]


def get_table(patches: list[Patch]) -> Comparison:
    table = fold_patches(patches).comparison
    assert table
    return table


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        ({"section": "Weather"}, "the outline has 'Market', 'Risks'"),
        ({"add": [drawn("a" * 801)]}, "it writes 801 characters"),
        ({"remove": [1]}, "has 0 sentences, no sentence 1"),
        ({}, "changes nothing"),
        ({"figures": [{"row": "a", "column": "b", "claim": drawn("1")}]}, TABLE),
        ({"section": TABLE, "add": [drawn("a")]}, "takes `figures` and `drop_rows` alone"),
        ({"section": TABLE}, "at least one"),
        (
            {"section": TABLE, "figures": 2 * [{"row": "a", "column": "b", "claim": drawn("1")}]},
            "two of them name one cell",
        ),
        ({"section": TABLE, "drop_rows": ["Rain"]}, "the table has no row 'Rain'"),
        ({"drop_rows": ["Rain"]}, TABLE),
        ({"missing": ""}, "changes nothing"),
        ({"is_list": False}, "changes nothing"),
        ({"section": TABLE, "is_list": True}, "takes `figures` and `drop_rows` alone"),
    ],
)
def test_what_breaks_the_outline_or_the_bound_is_refused(args: Any, reason: str) -> None:
    refused = asked(**args)
    assert isinstance(refused, ToolError)
    assert reason in refused


@pytest.mark.parametrize("gaps", [[], ["No prices."]])
def test_saying_what_was_not_found_without_a_change_is_an_answer(gaps: list[str]) -> None:
    patch = asked(add=[], gaps=gaps)
    assert isinstance(patch, Patch)
    assert patch.is_empty


def test_a_sentence_is_written_once() -> None:
    report = fold_patches(made(writes("Pumps sell.")))
    texts = ["Pumps sell.", "And more.", "And more."]
    patch = asked(report=report, add=[drawn(text) for text in texts])
    assert isinstance(patch, Patch)
    left, repeated = drop_repeated(patch, report)
    assert [p.claim.text for p in left.added] == ["And more."]
    assert [claim.text for claim in repeated] == ["Pumps sell.", "And more."]


def test_a_sentence_is_put_in_the_place_of_another() -> None:
    report = fold_patches(made(writes("One."), writes("Two."), writes("Three.")))
    patch = asked(report=report, remove=[2], add=[drawn("Better.")])
    assert isinstance(patch, Patch)
    assert patch.size == len("Better."), "what is taken out does not count"
    after = apply_patch(report, patch)
    assert [c.text for c in after.sections[0].claims] == ["One.", "Better.", "Three."]


@pytest.mark.parametrize(
    ("args", "sentences"),
    [
        ({"after": 0}, ["New.", "1.", "2.", "3."]),
        ({"after": 2}, ["1.", "2.", "New.", "3."]),
        ({"after": 3, "remove": [1]}, ["2.", "3.", "New."]),
        ({"after": 1, "remove": [2]}, ["1.", "New.", "3."]),
        ({"remove": [3]}, ["1.", "2.", "New."]),
        (
            {"after": 5},
            ["1.", "2.", "3.", "New."],
        ),  # after the sentence that another call of the turn writes
    ],
)
def test_a_sentence_goes_after_the_one_that_is_named(args: Any, sentences: list[str]) -> None:
    report = fold_patches(made(*(writes(f"{n}.") for n in (1, 2, 3))))
    patch = asked(report=report, add=[drawn("New.")], **args)
    assert isinstance(patch, Patch)
    assert [c.text for c in apply_patch(report, patch).sections[0].claims] == sentences
    section = report.sections[0]
    asked_for = UpdateReportArgs(section="Market", **args)
    later = place_patch(patch, report, list_following(section, asked_for))
    assert [placed.at for placed in later.added] == [placed.at for placed in patch.added]


def test_a_sentence_may_leave_its_place_for_another_in_one_call() -> None:
    report = fold_patches(made(*(writes(f"{n}.") for n in (1, 2, 3))))
    patch = asked(report=report, after=3, remove=[1], add=[drawn("1.")])
    assert isinstance(patch, Patch)
    assert [c.text for c in apply_patch(report, patch).sections[0].claims] == ["2.", "3.", "1."]


def test_what_two_calls_put_after_one_sentence_stays_in_their_order() -> None:
    shown = fold_patches(made(writes("1."), writes("2.")))
    report, asked_for = shown, UpdateReportArgs(section="Market", after=1)
    for text in ("A.", "B."):
        patch = asked(report=shown, after=1, add=[drawn(text)])
        assert isinstance(patch, Patch)
        placed = place_patch(patch, report, list_following(shown.sections[0], asked_for))
        report = apply_patch(report, placed)
    assert [c.text for c in report.sections[0].claims] == ["1.", "A.", "B.", "2."]
    moved = {"heading": "Market", "sentences": {"2": "A.", "3": "B.", "4": "2."}}
    assert outline_changes(shown, report) == {"sections": [moved], "table": []}
    assert outline_changes(report, report) is None


def test_of_what_changed_a_writer_sees_how_each_sentence_begins() -> None:
    report = fold_patches(made(writes("Pumps sell. " * 20)))
    told: Any = outline_changes(fold_patches([]), report)
    [sentence] = told["sections"][0]["sentences"].values()
    assert sentence.endswith("Pumps sell. " * 5 + "…")
    whole: Any = outline_report(report)
    assert whole["sections"][0]["sentences"]["1"].endswith("Pumps sell. " * 20)


def test_the_last_writer_sees_which_sentence_holds_in_part() -> None:
    report = fold_patches(made(writes("Pumps sell."), writes("Two.")))
    section = report.sections[0]
    doubt = Reason(code="judged", params={"text": "no year"})
    partly = [section.claims[0].rule("partly", doubt), section.claims[1]]
    section = section.model_copy(update={"claims": partly})
    report = report.model_copy(update={"sections": [section]})
    told: Any = outline_report(report, doubts=True)
    assert told["sections"][0]["in_part"] == {"1": partly[0].reason}
    assert "in_part" not in str(outline_report(report))


def test_sentences_go_back_to_where_they_stood() -> None:
    patches = made(*(writes(f"{n}.") for n in range(4)))
    patch = asked(report=fold_patches(patches), remove=[1, 3], add=[drawn("New.")])
    assert isinstance(patch, Patch)
    patches.append(patch)
    assert [c.text for c in fold_patches(patches).sections[0].claims] == ["New.", "1.", "3."]
    patches.append(revert_patch(patches, 5, ""))
    assert [c.text for c in fold_patches(patches).sections[0].claims] == ["0.", "1.", "2.", "3."]


def test_a_section_becomes_a_list_and_is_one_no_more_when_that_is_taken_back() -> None:
    listed = asked(add=[drawn("Ask ten."), drawn("Count them.")], is_list=True)
    more = asked(add=[drawn("Then build.")])
    assert isinstance(listed, Patch)
    assert isinstance(more, Patch)
    report = apply_patch(START, listed)
    report = apply_patch(report, place_patch(more, report, []))
    text = render(report, ReportContext([]))
    assert "1. Ask ten. [1]\n2. Count them. [2]\n3. Then build. [3]" in text
    told = outline_report(report)["sections"]
    assert [section.get("is_list") for section in told] == [True, None]
    patches = made(writes("Ask ten."), Patch(number=1, section="Market", is_list=True))
    assert fold_patches(patches).sections[0].is_list
    patches.append(revert_patch(patches, 2, "ann"))
    assert not fold_patches(patches).sections[0].is_list


def test_changes_of_one_turn_leave_what_others_of_it_said_is_missing() -> None:
    first, second = asked(missing="Its price."), asked(add=[drawn("It sells.")])
    assert isinstance(first, Patch)
    assert isinstance(second, Patch)
    report = apply_patch(START, first)
    assert apply_patch(report, place_patch(second, report, [])).sections[0].missing == "Its price."


def test_lines_on_what_is_missing_are_merged_with_those_of_others() -> None:
    first, second = asked(missing="No price of A."), asked(missing="No price of B.")
    assert isinstance(first, Patch)
    assert isinstance(second, Patch)
    report = apply_patch(START, first)
    found = asked(report=report, missing="")
    assert isinstance(found, Patch)
    report = apply_patch(report, place_patch(second, report, []))
    assert report.sections[0].missing == "No price of A.\nNo price of B."
    assert (
        apply_patch(report, place_patch(found, report, [])).sections[0].missing == "No price of B."
    )


def test_report_without_some_patches_lacks_what_they_added() -> None:
    patches = made(writes("A sells."), writes("B sells.", missing="No price of B."))
    left = leave_out_patches(fold_patches(patches), patches[1:])
    assert left == fold_patches(patches[:1])


def test_what_its_quotes_do_not_carry_stays_out() -> None:
    supported, failed = {"verdict": "supported"}, {"verdict": "not_shown"}
    added: Any = [drawn("True.") | supported, drawn("False.") | failed, drawn("New.")]
    made = Draft(START, START).propose({"section": "Market", "add": added})
    assert isinstance(made, Revision)
    assert [p.claim.text for p in made.patch.added] == ["True.", "New."]
    assert [(one.place, one.claim.text) for one in made.failed] == [("Market", "False.")]


@pytest.mark.parametrize(
    ("removed", "added", "is_made"),
    [(1, ("True.", "False."), True), (2, ("True.", "False."), False), (1, ("False.",), False)],
)
def test_change_that_removes_is_made_if_it_still_adds_as_many_sentences(
    removed: int, added: tuple[str, ...], *, is_made: bool
) -> None:
    """Else the removed sentences would be lost to one that was refused."""
    report = fold_patches(made(writes("One."), writes("Two.")))
    verdicts = {"True.": "supported", "False.": "not_shown"}
    change: Any = {
        "section": "Market",
        "add": [drawn(text) | {"verdict": verdicts[text]} for text in added],
        "remove": [*range(1, removed + 1)],
    }
    proposed = Draft(report, report).propose(change)
    assert isinstance(proposed, Revision)
    assert not proposed.error if is_made else proposed.error.startswith("nothing was changed:")


def test_no_patch_is_taken_back_twice_or_out_of_thin_air() -> None:
    patches = made(writes("One."), writes("Two."))
    patches.append(revert_patch(patches, 1, "ann"))
    assert (patches[-1].undoes, patches[-1].by) == (1, "ann")
    with pytest.raises(Conflict, match=re.escape(en("patch-gone", number=1))):
        revert_patch(patches, 1, "ann")
    for number in (0, 4):
        with pytest.raises(NotFound, match=re.escape(en("patch-unknown", n=3, number=number))):
            revert_patch(patches, number, "ann")


def test_taking_back_what_was_taken_back_brings_it_again() -> None:
    patches = made(writes("One."), writes("Two.", missing="More."))
    whole = fold_patches(patches)
    patches.append(revert_patch(patches, 2, ""))
    assert [c.text for c in fold_patches(patches).sections[0].claims] == ["One."]
    patches.append(revert_patch(patches, 3, ""))
    assert fold_patches(patches) == whole


def test_what_a_human_took_out_is_refused_until_it_is_put_back() -> None:
    patches = made(writes("One."), writes("Two."))
    patches.append(revert_patch(patches, 2, "ann"))
    again = patches[1].model_copy(update={"added": placed("TWO!", "Three.")})
    kept, refused = drop_taken_back(again, patches)
    assert [new.claim.text for new in kept.added] == ["Three."]
    assert [(claim.text, claim.doubts) for claim in refused] == [
        ("TWO!", [Reason(code="taken-out")])
    ]
    assert drop_taken_back(patches[0], patches) == (patches[0], [])
    patches.append(revert_patch(patches, 3, "ann"))
    assert drop_taken_back(again, patches) == (again, [])


def test_a_section_that_a_human_emptied_says_so() -> None:
    patches = made(writes("One."))
    patches.append(revert_patch(patches, 1, "ann"))
    [section] = [s for s in fold_patches(patches).sections if s.missing]
    assert section.missing == say("en", "taken-out")
    german = revert_patch(patches[:-1], 1, "ann", "de")
    assert german.missing == say("de", "taken-out")
    patches.append(revert_patch(patches, 2, "ann"))
    assert not any(s.missing for s in fold_patches(patches).sections)


SECTIONS = st.sampled_from(OUTLINE)
TEXTS = st.sampled_from([f"Sentence {n}." for n in range(6)])
CHANGES = st.one_of(
    st.builds(
        lambda section, added, removed, missing, is_list: Patch(
            number=1,
            section=section,
            added=placed(*added),
            removed=placed(*removed),
            missing=missing,
            is_list=is_list,
        ),
        SECTIONS,
        st.lists(TEXTS, unique=True, max_size=3),
        st.lists(TEXTS, unique=True, max_size=2),
        st.sampled_from(["", "More."]),
        st.booleans(),
    ),
    st.builds(
        lambda row, column, text: Patch(
            number=1,
            section=TABLE,
            cells=[CellChange(row=row, column=column, after=claim(text))],
        ),
        st.sampled_from("ab"),
        st.sampled_from("xy"),
        TEXTS,
    ),
)


@given(st.lists(CHANGES, min_size=1, max_size=8))
def test_taking_the_last_patch_back_restores_what_stood_before(drafts: list[Patch]) -> None:
    patches = made(*drafts)
    before = add_headings(fold_patches(patches[:-1]), OPENING)
    try:
        patches.append(revert_patch(patches, len(patches), ""))
    except Conflict:
        assert add_headings(fold_patches(patches), OPENING) == before
    else:
        outline: Any = outline_report(fold_patches(patches))
        for section in outline["sections"]:
            section["missing"] = section["missing"].removesuffix(say("en", "taken-out"))
        assert outline == outline_report(before)


def test_the_highest_source_that_is_cited_is_known() -> None:
    cell = CellChange(row="a", column="b", after=claim("x", 7))
    assert (
        find_last_source(
            fold_patches(made(writes("One."), Patch(number=1, section=TABLE, cells=[cell])))
        )
        == 7
    )
    assert find_last_source(EMPTY) == 0


def test_a_name_that_another_sentence_has_gets_a_suffix_and_what_rests_on_it_follows() -> None:
    first = asked(add=[drawn("It sells.") | {"id": "sales"}])
    assert isinstance(first, Patch)
    report = apply_patch(START, first)
    told = outline_report(report)["sections"]
    assert isinstance(told, list)
    assert "[id sales] It sells." in str(told[0])
    ends: dict[str, Any] = {"text": "So sell.", "citations": [], "rests_on": ["sales"]}
    again = asked(report=report, add=[drawn("It grows.") | {"id": "sales"}, ends])
    assert isinstance(again, Patch)
    grows, sells = (new.claim for new in name_apart(again, report).added)
    assert (grows.id, sells.rests_on) == ("sales-2", ["sales-2"])
    instead = asked(report=report, remove=[1], add=[drawn("It grows.") | {"id": "sales"}])
    assert isinstance(instead, Patch)
    assert [new.claim.id for new in name_apart(instead, report).added] == ["sales"]
    built = asked(report=report, add=[ends])
    assert isinstance(built, Patch)
    assert [new.claim.rests_on for new in name_apart(built, report).added] == [["sales"]]


def test_a_sentence_does_not_get_the_id_of_an_assumption_of_the_plan() -> None:
    opening = Opening(
        title="T", outline=["Market"], assumptions=[Assumption(id="A1", text="Rain.")]
    )
    report = add_headings(START, opening)
    ours: dict[str, Any] = {"text": "We assume so.", "citations": [], "assumed": True, "id": "A1"}
    ends: dict[str, Any] = {"text": "So sell.", "citations": [], "rests_on": ["A1"]}
    both, one = asked(report=report, add=[ours, ends]), asked(report=report, add=[ends])
    assert isinstance(both, Patch)
    assert isinstance(one, Patch)
    assumed, drawn = (new.claim for new in name_apart(both, report).added)
    assert (assumed.id, drawn.rests_on) == ("A1-2", ["A1-2"])
    assert [new.claim.rests_on for new in name_apart(one, report).added] == [["A1"]]


def test_a_sentence_in_other_words_keeps_the_id_that_a_conclusion_rests_on() -> None:
    first = asked(add=[drawn("People live in three clusters.") | {"id": "people"}])
    assert isinstance(first, Patch)
    report = apply_patch(START, first)
    ends: dict[str, Any] = {"text": "So sell.", "citations": [], "rests_on": ["groups"]}
    mended = drawn("Many people live in three large clusters.") | {"id": "groups"}
    added = [drawn("Prices rose.") | {"id": "price"}, mended, ends]
    instead = asked(report=report, remove=[1], add=added)
    assert isinstance(instead, Patch)
    kept, names = keep_ids(instead, {})
    assert [new.claim.id for new in kept.added] == ["price", "people", ""]
    assert kept.added[2].claim.rests_on == ["people"]
    further = asked(report=report, section="Risks", add=[ends])
    assert isinstance(further, Patch)
    later, _ = keep_ids(further, names)
    assert later.added[0].claim.rests_on == ["people"], "of another change of the same turn"
    other = asked(report=report, remove=[1], add=added[:1])
    assert isinstance(other, Patch)
    assert keep_ids(other, {})[0] == other, "it says something else"


@pytest.mark.parametrize("is_split", [False, True], ids=["one-call", "two-calls"])
@pytest.mark.parametrize("way", ["passage", "sentence", "held"])
def test_a_sentence_that_held_in_part_hands_its_id_to_any_on_the_same_ground(
    way: str, is_split: bool
) -> None:
    """One that held gives it to nothing that says something else."""
    on: dict[str, Any] = {"citations": [], "rests_on": ["map"]}
    if way != "sentence":
        on = {"citations": [{"source": 1, "quote": "high density: coast"}]}
    old = Claim.model_validate({"text": "The coast is densest.", "id": "people"} | on)
    old = old.rule("supported" if way == "held" else "partly")
    section = Section(heading="Market", claims=[old])
    report = START.model_copy(update={"sections": [section, *START.sections[1:]]})
    new = {"text": "Many live near water.", "id": "crowd"} | on
    remove: dict[str, Any] = {"remove": [1]}
    add: dict[str, Any] = {"add": [new]}
    drafts = [
        asked(report=report, **args) for args in ([remove, add] if is_split else [remove | add])
    ]
    turn = join_moves([draft for draft in drafts if isinstance(draft, Patch)])
    kept, names = keep_ids(turn[-1], {})
    assert kept.added[0].claim.id == ("crowd" if way == "held" else "people")
    assert names == ({} if way == "held" else {"crowd": "people"})


def test_cell_and_sentence_that_repeat_another_cite_what_that_cites() -> None:
    """A sentence has to say that it does: one with the same figures may be advice."""
    cited = Claim(text="Sales were 12.", id="s", citations=[Citation(source=1, quote="12")])
    again, advice = (
        Claim(text="Sales of 12.", citations=[], rests_on=["s"], repeats=repeats)
        for repeats in (True, False)
    )
    cell = CellChange(row="Sales", column="Acme", after=advice)
    added = [PlacedClaim(at=n, claim=claim) for n, claim in enumerate((again, advice))]
    report = Report(title="T", sections=[Section(heading="Market", claims=[cited])])
    patch = Patch(number=1, section=TABLE, cells=[cell], added=added)
    found = cite_repeated(patch, report)
    said = [found.cells[0].after, *(placed.claim for placed in found.added)]
    assert [claim and claim.rests_on for claim in said] == [[], [], ["s"]]
    assert [claim and claim.citations for claim in said] == [cited.citations] * 2 + [[]]


def test_a_fact_that_its_section_tells_already_is_not_written_again() -> None:
    def located(text: str, at: int) -> Claim:
        cited = Citation(source=1, quote="q", start=at, end=at + 1)
        return Claim(text=text, citations=[cited])

    known = Section(heading="Market", claims=[located("Sales were 54 million.", 4)])
    again = [located("It sold for 54 million.", 4), located("Costs were 54 million.", 9)]
    report = Report(title="", sections=[known])
    patch = asked(report=report, add=again)
    assert isinstance(patch, Patch)
    left, repeated = drop_repeated(patch, report)
    assert [placed.claim.text for placed in left.added] == ["Costs were 54 million."]
    assert repeated == again[:1]
    replaced = asked(report=report, add=again[:1], remove=[1])
    assert isinstance(replaced, Patch)
    left, repeated = drop_repeated(replaced, report)
    assert left.added[0].claim == again[0]
    assert not repeated


@pytest.mark.parametrize("text", ["2.", "Two: 2."])
@pytest.mark.parametrize("calls", [["add", "remove"], ["remove", "add"], ["add remove"]])
def test_a_sentence_that_a_turn_moves_stays(calls: list[str], text: str) -> None:
    """With the same or other words, for any order of the calls, and when they are undone."""

    def located(text: str) -> dict[str, Any]:
        return {"text": text, "citations": [{"source": 1, "quote": text, "start": 1, "end": 2}]}

    first = asked(add=[located(f"{n}.") for n in (1, 2, 3)])
    assert isinstance(first, Patch)
    patches = [first.model_copy(update={"opening": OPENING})]
    parts: dict[str, Any] = {"add": {"after": 3, "add": [located("2.") | {"text": text}]}}
    parts["remove"] = {"remove": [2]}
    changes = [parts[call] if call in parts else parts["add"] | parts["remove"] for call in calls]
    shown = apply_patch(START, first)
    drafts = [asked(report=shown, **change) for change in changes]
    turn = join_moves([draft for draft in drafts if isinstance(draft, Patch)])
    for change, draft in zip(changes, turn, strict=True):
        args = UpdateReportArgs.model_validate({"section": "Market", **change})
        report = fold_patches(patches)
        left, repeated = drop_repeated(draft, report)
        assert not repeated
        patches.append(place_patch(left, report, list_following(shown.sections[0], args)))
    assert [c.text for c in fold_patches(patches).sections[0].claims] == ["1.", "3.", text]
    moved = next(n for n, patch in enumerate(patches, start=1) if patch.removed)
    patches.append(revert_patch(patches, moved, "ann"))
    assert fold_patches(patches).sections[0].claims == shown.sections[0].claims


@pytest.mark.parametrize(
    ("change", "gone", "followed"),
    [
        ({"remove": [1]}, {1}, ""),
        ({"remove": [2, 3]}, {2, 3}, "One."),
        ({"remove": [2], "after": 3}, {2}, "Three."),
        ({"remove": [3]}, {1, 2, 3}, ""),
        ({}, set(), "Three."),
    ],
)
def test_change_without_a_place_follows_what_stands_before_the_first_it_removes(
    change: dict[str, Any], gone: set[int], followed: str
) -> None:
    assert find_followed(["One.", "Two.", "Three."], change, gone) == followed

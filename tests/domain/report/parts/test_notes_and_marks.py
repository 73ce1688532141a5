"""Notes of a report, their numbers, and the marks of its sentences."""

import pytest

from contracts.evidence.claims import Citation, Claim, DraftPart
from contracts.evidence.reasons import Reason
from contracts.evidence.sources import OWN_FILE
from contracts.media_types import PDF
from contracts.notices import Notice
from contracts.planning.assumptions import Assumption
from contracts.planning.brief import Statement
from contracts.report.checks import Gap, RefusedCell
from contracts.report.document import (
    Basis,
    Doubt,
    ItemList,
    Paragraph,
    Quote,
    Remark,
    Table,
    Working,
)
from contracts.report.report import Comparison, ComparisonRow, Report, Section
from contracts.words import Language, say
from domain.report.claims.report_claims import count_claims, name_cell
from domain.report.context import ReportContext
from domain.report.document_builder import build_document
from domain.report.formats.client_copy import leave_out_appendix
from domain.report.parts.notes_and_marks import write_working
from tests.domain.report.built_documents import (
    ADVICE,
    CLAIM,
    COSTS,
    LAND,
    QUOTE,
    build,
    find,
    list_grounds,
    list_headings,
    list_marks,
    list_sentences,
    said,
)
from tests.support.sources import page
from tests.support.words import en


def test_quote_has_one_number_wherever_it_is_cited() -> None:
    document = build(Section(heading="Land", claims=[CLAIM, said("It is dry.", "It is dry")]))
    [table] = find(document, Table)
    assert [(c.label, c.unit) for c in table.columns] == [("", ""), ("Kenya", "")]
    cell = table.rows[0][1]
    assert cell
    assert (cell.text, cell.notes) == ("1,030 sq km", [1])
    assert [(s.text, s.notes) for s in list_sentences(document)] == [
        ("1,030 sq km.", [1]),
        ("It is dry.", [2]),
    ]
    assert [note.text for note in document.notes if isinstance(note, Quote)] == [QUOTE, "It is dry"]


def test_quote_keeps_its_place_in_its_source() -> None:
    place = Citation(source=2, quote="dry", start=7, end=10, page=3)
    claim = CLAIM.model_copy(update={"citations": [place]})
    files = [page("http://a.test/"), page("https://b.test/b.pdf#top", content_type=PDF)]
    document = build(Section(heading="Land", claims=[claim]), comparison=None, sources=files)
    [quote] = document.notes
    assert isinstance(quote, Quote)
    assert (quote.source, quote.start, quote.end, quote.page) == (2, 7, 10, 3)
    assert (quote.place, quote.address) == (say("en", "page", n=3), "https://b.test/b.pdf#page=3")


def test_a_quote_that_goes_on_over_a_break_names_both_pages() -> None:
    place = Citation(source=1, quote="It is\fdry", start=7, end=16, page=60)
    claim = CLAIM.model_copy(update={"citations": [place]})
    document = build(Section(heading="Land", claims=[claim]), comparison=None)
    [quote] = document.notes
    assert isinstance(quote, Quote)
    assert quote.place == say("en", "page", n="60–61")


def test_source_of_this_machine_opens_where_the_run_keeps_it() -> None:
    quoted = [Citation(source=n, quote="x", page=3) for n in (1, 2, 3)]
    claim = CLAIM.model_copy(update={"citations": quoted})
    files = [
        page(f"{OWN_FILE}acme.pdf", title="", content_type=PDF),
        page("http://127.0.0.1:8461/pages/acme.pdf", content_type=PDF),
        page("javascript:alert(1)", content_type=PDF),
    ]
    document = build(Section(heading="Land", claims=[claim]), comparison=None, sources=files)
    named = [(source.path, source.address) for source in document.sources]
    assert named == [
        ("acme.pdf", "artifacts/source-1"),
        ("acme.pdf", "sources/2/snapshot"),
        ("javascript:alert(1)", ""),
    ]
    opened = [note.address for note in document.notes if isinstance(note, Quote)]
    assert opened == ["artifacts/source-1#page=3", "artifacts/source-2#page=3", ""]


def test_a_judgement_has_one_note_with_the_sentences_that_it_rests_on() -> None:
    document = build(LAND, COSTS, ADVICE)
    first, second = list_sentences(document)[:2]
    assert [list_grounds(each) for each in (first, second)] == [
        (["judged"], [1]),
        (["judged", "basis_gone"], [2]),
    ]
    basis, further, _, dry, cost = document.notes
    assert isinstance(basis, Basis)
    assert [(s.text, s.notes) for s in basis.sentences] == [
        ("It is dry.", [4]),
        ("Pumps cost $300.", [5]),
    ]
    assert isinstance(dry, Quote)
    assert isinstance(cost, Quote)
    assert isinstance(further, Basis)
    assert [list_grounds(sentence) for sentence in further.sentences] == [(["judged"], [1])]


def test_a_judgement_says_that_a_sentence_that_it_rests_on_is_gone() -> None:
    pays = said("Pumps pay.", rests_on=["dry", "taken"])
    document = build(LAND, Section(heading="Advice", claims=[pays]))
    [told] = [s for s in list_sentences(document) if s.text == "Pumps pay."]
    assert [mark.code for mark in told.marks] == ["judged", "basis_gone"]


def test_a_judgement_on_a_table_says_of_what_its_cells_are() -> None:
    cell = CLAIM.model_copy(update={"id": "land"})
    rows = [ComparisonRow(label="Irrigated land", cells=[cell])]
    advice = Section(heading="Advice", claims=[said("Enter.", rests_on=["land"])])
    document = build(advice, comparison=Comparison(columns=["Kenya"], rows=rows))
    [basis, _] = document.notes
    assert isinstance(basis, Basis)
    assert [sentence.text for sentence in basis.sentences] == [
        "Irrigated land, Kenya: 1,030 sq km."
    ]


def test_judgements_on_each_other_end() -> None:
    a, b = (said(f"{x}.", id=x, rests_on=[y]) for x, y in ("ab", "ba"))
    document = build(Section(heading="Advice", claims=[a, b]), comparison=None)
    bases = [note for note in document.notes if isinstance(note, Basis)]
    assert [[(s.text, s.notes) for s in basis.sentences] for basis in bases] == [
        [("b.", [2])],
        [("a.", [1])],
    ]


def test_conclusions_on_several_sections_are_said_in_short_and_others_are_not() -> None:
    """A conclusion on its own section, or the first sentence of each, says nothing of the whole."""
    own = said("Land is scarce.", id="scarce", rests_on=["dry"])
    land = LAND.model_copy(update={"claims": [*LAND.claims, own]})
    others = [said(f"Pumps are {word}.", word) for word in ("blue", "red")]
    costs = COSTS.model_copy(update={"claims": [*COSTS.claims, *others]})
    short = say("en", "in-short")
    assert short not in list_headings(build(costs, land))
    joined = said("Pumps pay.", rests_on=["dry", "cost"])
    land = land.model_copy(update={"claims": [*land.claims, LAND.claims[0], joined]})
    document = build(costs, land)
    assert list_headings(document)[0] == short
    assert [s.text for s in find(document, Paragraph)[0].sentences] == ["Pumps pay."]


@pytest.mark.parametrize(
    ("working", "german"),
    [
        ("94.9 / 85.8 * 100 = 110.6", "94,9 / 85,8 × 100 = 110,6"),
        ("max(1.5, 2) * 1,234.5 = 2,469", "max(1,5; 2) × 1.234,5 = 2.469"),
        ("2 ** 3 = 8", "2 ** 3 = 8"),
    ],
)
def test_a_german_report_has_its_workings_in_its_own_numbers(working: str, german: str) -> None:
    assert write_working(working, "de") == german
    assert write_working("max(1.5, 2) * 2 = 4", "en") == "max(1.5, 2) × 2 = 4"


def test_computed_figure_has_a_note_with_its_working_and_its_quotes() -> None:
    claim = said("It grew 50 %.", "from 2 to 3", expression="3 / 2", working="3 * 1 / 2 = 1.5")
    document = build(Section(heading="Land", claims=[claim]), comparison=None)
    [sentence] = list_sentences(document)
    assert list_grounds(sentence) == (["computed"], [1])
    assert not sentence.marks[0].label, "its note says so"
    working, quote = document.notes
    assert isinstance(working, Working)
    assert (working.expression, working.quotes) == ("3 × 1 / 2 = 1.5", [2])
    assert isinstance(quote, Quote)


def test_what_is_computed_from_computed_sentences_shows_the_chain_of_workings() -> None:
    income = said(
        "It brings 18,000 a year.", "90 a day", id="in", expression="90 * 200", working="… = 18000"
    )
    machine = "At an assumed price of 36,000 it pays back in 2 years"
    paid = said(f"{machine}.", rests_on=["in"], expression="36000 / 18000", working="… = 2")
    worth = said(f"{machine}: buy.", rests_on=["in"], expression="36000 / 9", working="… = 4000")
    document = build(Section(heading="Land", claims=[income, paid, worth]), comparison=None)
    assert [list_grounds(sentence) for sentence in list_sentences(document)] == [
        (["computed"], [1]),
        (["computed"], [2]),
        (["judged", "computed"], [3]),
    ]
    _, working, reckoned, _, figures, basis = document.notes
    assert isinstance(working, Working)
    assert isinstance(figures, Basis)
    assert isinstance(basis, Basis)
    assert isinstance(reckoned, Working)
    assert (working.quotes, reckoned.quotes) == ([5], [6])
    assert [figures.label, basis.label] == [say("en", "basis-sum"), say("en", "basis")]
    assert [list_grounds(sentence) for sentence in figures.sentences] == [(["computed"], [1])]


def test_one_sum_has_a_note_for_each_set_of_passages() -> None:
    def grew(text: str, *quotes: str) -> Claim:
        cited = [Citation(source=1, quote=quote) for quote in quotes]
        return said(text, expression="3 / 2", working="3 / 2 = 1.5", citations=cited)

    claims = [
        grew("Up 50%.", "2", "3"),
        grew("It grew.", "3", "2"),
        grew("Fish too.", "3", "2", "fish"),
    ]
    document = build(Section(heading="Land", claims=claims), comparison=None)
    assert [sentence.notes for sentence in list_sentences(document)] == [[1], [1], [2]]
    first, second, *_ = document.notes
    assert isinstance(first, Working)
    assert isinstance(second, Working)
    assert (first.quotes, second.quotes) == ([3, 4], [4, 3, 5]), (
        "a quote of one is none of the other"
    )


def test_a_cell_without_data_says_so_with_its_line_and_leaves_a_column_of_figures() -> None:
    lack = said("No page tells the roads of Chad.", not_found=True)
    rows = [ComparisonRow(label="Roads", cells=[said("9 km", "9 km"), lack])]
    document = build(comparison=Comparison(columns=["Mali", "Chad"], rows=rows))
    [table] = find(document, Table)
    _, _, cell = table.rows[0]
    assert cell
    assert (cell.text, list_grounds(cell)) == (say("en", "no-data"), (["not_found"], [2]))
    assert document.notes[1] == Doubt(
        code="not_found", label=en("mark-not_found").capitalize(), text=lack.text
    )
    assert [column.is_figure for column in table.columns[1:]] == [True, True]


def test_finding_that_the_text_says_again_is_counted_once() -> None:
    ground = said("It grew.", "3", id="ground").rule("supported")
    told = Section(heading="Build there", claims=[said("Build.", rests_on=["ground"]).rule(None)])
    found = Section(heading="Land", claims=[ground], is_detail=True)
    for sections, total, unjudged in (([told, found], 1, 1), ([found], 1, 0)):
        report = Report(title="T", sections=sections, searches=[])
        counted = count_claims(report, is_judged=True)
        assert (counted.claims_total, counted.claims_unjudged) == (total, unjudged)


def test_conclusions_say_what_they_are_from_which_is_explained_once() -> None:
    ground = said("It grew.", "3", id="ground")
    concluded = [said(text, rests_on=["ground"]) for text in ("Build there.", "Do it now.")]
    parts = [Section(heading=each.text, claims=[each]) for each in concluded]
    found = Section(heading="Land", claims=[ground], is_detail=True)
    document = build(*parts, found)
    remark = say("en", "conclusions-explained")
    assert [r.text for r in find(document, Remark)].count(remark) == 1
    marks = [m for p in find(document, Paragraph) for s in p.sentences for m in s.marks]
    label = say("en", "concluded-from")
    told = [(mark.code, mark.position, mark.label) for mark in marks]
    assert told == [("judged", "before_notes", label)] * 2
    assert remark not in [r.text for r in find(build(found), Remark)], "findings conclude nothing"


@pytest.mark.parametrize(
    ("said_of", "told"),
    [(en("no-data"), "Roads"), ("N/A", "Roads"), ("No page tells.", "Roads: No page tells.")],
)
def test_note_of_a_cell_without_data_names_what_was_not_found(said_of: str, told: str) -> None:
    rows = [ComparisonRow(label="Roads", cells=[said(said_of, not_found=True)])]
    document = build(comparison=Comparison(columns=["Chad"], rows=rows))
    assert [note.text for note in document.notes if isinstance(note, Doubt)] == [told]


def test_assumptions_and_what_builds_on_them_are_marked_as_such() -> None:
    claims = [
        said("We assume 9.", id="nine", assumed=True),
        said("9 of 2 each, 18.", expression="9 * 2", working="9 * 2 = 18", assumed=True),
        said("It pays.", rests_on=["nine"], assumed=True),
    ]
    document = build(Section(heading="Land", claims=claims), comparison=None)
    grounds = [list_grounds(sentence) for sentence in list_sentences(document)]
    assert grounds == [
        (["assumption"], []),
        (["assumed"], [1]),
        (["judged_assumed", "assumed"], [2]),
    ]
    assert list_sentences(document)[1].marks[0].label == say("en", "with-assumption")
    basis = document.notes[1]
    assert isinstance(basis, Basis)
    assert list_marks(basis.sentences[0]) == [("assumption", None)]


def test_a_conclusion_names_the_assumptions_of_the_plan_that_it_rests_on() -> None:
    left = Notice.of("left-to-us", "info", question="Which land?")
    assumed = [Assumption(id="A1", text="Rain as before."), Assumption(id="A2", text=left)]
    drawn = said("It pays.", rests_on=["A2"], assumed=True)
    section = Section(heading="Land", claims=[drawn])
    document = build(section, comparison=None, assumptions=assumed, claims_unjudged=0)
    [sentence] = list_sentences(document)
    assert list_grounds(sentence) == (["judged_assumed", "assumed"], [1])
    [basis] = document.notes
    assert isinstance(basis, Basis)
    assert [(one.text, list_marks(one)) for one in basis.sentences] == [
        (left.text, [("assumption", None)])
    ]
    copy = leave_out_appendix(document)
    [listed] = [block for block in find(copy, ItemList) if block.has_assumptions]
    items = [item.text for item in listed.items]
    assert items == [left.text, "Rain as before."], "each is listed once"
    gone = build(section, comparison=None, assumptions=assumed[:1], claims_unjudged=0)
    assert "basis_gone" in list_grounds(list_sentences(gone)[0])[0]


@pytest.mark.parametrize(
    ("verdict", "code"),
    [("partly", "partly"), ("not_shown", "not_shown"), (None, "not_judged")],
)
def test_doubt_is_marked_and_explained_in_a_note(verdict: str | None, code: str) -> None:
    claim = said("It grew.", "it", verdict=verdict, reason="the page is of 2019")
    document = build(Section(heading="Land", claims=[claim]), comparison=None, claims_unjudged=0)
    [sentence] = list_sentences(document)
    assert (sentence.notes, list_marks(sentence)) == ([1], [(code, 2)])
    doubt = document.notes[1]
    assert isinstance(doubt, Doubt)
    assert (doubt.code, doubt.text) == (code, "the page is of 2019")
    plain = claim.model_copy(update={"reason": ""})
    unexplained = build(Section(heading="Land", claims=[plain]), comparison=None, claims_unjudged=0)
    assert list_marks(list_sentences(unexplained)[0]) == [(code, None)]


@pytest.mark.parametrize("language", ["en", "de"])
def test_doubt_of_code_is_told_in_the_language_of_the_report(language: Language) -> None:
    fell = Reason(code="base-fell")
    claim = said("It grew.", "it").rule("not_shown", fell)
    report = Report(title="Pumps", sections=[Section(heading="Land", claims=[claim])])
    document = build_document(report, ReportContext([], language=language))
    [told] = [note.text for note in document.notes if isinstance(note, Doubt)]
    assert told == fell.say(language)


def test_without_a_judge_no_sentence_is_marked_as_unjudged() -> None:
    document = build(Section(heading="Land", claims=[said("It grew.", "it", verdict=None)]))
    assert list_marks(list_sentences(document)[0]) == []


def test_quoted_rows_of_a_table_have_no_bars_around_them() -> None:
    rows = "| Kenya | 3 |\n| Mali |  | 4 |"
    cited = [Citation(source=1, quote=quote, above=["| | 2020 |"]) for quote in (rows, "| is not")]
    document = build(Section(heading="Land", claims=[said("It grew.", citations=cited)]))
    shown = [note for note in document.notes if isinstance(note, Quote)][:2]
    assert [note.text for note in shown] == ["Kenya | 3 / Mali |  | 4", "| is not"]
    assert {note.lead for note in shown} == {"2020: "}


@pytest.mark.parametrize(
    ("published", "shown"),
    [("2023-01-01", "2023"), ("2023-01-10", "2023-01-10"), ("2023-10-01", "2023-10-01")],
)
def test_first_of_january_is_shown_as_its_year(published: str, shown: str) -> None:
    """Services give that day where they know the year alone."""
    source = page("https://a.test/", publisher="Office", published=published)
    document = build(LAND, sources=[source])
    assert document.sources[0].about == ["Office", shown]


@pytest.mark.parametrize(
    ("language", "why"), [("en", "About 5, not 9."), ("de", "About 5, not 9.")]
)
def test_empty_cell_whose_sentence_was_refused_says_so_and_why(
    language: Language, why: str
) -> None:
    cells = RefusedCell(row="Irrigated land", column="Mali", reason=why)
    table = Comparison(
        columns=["Kenya", "Mali", "Chad"],
        rows=[ComparisonRow(label="Irrigated land", cells=[CLAIM, None, None])],
    )
    report = Report(
        title="T", sections=[], comparison=table, refused_cells=[cells], searches=[], claims_total=1
    )
    document = build_document(report, ReportContext([], language=language))
    [shown] = [block for block in document.blocks if isinstance(block, Table)]
    [[_, _, refused, empty]] = shown.rows
    assert empty is None
    assert refused
    [mark] = refused.marks
    assert mark.note
    assert (mark.code, document.notes[mark.note - 1]) == (
        "refused",
        Doubt(code="refused", label=document.notes[mark.note - 1].label, text=why),  # type: ignore[union-attr]
    )


@pytest.mark.parametrize("quote", ["| Growth | 5.7% |", ""])
def test_empty_cell_whose_lack_is_told_after_all_says_so_and_where(quote: str) -> None:
    row = ComparisonRow(label="Growth", cells=[CLAIM, None, None])
    found = [Citation(source=1, quote=quote, start=0, end=len(quote))] if quote else []
    told = Gap(place=name_cell("Growth", "Mali"), line="Not found.", verdict="told", found=found)
    table = Comparison(columns=["Kenya", "Mali", "Chad"], rows=[row])
    document = build(comparison=table, gaps=[told])
    [shown] = find(document, Table)
    [[_, _, marked, empty]] = shown.rows
    assert empty is None
    assert marked
    [mark] = marked.marks
    assert (mark.code, bool(mark.note)) == ("told_elsewhere", bool(quote))


@pytest.mark.parametrize(("number", "noted"), [(1, False), (2, True)])
def test_a_sentence_that_sums_up_its_own_paragraph_has_no_note_of_its_own(
    number: int, noted: bool
) -> None:
    place, other = DraftPart(number=1), DraftPart(number=number)
    ground = said("It has 9 shops.", "9 shops", id="ground", part=place)
    point = said("It is small.", rests_on=["ground"], part=other)
    sentences = list_sentences(build(Section(heading="So", claims=[point, ground])))
    drawn = {sentence.text: sentence for sentence in sentences}
    assert bool(drawn["It is small."].notes) == noted
    assert drawn["It has 9 shops."].notes


def test_what_the_client_said_carries_sentences_without_an_assumption() -> None:
    client = Statement(id="C1", text="A kiosk costs 38,000 euros, and we have 600,000.")
    repeated = said("A kiosk costs 38,000 euros.", id="x", rests_on=["C1"], repeats=True)
    working = {"expression": "600000 / 38000", "working": "600000 / 38000 = 15.7895"}
    computed = said("You can buy 15.", rests_on=["C1"], **working)
    concluded = said("Buy ten.", rests_on=["C1", "x"])
    document = build(
        Section(heading="Market", claims=[repeated, computed, concluded]), statements=[client]
    )
    [paragraph] = find(document, Paragraph)
    marks = [[(mark.code, mark.label) for mark in each.marks] for each in paragraph.sentences]
    assert marks == [[], [("computed", "")], [("judged", en("concluded-from"))]]
    note, arithmetic, basis = (document.notes[each.notes[0] - 1] for each in paragraph.sentences)
    assert isinstance(note, Basis)
    assert isinstance(arithmetic, Working)
    assert isinstance(basis, Basis)
    assert [(note.label, each.text) for each in note.sentences] == [(en("basis-said"), client.text)]
    [shown, _] = basis.sentences
    assert (shown.lead, shown.text) == (f"{en('basis-said')}:", "")
    assert shown.notes == paragraph.sentences[0].notes, "its words stand in one note"
    assert arithmetic.quotes, "what a sum takes from the client is shown with it"


def test_list_of_assumptions_has_those_of_the_text_once_after_those_of_the_plan() -> None:
    own = said("We assume that half of them pay.", assumed=True)
    doubtful = said("We assume rain.", assumed=True, verdict="contradicted")
    row = said("Rent (assumed): 30", assumed=True, part={"number": 9, "form": "row"})
    document = build(
        Section(heading="A", claims=[own, doubtful, said("Pumps sell.", "Pumps"), row]),
        Section(heading="B", claims=[own]),
        comparison=None,
        assumptions=[Assumption(text="Pumps are sold by dealers.")],
    )
    [listed] = [block for block in find(document, ItemList) if block.has_assumptions]
    texts = [item.text for item in listed.items]
    assert texts == ["Pumps are sold by dealers.", "We assume that half of them pay."]

"""The document of a report: its order, its marks, its notes and their numbers."""

from typing import Any, TypeVar

import pytest

from contracts.agents.calculations_and_charts import Artifact
from contracts.blobs import BlobKey
from contracts.evidence.claims import Citation, Claim, DraftPart
from contracts.evidence.reasons import Reason
from contracts.evidence.sources import OWN_FILE, FoundPage, Source
from contracts.media_types import PDF
from contracts.notices import Notice
from contracts.planning.assumptions import Assumption
from contracts.planning.brief import Statement
from contracts.report.checks import Gap, RefusedCell, Unanswered
from contracts.report.document import (
    Basis,
    Callout,
    Document,
    DocumentHeading,
    Doubt,
    Exhibit,
    ItemList,
    Paragraph,
    Quote,
    QuoteList,
    Remark,
    ReportHead,
    Sentence,
    SourceList,
    Table,
    Working,
)
from contracts.report.report import Comparison, ComparisonRow, Report, Search, Section
from contracts.words import Language, say
from domain.report.claims.report_claims import count_claims, name_cell
from domain.report.client_copy import leave_out_appendix
from domain.report.context import ReportContext
from domain.report.document_builder import build_document
from domain.report.gaps import WOULD_CHANGE
from domain.report.markdown import write_markdown
from domain.report.parts.answer import put_answer_first
from domain.report.parts.notes_and_marks import label_mark, write_working
from tests.support.sources import page
from tests.support.words import en

QUOTE = "Irrigated land, Kenya: 1,030 sq km (2012)"
CLAIM = Claim(text="1,030 sq km", citations=[Citation(source=1, quote=QUOTE)], verdict="supported")
SEARCHES = [
    Search(query=f"{land} {what}", hits=3) for what in ("irrigation", "costs") for land in "XY"
]
B = TypeVar("B")


def build(*sections: Section, sources: list[Source] | None = None, **more: Any) -> Document:
    """Return the document of a report over one table and these sections."""
    table = Comparison(
        columns=["Kenya"], rows=[ComparisonRow(label="Irrigated land", cells=[CLAIM])]
    )
    about = {
        "title": "Pumps",
        "comparison": table,
        "sections": list(sections),
        "claims_total": 1,
        "searches": SEARCHES,
    }
    report = put_answer_first(Report.model_validate(about | more), "en")
    read = [page("http://a.test/", title="A")] if sources is None else sources
    return build_document(report, ReportContext(read))


def said(text: str, quote: str = "", **about: Any) -> Claim:
    quoted = [Citation(source=1, quote=quote)] if quote else []
    return Claim.model_validate({"text": text, "citations": quoted, "verdict": "supported"} | about)


def find(document: Document, kind: type[B]) -> list[B]:
    return [block for block in [*document.blocks, *document.appendix] if isinstance(block, kind)]


def list_headings(document: Document) -> list[str]:
    return [heading.text for heading in find(document, DocumentHeading)]


def list_sentences(document: Document) -> list[Sentence]:
    """Return the sentences of paragraphs."""
    return [each for block in find(document, Paragraph) for each in block.sentences]


def list_marks(sentence: Sentence) -> list[tuple[str, int | None]]:
    return [(mark.code, mark.note) for mark in sentence.marks]


def list_grounds(sentence: Sentence) -> tuple[list[str], list[int]]:
    """Return the codes of a sentence's marks, and its notes."""
    return [mark.code for mark in sentence.marks], sentence.notes


def list_under(document: Document, heading: str) -> list[str]:
    """Return the items of the list below a heading."""
    at = next(
        n
        for n, b in enumerate(document.blocks)
        if isinstance(b, DocumentHeading) and b.text == heading
    )
    listed = next(block for block in document.blocks[at:] if isinstance(block, ItemList))
    return [item.text for item in listed.items]


LAND = Section(heading="Land", claims=[said("It is dry.", "dry", id="dry")])
COSTS = Section(heading="Costs", claims=[said("Pumps cost $300.", "$300", id="cost")])
ADVICE = Section(
    heading="Advice",
    claims=[
        said("Pumps pay.", id="pay", rests_on=["dry", "cost"]),
        said("Enter Kenya.", rests_on=["pay", "none"]),
    ],
)


def test_answer_is_first_then_the_comparison_and_sources_last() -> None:
    document = build(Section(heading="Answer", claims=[CLAIM]), Section(heading="Costs"))
    kinds = [(block.type, getattr(block, "text", "")) for block in document.blocks]
    order = [("heading", "Answer"), ("table", "")]
    order += [("heading", say("en", code)) for code in ("not-found", "sources")]
    assert [kind for kind in kinds if kind in order] == order


def test_a_comparison_stands_before_sections_of_which_none_answers() -> None:
    document = build(LAND, COSTS)
    assert document.blocks[0].type == "table"
    assert list_headings(document)[:2] == ["Land", "Costs"]


def test_what_is_looked_up_is_an_appendix_behind_what_is_read() -> None:
    files = [page("http://a.test/", title="A"), page("http://b.test/", title="B")]
    document = build(LAND, caveats=["Old."], sources=files)
    read, looked_up = (
        [block.text for block in blocks if isinstance(block, DocumentHeading)]
        for blocks in (document.blocks, document.appendix)
    )
    assert read == ["Land", say("en", "caveats"), say("en", "sources")]
    assert looked_up == [say("en", "evidence"), say("en", "also-read")]


def test_a_detail_stands_behind_the_text_and_names_what_replaces_it() -> None:
    body = Section(heading="Size", claims=[said("92 wells.", QUOTE, id="new")])
    old = said("147 wells.", QUOTE, superseded_by="new")
    document = build(body, Section(heading="Market size", claims=[old], is_detail=True))
    headings = [say("en", "details"), "Market size", say("en", "evidence")]
    assert list_headings(document)[-3:] == headings
    [detail] = [each for each in list_sentences(document) if each.text == "147 wells."]
    [(code, note)] = list_marks(detail)
    assert (code, note) == ("superseded", 2)
    replacing = document.notes[1]
    assert isinstance(replacing, Basis)
    assert [each.text for each in replacing.sentences] == ["92 wells."]


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


def test_the_section_that_concludes_opens_a_report_and_stands_nowhere_else() -> None:
    document = build(LAND, COSTS, ADVICE)
    assert list_headings(document)[:3] == ["Advice", "Land", "Costs"]
    assert [s.text for s in list_sentences(document)].count("Pumps pay.") == 1


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


def test_a_ground_that_points_back_names_its_source() -> None:
    uncited = said("They sell.", id="sell")
    pays = said("Pumps pay.", rests_on=["dry", "cost", "sell"])
    land = Section(heading="Land", claims=[*LAND.claims, uncited])
    document = build(land, COSTS, Section(heading="Advice", claims=[pays]))
    [basis] = [note for note in document.notes if isinstance(note, Basis)]
    assert [(s.lead, s.text) for s in basis.sentences] == [
        ("A:", "It is dry."),
        ("", "Pumps cost $300."),
        ("", "They sell."),
    ]


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


@pytest.mark.parametrize(
    ("doubted", "marks"),
    [
        ("supported", [["judged_assumed"], [""], [""], [""]]),
        ("partly", [[], ["judged_assumed"], ["judged_assumed", "partly"], [""]]),
    ],
)
def test_quiet_mark_of_all_cells_of_a_row_stands_once_at_its_label(
    doubted: str, marks: list[list[str]]
) -> None:
    ground = said("It grew.", "3", id="ground")
    rated = [said(text, rests_on=["ground"], assumed=True) for text in ("Good", "Fair")]
    cells = [rated[0], rated[1].rule(doubted), said("None.", not_found=True)]  # type: ignore[arg-type]
    rows = [ComparisonRow(label="Outlook", cells=[*cells])]
    table = Comparison(columns=["Mali", "Chad", "Togo"], rows=rows)
    document = build(Section(heading="Land", claims=[ground]), comparison=table)
    [drawn] = find(document, Table)
    told = [[mark.code if mark.label else "" for mark in c.marks] for c in drawn.rows[0] if c]
    assert told == marks


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


def test_an_agents_own_account_is_set_off_and_said_to_be_unchecked() -> None:
    document = build(Section(heading="Land", account="Nothing was found.\n\nThe *rest* is open."))
    [account] = find(document, Callout)
    assert account.lines == ["Nothing was found.", "The *rest* is open."]
    assert say("en", "accounts") in [remark.text for remark in find(document, Remark)]
    assert not list_sentences(document)


def test_what_is_missing_is_one_list_before_what_was_assumed() -> None:
    document = build(
        Section(heading="Land", claims=[CLAIM], missing="No map.\nNo year."),
        Section(heading="Water", missing="No depth."),
        caveats=["Old."],
        would_change=["Rain."],
        unanswered=[Unanswered(kind="section", name="Water")],
    )
    remarks = [remark.text for remark in find(document, Remark)]
    assert {say("en", "not-found-below"), say("en", "gaps-unchecked")} <= {*remarks}
    assert list_under(document, say("en", "caveats")) == ["Old."]
    assert list_under(document, say("en", "would-change")) == ["Rain."]
    missing = list_under(document, say("en", "not-found"))
    assert missing == ["Water", "No map.", "No year.", "No depth."]


def test_lines_on_what_is_missing_are_marked_once_some_were_checked() -> None:
    lines = {"No map.": "not_told", "No year.": None, "No depth.": "partly"}
    gaps = [Gap(place="Land", line=line, verdict=each) for line, each in lines.items()]  # type: ignore[arg-type]
    document = build(Section(heading="Land", claims=[CLAIM], missing="\n".join(lines)), gaps=gaps)
    listed = find(document, ItemList)[-1].items
    assert [[mark.code for mark in item.marks] for item in listed] == [
        [],
        ["gap_unchecked"],
        ["gap_partly"],
    ]


def test_line_on_a_page_that_was_found_and_not_opened_is_no_line_on_what_was_not_found() -> None:
    lines = ["No roads of Mali.", "No roads of Chad.", "No roads of Niger."]
    found = FoundPage(url="http://a.test/niger", title="Niger")
    gaps = [
        *(Gap(place="Land", line=line, verdict="not_told") for line in lines[:2]),
        Gap(place="Land", line=lines[2], verdict="not_opened", not_opened=[found]),
    ]
    document = build(Section(heading="Land", missing="\n".join(lines)), comparison=None, gaps=gaps)
    true, unopened = find(document, ItemList)[-1].items
    assert true.text == "No roads of Mali, Chad."
    assert list_marks(unopened) == [("not_opened", 1)]
    [note] = document.notes
    assert isinstance(note, Doubt)
    assert note.text == "Niger (http://a.test/niger)"


@pytest.mark.parametrize(("place", "shown"), [("Land", "Land"), (WOULD_CHANGE, en("would-change"))])
def test_passages_that_answer_a_gap_are_quotes_beside_the_text(place: str, shown: str) -> None:
    found = [Citation(source=1, quote="It is 3 m deep.", start=4, end=19)]
    gap = Gap(place=place, line="No depth.", verdict="told", found=found)
    [quotes] = find(build(Section(heading="Land", claims=[CLAIM]), gaps=[gap]), QuoteList)
    [quote] = quotes.quotes
    assert (quote.source, quote.text, quote.start) == (1, "It is 3 m deep.", 4)
    assert quote.remark == say("en", "bears-on", place=shown)


def test_cited_sources_stand_before_those_only_read() -> None:
    files = [page("http://a.test/"), page("http://b.test/"), page("http://c.test/")]
    claim = CLAIM.model_copy(update={"citations": [Citation(source=2, quote="it")]})
    document = build(Section(heading="Land", claims=[claim]), comparison=None, sources=files)
    assert [block.numbers for block in find(document, SourceList)] == [[2], [1, 3]]
    assert [source.number for source in document.sources] == [1, 2, 3]


def test_doubts_about_a_source_stand_with_it_but_not_in_a_draft() -> None:
    doubted = page(
        "http://a.test/", notes=[Notice.of("source-undated"), Notice.of("text", text="a *PDF*")]
    )
    assert build(sources=[doubted]).sources[0].doubts == [say("en", "source-undated"), "a *PDF*"]
    assert build(sources=[doubted], searches=None).sources[0].doubts == []


@pytest.mark.parametrize(
    ("searches", "code", "params"),
    [
        (SEARCHES, "", {}),
        ([], "no-search", {}),
        (
            [*SEARCHES, Search(query="Z", hits=0)],
            "searches-empty",
            {"queries": say("en", "quoted", text="Z")},
        ),
    ],
)
def test_a_section_without_evidence_names_the_searches_that_found_nothing(
    searches: list[Search], code: str, params: dict[str, Any]
) -> None:
    document = build(Section(heading="Costs"), searches=searches)
    told = [say("en", code, **params)] if code else []
    assert list_under(document, say("en", "not-found")) == [say("en", "no-evidence")]
    remarks = [remark.text for remark in find(document, Remark)]
    assert [text for text in remarks if text in told] == told


@pytest.mark.parametrize(
    ("counts", "codes"),
    [
        ({"claims_total": 0}, ["no-claims"]),
        ({"claims_total": 4}, ["claims-found"]),
        ({"claims_total": 4, "claims_unsupported": 1}, ["claims-marked"]),
        ({"claims_total": 4, "claims_unjudged": 0}, ["claims-found", "judged-all"]),
        ({"claims_total": 4, "claims_unjudged": 1}, ["claims-found", "judged-some"]),
        ({"claims_total": 4, "claims_unjudged": 4}, ["claims-found", "judged-none"]),
    ],
)
def test_a_report_says_how_its_claims_were_checked(
    counts: dict[str, Any], codes: list[str]
) -> None:
    document = build(LAND, **counts)
    params: dict[str, Any] = {"n": counts["claims_total"], "bad": 1, "left": 1, "share": 25}
    expected = " ".join(say("en", code, **params) for code in codes)
    assert any(remark.text.startswith(expected) for remark in find(document, Remark))


def test_a_report_counts_its_claims_by_kind() -> None:
    claims = [
        said("It is 3.", "3", id="three"),
        said("So it is big.", rests_on=["three"]),
        said("It is 4.", "4", expression="2 * 2", working="2 * 2 = 4"),
        said("We assume 5.", assumed=True),
        said("No map.", not_found=True),
    ]
    document = build(Section(heading="Land", claims=claims), claims_total=6)
    counts = {"stated": 2, "computed": 1, "concluded": 1, "assumed": 1, "not_found": 1}
    kinds = [say("en", f"claims-{kind}", n=n) for kind, n in counts.items()]
    [told] = [r.text for r in find(document, Remark) if kinds[0] in r.text]
    assert all(kind in told for kind in kinds)


def test_a_draft_names_what_is_not_written_yet_and_searches_for_nothing() -> None:
    document = build(LAND, Section(heading="Costs"), searches=None)
    remarks = [remark.text for remark in find(document, Remark)]
    assert remarks == [say("en", "not-written"), say("en", "draft")]
    assert say("en", "not-found") not in list_headings(document)


@pytest.mark.parametrize(
    ("missing", "more"), [("No price.", {"searches": None}), ("", {}), ("No price.", {})]
)
def test_only_an_empty_section_of_a_draft_is_named_as_not_written(
    missing: str, more: dict[str, Any]
) -> None:
    document = build(LAND, Section(heading="Costs", missing=missing), **more)
    assert say("en", "not-written") not in [remark.text for remark in find(document, Remark)]


def test_a_report_without_a_model_says_so() -> None:
    report = Report(title="Sums", sections=[], searches=[])
    first = build_document(report, ReportContext([], offline=True)).blocks[0]
    assert isinstance(first, Remark)
    assert first.text == say("en", "offline-rule")


def make_artifact(name: str, **about: Any) -> Artifact:
    given = {"id": name, "name": name, "kind": "table", "media_type": "text/csv", "bytes": 1}
    return Artifact.model_validate(given | {"blob_key": BlobKey("k")} | about)


def test_exhibits_are_those_that_the_report_shows() -> None:
    preview = [["Country", "Growth", "Price", "Note"], ["Kenya", "3.5 %", "$1,200", "high"]]
    preview.append(["Mali", "-2 %", "$900", ""])
    made = [
        make_artifact("t", preview=preview, rows=9),
        make_artifact("c", kind="chart", note="Since 2020."),
        make_artifact("other", preview=preview, rows=2),
    ]
    report = Report(title="T", sections=[], searches=[], exhibits=["t", "c"])
    document = build_document(report, ReportContext([], made))
    [table] = find(document, Table)
    assert [(c.label, c.unit, c.is_figure) for c in table.columns] == [
        ("Country", "", False),
        ("Growth", "%", True),
        ("Price", "$", True),
        ("Note", "", False),
    ]
    assert [[cell and cell.text for cell in row] for row in table.rows] == [
        ["Kenya", "3.5", "1,200", "high"],
        ["Mali", "-2", "900", None],
    ]
    assert table.artifact == "t"
    assert table.remark == say("en", "rows-shown", n=2, of=9)
    [chart] = find(document, Exhibit)
    assert (chart.artifact, chart.remark) == ("c", "Since 2020.")


def test_columns_known_to_hold_figures_do_so_beside_ranks_and_words() -> None:
    preview = [["", "ACME", "B"], ["Margin, %", "10.00 (2)", "20.00 (1)"], ["P/E", "none", "9.5"]]
    known = make_artifact("t", preview=preview, rows=2, figure_columns=[1, 2])
    report = Report(title="T", sections=[], searches=[], exhibits=["t"])
    [shown] = find(build_document(report, ReportContext([], [known])), Table)
    assert [column.is_figure for column in shown.columns] == [False, True, True]
    assert [cell and cell.text for cell in shown.rows[0]] == preview[1]


def test_a_german_report_writes_the_numbers_of_our_tables_and_leaves_an_agents_as_they_are() -> (
    None
):
    preview = [["", "ACME", "Note"], ["EPS, 2.5", "7.90", "v. 2.5"], ["Umsatz", "1,234.5", "a"]]
    shown = {}
    for is_account in (False, True):
        table = make_artifact(
            "t", preview=preview, rows=2, figure_columns=[1], is_account=is_account
        )
        report = Report(title="T", sections=[], searches=[], exhibits=["t"])
        context = ReportContext([], [table], language="de")
        [drawn] = find(build_document(report, context), Table)
        shown[is_account] = [[cell and cell.text for cell in row] for row in drawn.rows]
    assert shown == {
        False: [["EPS, 2.5", "7,90", "v. 2.5"], ["Umsatz", "1.234,5", "a"]],
        True: preview[1:],
    }


def test_signed_numbers_of_a_german_table_are_german_too() -> None:
    preview = [["", "Growth"], *([f"Row {sign}", f"{sign}20.7 %"] for sign in "+-−")]
    table = make_artifact("t", preview=preview, rows=3)
    report = Report(title="T", sections=[], searches=[], exhibits=["t"])
    [shown] = find(build_document(report, ReportContext([], [table], language="de")), Table)
    assert [row[1] and row[1].text for row in shown.rows] == ["+20,7", "-20,7", "−20,7"]


@pytest.mark.parametrize(("columns", "tables"), [(0, [0]), (1, [1]), (12, [12]), (17, [9, 9])])
def test_a_table_wider_than_a_page_goes_on_in_a_further_one(
    columns: int, tables: list[int]
) -> None:
    head = [f"c{n}" for n in range(columns)]
    table = make_artifact("t", preview=[head, head], rows=2)
    report = Report(title="T", sections=[], searches=[], exhibits=["t"])
    shown = find(build_document(report, ReportContext([], [table])), Table)
    assert [len(each.columns) for each in shown] == tables
    assert [column.label for each in shown for column in each.columns[1:]] == head[1:]
    assert {row[0].text for each in shown for row in each.rows if row and row[0]} == {*head[:1]}
    assert [each.caption for each in shown if each.caption] == ["t"]
    assert [each.artifact for each in shown if each.remark] == ["t"]


def test_a_wide_comparison_numbers_its_notes_table_by_table() -> None:
    def cite(row: int, n: int) -> Claim:
        return Claim(text=f"{n}", citations=[Citation(source=1, quote=f"{row} {n}")])

    rows = [ComparisonRow(label=f"{r}", cells=[cite(r, n) for n in range(16)]) for r in range(2)]
    wide = Comparison(columns=[f"c{n}" for n in range(16)], rows=rows)
    shown = find(build(comparison=wide.model_dump()), Table)
    cells = [cell for each in shown for row in each.rows for cell in row if cell]
    assert [n for cell in cells for n in cell.notes] == [*range(1, 33)]


@pytest.mark.parametrize("cells", [0, 1, 3])
def test_a_row_of_a_comparison_has_a_cell_for_each_column(cells: int) -> None:
    row: dict[str, Any] = {"label": "Area", "cells": [CLAIM.model_dump()] * cells}
    table = Comparison.model_validate({"columns": ["Kenya", "Mali"], "rows": [row]})
    [shown] = find(build(comparison=table.model_dump()), Table)
    assert [cell is not None for cell in shown.rows[0]] == [True, cells > 0, cells > 1]


def test_columns_of_a_comparison_have_one_side() -> None:
    def compare(*texts: str) -> list[bool]:
        cells = [Claim(text=text, citations=[]) for text in texts]
        row = ComparisonRow(label="Area", cells=[*cells])
        table = Comparison(columns=[*texts], rows=[row])
        [shown] = find(build(comparison=table.model_dump()), Table)
        return [column.is_figure for column in shown.columns]

    assert compare("3 km", "4 km") == [False, True, True]
    assert compare("3 km", "about a quarter of it") == [False, False, False]


def test_quoted_rows_of_a_table_have_no_bars_around_them() -> None:
    rows = "| Kenya | 3 |\n| Mali |  | 4 |"
    cited = [Citation(source=1, quote=quote, above=["| | 2020 |"]) for quote in (rows, "| is not")]
    document = build(Section(heading="Land", claims=[said("It grew.", citations=cited)]))
    shown = [note for note in document.notes if isinstance(note, Quote)][:2]
    assert [note.text for note in shown] == ["Kenya | 3 / Mali |  | 4", "| is not"]
    assert {note.lead for note in shown} == {"2020: "}


def test_figures_of_different_units_keep_them() -> None:
    rows = [["Kenya", "3 %"], ["Mali", "3 USD"]]
    table = make_artifact("t", preview=[["", "Value"], *rows], rows=2)
    report = Report(title="T", sections=[], searches=[], exhibits=["t"])
    [shown] = find(build_document(report, ReportContext([], [table])), Table)
    assert (shown.columns[1].unit, shown.columns[1].is_figure) == ("", True)
    assert [row[1] and row[1].text for row in shown.rows] == ["3 %", "3 USD"]


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


@pytest.mark.parametrize(
    ("published", "shown"),
    [("2023-01-01", "2023"), ("2023-01-10", "2023-01-10"), ("2023-10-01", "2023-10-01")],
)
def test_first_of_january_is_shown_as_its_year(published: str, shown: str) -> None:
    """Services give that day where they know the year alone."""
    source = page("https://a.test/", publisher="Office", published=published)
    document = build(LAND, sources=[source])
    assert document.sources[0].about == ["Office", shown]


def test_heading_whose_lines_are_told_elsewhere_is_not_listed_as_without_evidence() -> None:
    told = Gap(place="Lacking", line="No price.", verdict="told")
    left = Gap(place="Costs", line="No costs.", verdict="not_told")
    sections = [Section(heading="Lacking"), Section(heading="Costs", missing="No costs.")]
    document = build(*sections, gaps=[told, left])
    assert [item.text for item in find(document, ItemList)[-1].items] == ["No costs."]


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


def test_text_that_was_written_as_one_has_paragraphs_of_about_one_length() -> None:
    """Sentences on other sources share a paragraph, as their writer put them."""
    ground = said("It grew.", "3", id="ground")
    claims = [said(f"Point {n} is so.", rests_on=["ground"]) for n in range(3)]
    found = Section(heading="Land", claims=[ground], is_detail=True)
    drawn = find(build(Section(heading="So", claims=[*claims, ground]), found), Paragraph)
    assert [len(paragraph.sentences) for paragraph in drawn[:1]] == [4]


def test_a_decision_opens_its_report_and_what_this_lacks_stands_right_below() -> None:
    lost, told = Notice.of("report-unfinished"), Notice.of("decision-awaited", text="X")
    failed = Notice.of("run-failed-bridged")
    told_of_run = {
        "question": "Buy?",
        "date": "2026-11-28",
        "usd": 0,
        "model": "m",
        "offline": True,
    }
    head = ReportHead.model_validate(told_of_run | {"notices": [failed], "sources_read": 1})
    decision = Section(heading="Decision", claims=[said("Buy.", "3").rule("supported")])
    report = Report(
        title="A",
        sections=[],
        answer=decision,
        losses=[lost],
        notes=[told, "No advice."],
        would_change=["A fall."],
        searches=[],
    )
    decided = report.model_copy(update={"opens_with_decision": True})
    document = build_document(decided, ReportContext([]), head)
    blocks = [*document.opening, *document.blocks]
    shown = [b for b in blocks if isinstance(b, Callout | DocumentHeading)]
    titles = [(b.title if isinstance(b, Callout) else b.text).lower().rstrip(".") for b in shown]
    noted = [note.say("en").lower().rstrip(".") for note in (failed, lost, told)]
    assert titles[:3] == ["decision", *noted[:2]]
    [*_, warned] = [block for block in blocks if isinstance(block, Callout)]
    assert [line.lower().rstrip(".") for line in warned.lines] == noted[2:]
    listed, said_last = [block for block in blocks if isinstance(block, ItemList | Remark)][1:3]
    assert isinstance(listed, ItemList), "what would change it stands above other notes"
    assert said_last == Remark(text="No advice.")
    undecided = build_document(report, ReportContext([]), head)
    assert undecided.opening[0] == Callout(title=failed.say("en"))


@pytest.mark.parametrize("columns", [[], ["Question"]])
def test_a_row_of_a_table_without_columns_is_an_item(columns: list[str]) -> None:
    place = {"number": 1, "form": "row", "columns": columns}
    given = {"text": "Who pays: The port", "citations": [], "advises": True, "part": place}
    claim = Claim.model_validate(given | {"verdict": "supported"})
    [listed] = find(build(Section(heading="Market", claims=[claim])), ItemList)
    assert [each.text for each in listed.items] == ["Who pays: The port."]


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("has_appendix", [True, False])
def test_gaps_that_a_text_does_not_tell_stand_behind_it(*, told: bool, has_appendix: bool) -> None:
    place = {"number": 1, "form": "item"}
    given = {"text": "No page tells the price.", "citations": [], "not_found": told, "part": place}
    claim = Claim.model_validate(given | {"advises": not told, "verdict": "supported"})
    report = Report(
        title="Pumps",
        sections=[Section(heading="Market", claims=[claim], missing="Kenya's roads")],
        assumptions=[Assumption(text="Pumps are sold by dealers.")],
        searches=SEARCHES,
    )
    document = build_document(report, ReportContext([], has_appendix=has_appendix))
    headings = [
        [block.text for block in blocks if isinstance(block, DocumentHeading)]
        for blocks in (document.blocks, document.appendix)
    ]
    terms = [en("not-found"), en("assumed")]
    assert all(term in headings[told and has_appendix] for term in terms)


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
    assert basis.sentences[0].lead == f"{en('basis-said')}:", "beside other sentences it is named"
    assert arithmetic.quotes, "what a sum takes from the client is shown with it"


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
    assert document.blocks[at - 1] == DocumentHeading(level=3, text="What we assume")


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


def test_caveat_that_stands_above_is_not_repeated() -> None:
    none, other = Notice.of("news-none", company="Acme"), Notice.of("news-none", company="Apex")
    [told] = list_under(build(LAND, caveats=[other]), say("en", "caveats"))
    document = build(LAND, caveats=[none, other, other], notes=[none, "Old."])
    assert list_under(document, say("en", "caveats")) == [told]
    alone = build(LAND, caveats=[none, "Old."], notes=[none, "Old."])
    assert say("en", "caveats") not in list_headings(alone)


def test_decision_names_the_assumptions_that_it_rests_on() -> None:
    rate, other = (said(f"We assume {n}.", id=f"a{n}", assumed=True) for n in (9, 8))
    by_rate = said("9 of 2, 18.", id="sum", rests_on=["a9"], working="9 * 2 = 18", assumed=True)
    decided = said("Avoid it.", id="no", rests_on=["sum", "land"], assumed=True)
    reasons = Section(
        heading="Reasons", claims=[rate, by_rate, other, said("It is dry.", id="land")]
    )
    answer = Section(heading="Decision: avoid", claims=[decided])
    document = build(reasons, comparison=None, answer=answer, opens_with_decision=True)
    lead = f"{label_mark('assumption', 'en').capitalize()}:"
    lists = find(document, ItemList)
    assert [(one.lead, one.text) for one in lists[0].items] == [(lead, "We assume 9.")]
    alone = build(reasons, comparison=None, answer=answer)
    assert lead not in [one.lead for each in find(alone, ItemList) for one in each.items]


def test_appendix_does_not_repeat_what_the_text_says_to_the_letter() -> None:
    told, new = said("It rained."), said("It dried.")
    more = Section(heading="More", claims=[told, new], is_detail=True, is_beyond=True)
    document = build(Section(heading="Land", claims=[told]), more, comparison=None)
    shown = [
        sentence.text
        for block in document.appendix
        if isinstance(block, Paragraph)
        for sentence in block.sentences
    ]
    assert shown == ["It dried."]

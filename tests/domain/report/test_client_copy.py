"""A copy to hand on: the same sentences without the appendix, on numbered sources."""

import pytest

from contracts.report.document import (
    Basis,
    Callout,
    Column,
    Document,
    DocumentSource,
    ItemList,
    Mark,
    NoteList,
    Paragraph,
    Quote,
    Reference,
    Remark,
    Sentence,
    SourceList,
    Table,
    Working,
)
from contracts.words import say
from domain.report.markdown import write_markdown
from domain.report.parts.client_copy import (
    ASSUMED,
    MAX_CITED_BY_ADVICE,
    MAX_NOTES,
    leave_out_appendix,
)

DOUBT = Mark(code="partly", look="doubtful", label="in part", note=1)
DOCUMENT = Document(
    title="T",
    blocks=[
        Paragraph(sentences=[Sentence(text="So.", notes=[1], marks=[DOUBT])]),
        Table(columns=[Column(label="")], rows=[[Sentence(text="5", notes=[3]), None]]),
        ItemList(items=[Sentence(text="Go.", notes=[4])]),
        SourceList(numbers=[3, 1]),
    ],
    appendix=[NoteList(), Remark(text="It cost $1.")],
    notes=[
        Basis(
            label="From",
            sentences=[Sentence(text="a", notes=[2, 4]), Sentence(text="b", notes=[1])],
        ),
        Quote(source=3, text="x"),
        Working(label="Computed", expression="2 + 3", quotes=[2]),
        Quote(source=1, text="y"),
    ],
    sources=[DocumentSource(number=n, title=f"S{n}") for n in (1, 2, 3)],
)


def test_copy_cites_the_sources_that_its_evidence_comes_down_to() -> None:
    copy = leave_out_appendix(DOCUMENT)
    first, table, steps, sources = copy.blocks
    assert isinstance(first, Paragraph)
    assert isinstance(table, Table)
    assert isinstance(steps, ItemList)
    assert isinstance(sources, NoteList)
    assert table.rows[0][0]
    assert [first.sentences[0].notes, table.rows[0][0].notes, steps.items[0].notes] == [
        [1, 2],
        [1],
        [2],
    ]
    assert copy.notes == [Reference(source=3), Reference(source=1)]
    assert [(mark.label, mark.note) for mark in first.sentences[0].marks] == [("in part", None)]


def test_copy_has_no_appendix_and_names_only_cited_sources() -> None:
    written = write_markdown(leave_out_appendix(DOCUMENT))
    assert "It cost $1." not in written
    assert written.split()[-4:] == ["1.", "S3:", "2.", "S1:"]


@pytest.mark.parametrize("is_cut", [False, True])
def test_copy_says_first_which_sentences_have_further_sources(is_cut: bool) -> None:
    quotes = MAX_NOTES - 1 + is_cut
    numbers = [*range(2, quotes + 2)]
    notes = [
        Working(label="Computed", expression="2 + 3", quotes=[*numbers, *numbers[:1]]),
        *(Quote(source=n + 1, text="x") for n in range(quotes)),
    ]
    copy = leave_out_appendix(
        DOCUMENT.model_copy(
            update={
                "blocks": [Paragraph(sentences=[Sentence(text="So.", notes=[1])])],
                "notes": notes,
                "sources": [DocumentSource(number=n + 1, title="S") for n in range(quotes)],
            }
        )
    )
    told = say("en", "copy-sources-cut", n=1, most=MAX_NOTES)
    cut = [block for block in copy.blocks[:1] if isinstance(block, Callout)]
    assert cut == ([Callout(title="", lines=[told])] if is_cut else [])
    assert len(copy.notes) == MAX_NOTES - 1


def test_copy_cites_no_conclusion_without_a_figure_and_a_row_of_sentences_once() -> None:
    concluded = [
        Mark(code="judged", label="from", position="before_notes"),
        Mark(code="assumed", label="with an assumption", position="after_notes"),
    ]
    told = [
        Sentence(text="Start in Ghana.", notes=[1, 2], marks=concluded, opens=True),
        *(Sentence(text=text, notes=notes) for text, notes in [("a", [1]), ("b", [1]), ("c", [2])]),
        Sentence(text="So it has 3 times as many.", notes=[1, 2], marks=concluded),
    ]
    update = {
        "blocks": [Paragraph(sentences=told)],
        "notes": [Quote(source=n, text="x") for n in (1, 2)],
        "sources": [DocumentSource(number=n, title=f"S{n}") for n in (1, 2)],
    }
    [block] = leave_out_appendix(DOCUMENT.model_copy(update=update)).blocks
    assert isinstance(block, Paragraph)
    assert [each.notes for each in block.sentences] == [[], [], [1], [2], [1, 2]]
    shown = [[mark.label for mark in each.marks] for each in (told[0], told[-1])]
    assert shown == [["from", "with an assumption"]] * 2
    shown = [[mark.label for mark in block.sentences[n].marks] for n in (0, -1)]
    assert shown == [["", ""], ["", ASSUMED]], "an opening says no more than what follows it"


@pytest.mark.parametrize("is_assumed", [False, True])
def test_copy_explains_the_sign_of_assumptions_where_it_stands(is_assumed: bool) -> None:
    mark = Mark(code="assumed", label="with an assumption", position="after_notes")
    told = Sentence(text="It has 3.", notes=[1], marks=[mark] * is_assumed)
    remark = Remark(text="†: assumed", explains_assumed=True)
    update = {
        "blocks": [Paragraph(sentences=[told]), remark],
        "notes": [Quote(source=1, text="x")],
        "sources": [DocumentSource(number=1, title="S")],
    }
    copy = leave_out_appendix(DOCUMENT.model_copy(update=update))
    assert (remark in copy.blocks) == is_assumed


def test_copy_cites_the_sources_that_all_cells_of_a_row_share_at_its_label() -> None:
    def build_row(*notes: int) -> list[Sentence | None]:
        cells = [Sentence(text=str(note), notes=[note]) for note in notes]
        return [Sentence(text="Rain"), *cells, None]

    update = {
        "blocks": [Table(columns=[Column(label="")], rows=[build_row(1, 1), build_row(1, 2)])],
        "notes": [Quote(source=n, text="x") for n in (1, 2)],
        "sources": [DocumentSource(number=n, title=f"S{n}") for n in (1, 2)],
    }
    [table] = leave_out_appendix(DOCUMENT.model_copy(update=update)).blocks
    assert isinstance(table, Table)
    noted = [[cell and cell.notes for cell in row] for row in table.rows]
    assert noted == [[[1], [], [], None], [[], [1], [2], None]]


@pytest.mark.parametrize("is_concluded", [False, True])
def test_copy_cites_no_source_of_advice_from_more_than_a_few(is_concluded: bool) -> None:
    sources = range(1, MAX_CITED_BY_ADVICE + 2)
    marks = [Mark(code="judged", label="from", position="before_notes")] * is_concluded
    told = Sentence(text="Ask 30 buyers.", notes=[*sources], marks=marks)
    update = {
        "blocks": [ItemList(items=[told]), Paragraph(sentences=[told])],
        "notes": [Quote(source=n, text="x") for n in sources],
        "sources": [DocumentSource(number=n, title=f"S{n}") for n in sources],
    }
    advice, text = leave_out_appendix(DOCUMENT.model_copy(update=update)).blocks
    assert isinstance(advice, ItemList)
    assert isinstance(text, Paragraph)
    assert advice.items[0].notes == ([] if is_concluded else [*sources])
    assert text.sentences[0].notes == [*sources]

"""A copy to hand on: the same sentences without the appendix, on numbered sources."""

import pytest

from contracts.report.document import (
    Basis,
    Callout,
    Column,
    Document,
    DocumentHeading,
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
from domain.report.formats.client_copy import MAX_CITED, MAX_NOTES, leave_out_appendix
from domain.report.formats.markdown import write_markdown

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


FROM = Mark(code="judged_assumed", label="from", position="before_notes")
ASSUMED = Mark(code="assumed", label="with an assumption", position="after_notes")
ASSUMPTION = Sentence(
    text="We assume that half of them pay.", marks=[Mark(code="assumption", label="assumption")]
)


def copy_blocks(*blocks: Paragraph | Table | ItemList | DocumentHeading) -> list[object]:
    """Return the blocks of a copy; note 1 to 5 quote the sources 1 to 5, note 6 rests on an assumption and note 1."""
    quotes = [Quote(source=n, text="x") for n in range(1, 6)]
    basis = Basis(label="From", sentences=[ASSUMPTION, Sentence(text="a", notes=[1])])
    update = {
        "blocks": [
            *blocks,
            DocumentHeading(text="Assumed"),
            ItemList(has_assumptions=True, items=[]),
        ],
        "notes": [*quotes, basis],
        "sources": [DocumentSource(number=n, title=f"S{n}") for n in range(1, 6)],
    }
    return [*leave_out_appendix(DOCUMENT.model_copy(update=update)).blocks]


def test_copy_cites_facts_and_a_conclusion_only_for_sources_that_its_paragraph_lacks() -> None:
    told = [
        Sentence(text="Start in Ghana.", notes=[1, 2], marks=[FROM], opens=True),
        *(Sentence(text=text, notes=notes) for text, notes in [("a", [1]), ("b", [1]), ("c", [2])]),
        Sentence(text="So it has 3 times as many.", notes=[1, 2], marks=[FROM]),
        Sentence(text="So it is 2 ahead.", notes=[1, 3], marks=[FROM]),
        Sentence(text="So it is first.", notes=[4], marks=[FROM]),
        Sentence(text="Of 5 it is first.", notes=[1, 2, 3, 4, 5], marks=[FROM]),
    ]
    block, *_ = copy_blocks(Paragraph(sentences=told))
    assert isinstance(block, Paragraph)
    assert [each.notes for each in block.sentences] == [[], [1], [1], [2], [], [1, 3], [4], []]
    assert len(told[-1].notes) == MAX_CITED + 1


@pytest.mark.parametrize("is_concluded", [False, True])
def test_copy_cites_no_source_of_advice(is_concluded: bool) -> None:
    told = Sentence(text="Ask 30 buyers.", notes=[1], marks=[FROM] * is_concluded)
    [advice, *_] = copy_blocks(ItemList(items=[told]))
    assert isinstance(advice, ItemList)
    assert advice.items[0].notes == ([] if is_concluded else [1])


def test_copy_lists_first_what_conclusions_rest_on_and_says_what_is_assumed() -> None:
    resting = Sentence(text="So 3 of them buy.", notes=[6], marks=[FROM, ASSUMED])
    unnamed = Sentence(text="At 10% it is 4.", notes=[2], marks=[ASSUMED])
    unsourced = Sentence(text="At 20% it is 8.", marks=[ASSUMED])
    told = [ASSUMPTION, resting, unnamed, unsourced]
    block, heading, listed = copy_blocks(Paragraph(sentences=told))
    assert isinstance(block, Paragraph)
    labels = [
        [mark.label for mark in each.marks if mark.position == "after_notes"]
        for each in block.sentences
    ]
    assert labels == [[say("en", "assumed-in-copy")], [], [], [say("en", "assumed-in-copy")]]
    [computed] = block.sentences[2].marks
    assert (computed.label, computed.position) == (say("en", "computed-assumed"), "before_notes")
    assert isinstance(heading, DocumentHeading)
    assert isinstance(listed, ItemList)
    assert [item.text for item in listed.items] == [ASSUMPTION.text]


def test_copy_says_which_figures_are_computed() -> None:
    told = Sentence(text="It rose by 5%.", notes=[3], marks=[Mark(code="computed")])
    copy = leave_out_appendix(DOCUMENT.model_copy(update={"blocks": [Paragraph(sentences=[told])]}))
    [block] = copy.blocks
    assert isinstance(block, Paragraph)
    [mark] = block.sentences[0].marks
    assert (mark.label, mark.position) == (say("en", "computed-from"), "before_notes")
    assert f"[{mark.label} 1]" in write_markdown(copy)


def test_copy_without_assumptions_has_no_list_of_them() -> None:
    assert len(copy_blocks(Paragraph(sentences=[Sentence(text="a", notes=[1])]))) == 1


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

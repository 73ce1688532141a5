"""A presentation is read slide by slide in display order, with its notes."""

import io
from typing import Any

import pptx
import pytest
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Cm

from activities.parsing.document import Parsed, Unreadable
from activities.parsing.read_document import read_document
from contracts.documents import UnreadPart
from contracts.evidence.read_failures import describe_failure


def read(deck: Any) -> Parsed:
    buffer = io.BytesIO()
    deck.save(buffer)
    return read_document(buffer.getvalue(), "")


@pytest.fixture
def deck() -> Any:
    return pptx.Presentation()


def add(deck: Any, title: str = "", layout: int = 5) -> Any:
    slide = deck.slides.add_slide(deck.slide_layouts[layout])
    if title:
        slide.shapes.title.text = title
    return slide


def write(slide: Any, text: str, left: float = 1, top: float = 5) -> Any:
    box = slide.shapes.add_textbox(Cm(left), Cm(top), Cm(5), Cm(1))
    box.text_frame.text = text
    return box


def test_shapes_are_read_by_their_places(deck: Any) -> None:
    slide = add(deck, "Fleet")
    write(slide, "third", 1, 9)
    write(slide, "second", 9, 6)
    write(slide, "first", 1, 6)
    assert read(deck).text == "# Slide 1: Fleet\n\nfirst\nsecond\nthird"


def test_hidden_slides_are_left_out_and_told(deck: Any) -> None:
    add(deck, "Seen 12")
    add(deck, "Hidden")._element.set("show", "0")
    add(deck, "Last")
    page = read(deck)
    assert page.text == "# Slide 1: Seen 12\n\n# Slide 3: Last"
    assert page.unread == (UnreadPart(code="slides_hidden", count=1, names=["2"]),)
    assert [each.heading for each in page.sections] == ["Slide 1: Seen 12", "Slide 3: Last"]
    assert (page.title, page.author, page.published) == ("Seen 12", "", None)


def test_tables_repeat_merged_cells(deck: Any) -> None:
    table = add(deck, "T").shapes.add_table(3, 3, Cm(1), Cm(5), Cm(9), Cm(3)).table
    for (row, column), text in {
        (0, 1): "2024",
        (1, 0): "North",
        (1, 1): "4",
        (1, 2): "5",
        (2, 1): "6",
    }.items():
        table.cell(row, column).text = text
    table.cell(0, 1).merge(table.cell(0, 2))
    table.cell(1, 0).merge(table.cell(2, 0))
    rows = ["|  | 2024 | 2024 |", "| North | 4 | 5 |", "| North | 6 |  |"]
    assert read(deck).text.splitlines()[2:] == rows


def test_groups_charts_and_notes_are_read(deck: Any) -> None:
    slide = add(deck, "Sales")
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(Cm(1), Cm(4), Cm(5), Cm(1)).text_frame.text = "in a group"
    make: Any = CategoryChartData  # which has no types
    data = make()
    data.categories = ["2023", "2024"]
    data.add_series("Cranes", (31, 44.5))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Cm(1), Cm(8), Cm(9), Cm(5), data)
    slide.notes_slide.notes_text_frame.text = "Say that it is provisional: 81."
    lines = [each for each in read(deck).text.splitlines() if each]
    assert lines == [
        *("# Slide 1: Sales", "in a group", "|  | Cranes |", "| 2023 | 31 |", "| 2024 | 44.5 |"),
        "Notes: Say that it is provisional: 81.",
    ]


def test_struck_text_is_left_out_and_marks_are_kept_apart(deck: Any) -> None:
    paragraph = write(add(deck, "P"), "").text_frame.paragraphs[0]
    for text, name, value in (
        ("30 euros ", "strike", "sngStrike"),
        ("12.5", "strike", "noStrike"),
        ("1", "baseline", "30000"),
        (" million", "baseline", "0"),
    ):
        run = paragraph.add_run()
        run.text = text
        run._r.get_or_add_rPr().set(name, value)
    assert read(deck).text.endswith("12.5 [1] million")


def test_large_pictures_are_counted(deck: Any) -> None:
    picture = io.BytesIO(
        bytes.fromhex(
            "89504e470d0a1a0a0000000d494844520000000100000001080200000090"
            "7753de0000000c49444154789c63f8ffff3f0005fe02fe0def46b80000000049454e44ae426082"
        )
    )
    slide = add(deck, "Scan")
    slide.shapes.add_picture(picture, Cm(1), Cm(5), Cm(12), Cm(9))
    slide.shapes.add_picture(picture, Cm(1), Cm(5), Cm(1), Cm(1))
    assert read(deck).unread == (UnreadPart(code="images", count=1),)


def test_presentation_without_text_says_so(deck: Any) -> None:
    add(deck)
    with pytest.raises(Unreadable) as refused:
        read(deck)
    assert refused.value.failure == describe_failure("no_text_in", format="slides")

"""Exactly the visible text of a Word document is read."""

import pytest

from tests.activities.parsing.office.word.bodies import STYLES, p, r, read, style


def deleted(text: str) -> str:
    return f"<w:del><w:r><w:delText>{text}</w:delText></w:r></w:del>"


def field(kind: str) -> str:
    return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'


CODE = "<w:r><w:instrText>PAGEREF x</w:instrText></w:r>"


DELETED_MARK = "<w:rPr><w:del/></w:rPr>"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (p(r("a ") + f"<w:ins>{r('new')}</w:ins>" + deleted("old") + r(" z")), "a new z"),
        (p(f"<w:moveTo>{r('moved here')}</w:moveTo>"), "moved here"),
        (p(f"<w:moveFrom>{r('moved away')}</w:moveFrom>") + p("stays"), "stays"),
        (p("one ", DELETED_MARK) + p("two ", DELETED_MARK) + p("three"), "one two three"),
        (p(deleted("gone"), DELETED_MARK) + p("stays"), "stays"),
        (p(r("a"), "<w:pPrChange><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr></w:pPrChange>"), "a"),
        (p(r("a", "<w:rPrChange><w:rPr><w:strike/></w:rPr></w:rPrChange>")), "a"),
        (p(f"<w:ins>{r('a')}{deleted('b')}</w:ins>"), "a"),
    ],
)
def test_changes_are_accepted(body: str, text: str) -> None:
    assert read(body).text == text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (f"<w:sdt><w:sdtPr/><w:sdtContent>{p('block')}</w:sdtContent></w:sdt>", "block"),
        (p(f"<w:sdt><w:sdtContent>{r('inline')}</w:sdtContent></w:sdt>"), "inline"),
        (p(f"<w:fldSimple w:instr='DATE'>{r('3 May')}</w:fldSimple>"), "3 May"),
        (p(f"<w:smartTag><w:smartTag>{r('Hamburg')}</w:smartTag></w:smartTag>"), "Hamburg"),
        (p(f"<w:customXml>{r('tagged')}</w:customXml>"), "tagged"),
        (p(f"<w:hyperlink>{r('linked')}</w:hyperlink>"), "linked"),
        (p(f"<w:bdo w:val='rtl'>{r('אבג')}</w:bdo>"), "אבג"),
        (p(field("begin") + CODE + field("separate") + r("17") + field("end")), "17"),
        (p(r("a") + field("begin") + CODE + field("end") + r("z")), "az"),
        (p(r("a") + field("begin") + r("not lost")), "anot lost"),
        (
            p(field("begin") + CODE + field("begin") + CODE + field("separate") + r("inner"))
            + p(field("end") + field("separate") + r("outer") + field("end")),
            "outer",
        ),
        (
            p(
                "<w:r><w:fldChar w:fldCharType='begin'><w:ffData><w:checkBox><w:checked/></w:checkBox>"
                f"</w:ffData></w:fldChar></w:r>{field('end')}{r(' paid')}"
            ),
            "☒ paid",
        ),
        (
            p(
                "<w:r><w:fldChar w:fldCharType='begin'><w:ffData><w:ddList><w:result w:val='1'/>"
                "<w:listEntry w:val='no'/><w:listEntry w:val='yes'/></w:ddList></w:ffData></w:fldChar>"
                f"</w:r>{field('end')}"
            ),
            "yes",
        ),
    ],
)
def test_controls_and_fields_show_what_they_hold(body: str, text: str) -> None:
    assert read(body).text == text


BOX = f"<w:txbxContent>{p('in the box')}{p('its end')}</w:txbxContent>"


VML = f"<w:r><w:pict><v:shape><v:textbox>{BOX}</v:textbox></v:shape></w:pict></w:r>"


DRAWN = f"<w:drawing><wps:txbx>{BOX}</wps:txbx></w:drawing>"


BOTH = (
    f"<w:r><mc:AlternateContent><mc:Choice Requires='wps'>{DRAWN}</mc:Choice>"
    f"<mc:Fallback><w:pict><v:textbox>{BOX}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
)


@pytest.mark.parametrize("box", [VML, f"<w:r>{DRAWN}</w:r>", BOTH])
def test_text_box_is_read_once_behind_its_paragraph(box: str) -> None:
    assert read(p(r("before") + box) + p("after")).text == "before\nin the box\nits end\nafter"


def test_text_box_within_a_text_box_and_a_cell_is_read() -> None:
    inner = p(r("outer") + VML)
    box = (
        f"<w:r><w:pict><v:textbox><w:txbxContent>{inner}</w:txbxContent></v:textbox></w:pict></w:r>"
    )
    table = f"<w:tbl><w:tr><w:tc>{p(r('cell') + box)}</w:tc><w:tc>{p('next')}</w:tc></w:tr></w:tbl>"
    assert read(table).text == "| cell outer in the box its end | next |"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (p(r("a ") + r("hidden", "<w:vanish/>") + r("z")), "a z"),
        (p(r("a ") + r("shown", "<w:vanish w:val='0'/>")), "a shown"),
        (p(r("a ") + r("hidden", style("Hid", "r")) + r("hidden", style("Hid2", "r"))), "a"),
        (p(r("a ") + r("shown", style("Hid", "r") + "<w:vanish w:val='false'/>")), "a shown"),
        (p("hidden", style("Ghost")) + p("z"), "z"),
        (p(r("shown", style("Hid", "r")), style("Ghost")), "shown"),
        (p(r("30 ", "<w:strike/>") + r("48 ", "<w:dstrike/>") + r("19 euros")), "19 euros"),
        (p(r("30 ", style("Old", "r")) + r("19 euros")), "19 euros"),
        (p("a", style("Ring")), "a"),
        (p("a", style("Unknown")), "a"),
    ],
)
def test_hidden_and_struck_text_is_left_out(body: str, text: str) -> None:
    assert read(body, styles=STYLES).text == text


@pytest.mark.parametrize(
    ("properties", "text"),
    [
        ("<w:vertAlign w:val='superscript'/>", "$12.5 [1] million"),
        (style("Mark", "r"), "$12.5 [1] million"),
        ("<w:position w:val='8'/>", "$12.5 [1] million"),
        ("<w:position w:val='2'/>", "$12.51 million"),
        (style("Mark", "r") + "<w:vertAlign w:val='baseline'/>", "$12.51 million"),
    ],
)
def test_raised_mark_is_kept_apart(properties: str, text: str) -> None:
    assert read(p(r("$12.5") + r("1", properties) + r(" million")), styles=STYLES).text == text


@pytest.mark.parametrize(
    ("run", "text"),
    [
        ("<w:noBreakHyphen/>", "2019‑2024"),
        ("<w:softHyphen/>", "20192024"),
        ("<w:tab/>", "2019 2024"),
        ("<w:ptab/>", "2019 2024"),
        ("<w:br/>", "2019\n2024"),
        ("<w:sym w:font='Symbol' w:char='F0B1'/>", "2019±2024"),
    ],
)
def test_signs_of_a_run_are_read(run: str, text: str) -> None:
    assert read(p(f"<w:r><w:t>2019</w:t>{run}<w:t>2024</w:t></w:r>")).text == text


def test_reading_of_characters_stands_behind_them() -> None:
    ruby = f"<w:r><w:ruby><w:rt>{r('とうきょう')}</w:rt><w:rubyBase>{r('東京')}</w:rubyBase></w:ruby></w:r>"
    assert read(p(r("今日の") + ruby + r("です"))).text == "今日の東京(とうきょう)です"

"""Exactly the visible text of a Word document is read."""

import pytest

from activities.parsing.document import Parsed
from activities.parsing.read_document import read_document
from tests.activities.parsing.office.documents import word


def read(body: str, **parts: str) -> Parsed:
    return read_document(word(body, **parts), "")


def r(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def p(content: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{content if '<' in content else r(content)}</w:p>"


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


STYLES = """
<w:style w:type="character" w:styleId="Hid"><w:name w:val="Hid"/><w:rPr><w:vanish/></w:rPr></w:style>
<w:style w:type="character" w:styleId="Hid2"><w:name w:val="Hid2"/><w:basedOn w:val="Hid"/></w:style>
<w:style w:type="character" w:styleId="Mark"><w:name w:val="Mark"/><w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:style>
<w:style w:type="character" w:styleId="Old"><w:name w:val="Old"/><w:rPr><w:strike/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="Ghost"><w:name w:val="Ghost"/><w:rPr><w:vanish/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="berschrift2"><w:name w:val="heading 2"/><w:pPr><w:numPr><w:ilvl w:val="1"/>
<w:numId w:val="1"/></w:numPr></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/>
</w:numPr></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Own"><w:name w:val="Own head"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Titel"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="Ring"><w:name w:val="Ring"/><w:basedOn w:val="Ring2"/></w:style>
<w:style w:type="paragraph" w:styleId="Ring2"><w:name w:val="Ring2"/><w:basedOn w:val="Ring"/></w:style>
"""


def style(name: str, kind: str = "p") -> str:
    return f'<w:{kind}Style w:val="{name}"/>'


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


LEVELS = """<w:abstractNum w:abstractNumId="0">
<w:lvl w:ilvl="0"><w:start w:val="4"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
<w:lvl w:ilvl="1"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/></w:lvl>
<w:lvl w:ilvl="2"><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="(%3)"/></w:lvl>
<w:lvl w:ilvl="3"><w:numFmt w:val="upperRoman"/><w:lvlText w:val="Article %4"/></w:lvl>
<w:lvl w:ilvl="4"><w:numFmt w:val="bullet"/><w:lvlText w:val="·"/></w:lvl>
<w:lvl w:ilvl="5"><w:numFmt w:val="decimal"/><w:isLgl/><w:lvlText w:val="%4.%6"/></w:lvl>
</w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="9"/></w:lvlOverride></w:num>
"""


def item(text: str, level: int = 0, number: int = 1) -> str:
    return p(text, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>')


def test_numbers_are_those_that_are_shown() -> None:
    body = [
        item("Rent"),
        item("pays", 1),
        item("pays for", 1),
        item("heating", 2),
        item("gas", 2),
        item("Notice"),
        item("three months", 1),
        item("law", 3),
        item("section", 5),
        item("point", 4),
        item("other list", 0, 2),
        item("no list", 0, 0),
    ]
    assert read("".join(body), numbering=LEVELS).text.splitlines() == [
        *("4. Rent", "4.1 pays", "4.2 pays for", "(a) heating", "(b) gas", "5. Notice"),
        *(
            "5.1 three months",
            "Article I law",
            "1.1 section",
            "- point",
            "9. other list",
            "no list",
        ),
    ]


def test_headings_are_known_by_style_or_level_and_keep_their_numbers() -> None:
    body = (
        p("Fleet", style("Titel"))
        + p("Rent", style("berschrift1"))
        + p("Pay", style("berschrift2"))
    )
    body += p("Detail", style("Own")) + p("x", "<w:outlineLvl w:val='0'/>") + p("text")
    page = read(body, styles=STYLES, numbering=LEVELS)
    heads = ["# Fleet", "# 4. Rent", "## 4.1 Pay", "### Detail", "# x", "text"]
    assert [each for each in page.text.splitlines() if each] == heads
    assert [each.heading for each in page.sections] == [
        "Fleet",
        "4. Rent",
        "4.1 Pay",
        "Detail",
        "x",
    ]
    assert page.title == "Fleet"


def cell(text: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{text if '<' in text else p(text)}</w:tc>"


def table(*rows: str) -> str:
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"


SPAN = '<w:gridSpan w:val="{}"/>'
START, GOES_ON = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
DELETED_ROW = "<w:trPr><w:del/></w:trPr>"


@pytest.mark.parametrize(
    ("rows", "lines"),
    [
        (
            [cell("Year") + cell("2024", SPAN.format(2)), cell("a") + cell("1") + cell("2")],
            ["| Year | 2024 | 2024 |", "| a | 1 | 2 |"],
        ),
        (
            [
                cell("h") + cell("i"),
                cell("North", START) + cell("1"),
                cell("", GOES_ON) + cell("2"),
            ],
            ["| h | i |", "| North | 1 |", "| North | 2 |"],
        ),
        ([cell("", GOES_ON) + cell("C1")], ["| | C1 |"]),
        ([cell("own", GOES_ON) + cell("C1")], ["| own | C1 |"]),
        (
            [cell("Wide", SPAN.format(2)) + cell("x", START), cell("a") + cell("C2", GOES_ON)],
            ["| Wide | Wide | x |", "| a | C2 |"],
        ),
        ([cell("a", SPAN.format(999_999)), cell("b")], ["| a |", "| b |"]),
        ([cell("a", SPAN.format(-1)), cell("b", SPAN.format("x"))], ["| a |", "| b |"]),
        ([DELETED_ROW + cell("gone"), cell("stays")], ["| stays |"]),
        ([cell("a", "<w:cellDel/>") + cell("b")], ["| b |"]),
        ([cell(p("one") + p("two")) + cell("b")], ["| one two | b |"]),
        ([cell("a|b")], [r"| a\|b |"]),
        (["<w:trPr><w:gridBefore w:val='1'/></w:trPr>" + cell("a")], ["| | a |"]),
        ([f"<w:sdt><w:sdtContent>{cell('a')}</w:sdtContent></w:sdt>" + cell("b")], ["| a | b |"]),
        (
            [cell(table(cell("in 1") + cell("55"), cell("in 2")) + p("")) + cell("z")],
            ["| in 1 55; in 2 | z |"],
        ),
        (["<w:trPr><w:hidden/></w:trPr>" + cell("hidden"), cell("stays")], ["| stays |"]),
    ],
)
def test_rows_are_read_whatever_their_merges(rows: list[str], lines: list[str]) -> None:
    assert read(table(*rows)).text.splitlines() == lines


def test_long_cell_over_rows_is_repeated_by_its_start() -> None:
    text = read(table(cell("word " * 999, START) + cell("1"), cell("", GOES_ON) + cell("2"))).text
    assert len(text.splitlines()[1]) < 300


def note(number: int, text: str) -> str:
    return f'<w:footnote w:id="{number}">{p(text)}</w:footnote>'


def test_notes_are_marked_apart_and_read_at_the_end() -> None:
    mark = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    end = '<w:r><w:endnoteReference w:id="2"/></w:r>'
    rows = table(cell(p(r("412") + mark)) + cell(p(r("10") + end)))
    separator = '<w:footnote w:id="0" w:type="separator"><w:p/></w:footnote>'
    page = read(
        rows,
        footnotes=separator + note(2, "provisional"),
        endnotes=note(2, "estimated").replace("footnote", "endnote"),
    )
    assert page.text.splitlines() == [
        "| 412 [1] | 10 [2] |",
        "",
        "[1] provisional",
        "[2] estimated",
    ]


def test_equation_is_text() -> None:
    fraction = (
        "<m:oMath><m:r><m:t>x=</m:t></m:r><m:f><m:num><m:r><m:t>12</m:t></m:r></m:num>"
        "<m:den><m:r><m:t>5</m:t></m:r></m:den></m:f><m:sSup><m:e><m:r><m:t>y</m:t></m:r></m:e>"
        "<m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>"
    )
    assert "12/5" in read(p(fraction)).text
    assert "y^2" in read(p(fraction)).text


def test_reading_of_characters_stands_behind_them() -> None:
    ruby = f"<w:r><w:ruby><w:rt>{r('とうきょう')}</w:rt><w:rubyBase>{r('東京')}</w:rubyBase></w:ruby></w:r>"
    assert read(p(r("今日の") + ruby + r("です"))).text == "今日の東京(とうきょう)です"


CHART = """c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx></c:title>
<c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>Cranes</c:v></c:pt></c:strCache>
</c:strRef></c:tx><c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>2023</c:v></c:pt><c:pt idx="1"><c:v>2024</c:v></c:pt>
</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>31</c:v></c:pt><c:pt idx="1">
<c:v>44</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>"""
DIAGRAM = """dgm:dataModel><dgm:ptLst><dgm:pt><dgm:t><a:p><a:r><a:t>Plan</a:t></a:r></a:p></dgm:t></dgm:pt>
<dgm:pt><dgm:t><a:p><a:r><a:t>Build</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>"""


def test_chart_and_diagram_are_read() -> None:
    drawings = "<w:r><w:drawing><c:chart r:id='chart'/></w:drawing></w:r>"
    drawings += "<w:r><w:drawing><dgm:relIds r:dm='diagramData'/></w:drawing></w:r>"
    body = p(drawings) + p("after")
    text = read(
        body, chart=CHART.replace(">", " >", 1), diagramData=DIAGRAM.replace(">", " >", 1)
    ).text
    lines = ["Sales", "| | Cranes |", "| 2023 | 31 |", "| 2024 | 44 |", "Plan", "Build", "after"]
    assert text.splitlines() == lines


def test_values_of_a_chart_are_as_it_shows_them() -> None:
    months = "<c:numRef><c:numCache><c:formatCode>mmm\\-yy</c:formatCode>"
    chart = CHART.replace(
        '<c:strRef><c:strCache><c:pt idx="0"><c:v>2023</c:v>',
        months + '<c:pt idx="0"><c:v>45292</c:v>',
    )
    chart = chart.replace(
        "<c:v>2024</c:v></c:pt>\n</c:strCache></c:strRef>",
        "<c:v>45323</c:v></c:pt>\n</c:numCache></c:numRef>",
    )
    rates = (
        '<c:numCache><c:formatCode>0.0%</c:formatCode><c:pt idx="0"><c:v>0.11400000000000001</c:v>'
    )
    chart = chart.replace('<c:numCache><c:pt idx="0"><c:v>31</c:v>', rates).replace(
        "<c:v>44</c:v>", "<c:v>0.089</c:v>"
    )
    text = read(
        p("<w:r><w:drawing><c:chart r:id='chart'/></w:drawing></w:r>"),
        chart=chart.replace(">", " >", 1),
    ).text
    assert text.splitlines()[-2:] == ["| Jan-24 | 11.4% |", "| Feb-24 | 8.9% |"]


def test_pictures_and_attachments_that_are_not_read_are_counted() -> None:
    def picture(width: int) -> str:
        extent = f'<wp:extent cx="{width}" cy="3000000"/>'
        return f"<w:r><w:drawing><wp:inline>{extent}<pic:pic/></wp:inline></w:drawing></w:r>"

    page = read(p(picture(5_000_000) + picture(300_000) + r("a")), oleObject="x />")
    assert [(each.code, each.count, each.names) for each in page.unread] == [
        ("images", 1, []),
        ("attachments", 1, ["oleObject.xml"]),
    ]


def test_main_part_may_be_called_otherwise() -> None:
    assert read_document(word(p("cloud"), main="word/document2.xml"), "").text == "cloud"
    assert read_document(word(p("other"), main="content/main.xml"), "").text == "other"

"""Notes, equations, charts and pictures of a Word document, and parts that are not read."""

from activities.parsing.read_document import read_document
from tests.activities.parsing.office.documents import word
from tests.activities.parsing.office.word.bodies import cell, p, r, read, table


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

"""Numbers and headings of a Word document are those that it shows."""

from tests.activities.parsing.office.word.bodies import STYLES, p, read, style

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

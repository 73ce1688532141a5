"""Report files look like the page: its colours, proportional sizes, and serif text."""

import re
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

REPORTS = Path("api/reports")
TOKENS = Path("web/src/style/tokens.css").read_text("utf-8")
CSS = (REPORTS / "report.css").read_text("utf-8")
TYPST = (REPORTS / "pdf_and_word/report.typ").read_text("utf-8")
STYLES = zipfile.ZipFile(REPORTS / "pdf_and_word/report.docx").read("word/styles.xml").decode()
POINTS_PER_REM = 10 / 1.0625
"""Body text of paper, in points, for that of the page."""
PAPER: Mapping[str, str] = {
    "line": "line-colour",
    "wait": "doubtful",
}
"""Names in `report.typ` that differ from the page's: `line` is typst's own."""
WORD = {
    "ink": "Heading1",
    "muted": "BlockText",
    "go": "Hyperlink",
    "judged": "judged",
    "computed": "computed",
    "wait": "doubtful",
}
"""The style of a Word document that has a colour of the page."""
WORD_SIZES = {
    "t1": ("judged", "computed", "doubtful"),
    "t2": ("plain", "BlockText", "FootnoteText", "Table", "Caption"),
    "t3": ("Heading3",),
    "t4": ("Heading2",),
    "t5": ("Heading1",),
}


def read_token(css: str, name: str) -> str:
    """Return what a custom property is set to."""
    found = re.search(rf"--{name}:\s*([^;]+);", css)
    assert found, name
    return found[1]


def read_points(name: str) -> float:
    """Return a size of the page in points of paper; of a fluid one the largest."""
    return max(map(float, re.findall(r"([\d.]+)rem", read_token(TOKENS, name)))) * POINTS_PER_REM


def read_style(name: str) -> str:
    found = re.search(rf'<w:style [^>]*w:styleId="{name}".*?</w:style>', STYLES, re.DOTALL)
    assert found, name
    return found[0]


@pytest.mark.parametrize(
    "name",
    [
        *("t1", "t2", "t3", "t4", "t5", "paper", "ink", "muted", "line", "edge"),
        *("go", "judged", "computed", "wait", "quote"),
    ],
)
def test_html_has_the_sizes_and_colours_of_the_page(name: str) -> None:
    assert read_token(CSS, name) == read_token(TOKENS, name)


def test_html_writes_no_colour_beside_the_tokens_but_white_behind_charts() -> None:
    rules = CSS.partition("}")[2]
    assert re.findall(r"#[0-9a-f]{3,8}\b", rules) == ["#fff"]


@pytest.mark.parametrize("name", ["ink", "muted", "line", "edge", "go", *PAPER, *list(WORD)[3:5]])
def test_pdf_has_the_colours_of_the_page(name: str) -> None:
    light = re.findall(r"#\w{6}", read_token(TOKENS, name))[0]
    found = re.search(rf'#let {PAPER.get(name, name)} = .*?"(#\w{{6}})"', TYPST)
    assert found
    assert found[1] == light


@pytest.mark.parametrize("name", WORD)
def test_word_has_the_colours_of_the_page(name: str) -> None:
    light = re.findall(r"#(\w{6})", read_token(TOKENS, name))[0]
    assert re.findall(r'<w:color w:val="(\w+)"', read_style(WORD[name])) == [light.upper()]


def test_word_states_ink_in_a_style_since_libreoffice_takes_a_default_in_tables_for_more() -> None:
    assert "w:color" not in STYLES.partition("<w:rPrDefault>")[2].partition("</w:rPrDefault>")[0]
    assert 'w:val="1C201B"' in read_style("Normal")


@pytest.mark.parametrize("name", WORD_SIZES)
def test_paper_has_the_sizes_of_the_page_in_proportion(name: str) -> None:
    wanted = read_points(name)
    found = re.search(rf"#let {name} = ([\d.]+)pt", TYPST)
    assert found
    assert float(found[1]) == pytest.approx(wanted, abs=0.13)
    for style in WORD_SIZES[name]:  # Word counts half points
        sizes = re.findall(r'<w:sz w:val="(\d+)"', read_style(style))
        assert [int(size) / 2 for size in sizes] == pytest.approx([wanted], abs=0.3)


def test_what_is_read_is_serif_and_what_is_looked_up_is_not() -> None:
    assert read_token(TOKENS, "serif").startswith('"Source Serif 4')
    assert read_token(CSS, "serif").startswith(read_token(TOKENS, "serif").split(",")[0])
    assert read_token(CSS, "sans").startswith(read_token(TOKENS, "sans").split(",")[0])
    assert '#let serif = ("Source Serif Pro",)' in TYPST
    for style, face in {"Heading1": "Georgia", "Heading2": "Georgia", "Table": "Calibri"}.items():
        assert f'w:ascii="{face}"' in read_style(style)

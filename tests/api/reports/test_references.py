"""A report's references: other programs read back the sources' metadata, for any content."""

import json

import pytest
import rispy
from bibtexparser.entrypoint import parse_string
from hypothesis import given, settings
from hypothesis import strategies as st
from pylatexenc.latex2text import LatexNodes2Text

from api.reports.references import write_references
from contracts.evidence.sources import Source
from domain.sources.bibliography import BibliographyEntry, build_bibliography
from tests.support.sources import page

HOSTILE = {
    "braces": "A {curly} title }{ and {{{ open",
    "a closing brace": "}, author = {Mallory",
    "newlines": "Two\nlines\r\nand\u2028three\x0b\x85four",
    "a tag": "Pumps\nER  - \nTY  - BOOK",
    "an entry": "@book{mallory, title = {x}}",
    "percent": "100 % of $5 & #1_a ~ x^2 \\ \\textbf{b} \\input{/etc/passwd}",
    "dashes and quotes": "a -- b --- c ``d'' ?`e <<f>> ,,g",
    "right to left": "مضخات الطاقة الشمسية \u202eabc\u202c משאבות",
    "unicode": "Ünïcödé 日本のポンプ 🌍 e\u0301 ﬁ",
    "control characters": "a\x00b\x1bc\x7fd\ud800e",
    "5,000 characters": "x{%}" * 1_250,
    "quotation marks": 'He said "no", then = {yes}',
    "a comment": "% no title\n%",
    "commas": "Doe, Jane, and Sons and Daughters",
}

OTHER = "https://example.org/b?c=1&d=%7B"


def entry(title: str, author: str = "", url: str = "https://example.org/a") -> BibliographyEntry:
    source = page(url, title=title, author=author, publisher=title, published="2023-05-01")
    [entry] = build_bibliography([source])
    return entry


def read_bibtex(text: str) -> list[dict[str, str]]:
    """Return the entries that bibtexparser reads, without LaTeX; nothing may be left over."""
    library = parse_string(text)
    assert not library.failed_blocks
    assert len(library.blocks) == len(library.entries)
    return [
        {"key": each.key, "type": each.entry_type}
        | {field.key: strip_latex(field.key, field.value) for field in each.fields}
        for each in library.entries
    ]


def strip_latex(name: str, value: str) -> str:
    """Return the text of a field; an address is read to the letter."""
    if name not in {"title", "author", "organization"}:
        return value
    assert (value[0], value[-1]) == ("{", "}")
    text: str = LatexNodes2Text(strict_latex_spaces=True).latex_to_text(value[1:-1])
    return text.replace("\u02c6", "^")  # the accent, which pylatexenc takes for LaTeX's sign


@pytest.mark.parametrize("title", HOSTILE.values(), ids=HOSTILE)
def test_other_programs_read_hostile_titles_back(title: str) -> None:
    made, plain = entry(title, author=title.replace(";", "")), entry("Plain", url=OTHER)
    read = read_bibtex(write_references("bib", [made, plain]))
    assert [each["title"] for each in read] == [made.title, "Plain"]
    assert [each.get("organization", "") for each in read] == [made.publisher, "Plain"]
    assert read[0]["author"] == made.authors[0]
    assert read[1] == {
        "key": plain.key,
        "type": "online",
        "title": "Plain",
        "organization": "Plain",
        "date": "2023-05-01",
        "url": OTHER,
        "urldate": "2026-01-01",
    }

    ris = rispy.loads(write_references("ris", [made, plain]))
    assert [each["title"] for each in ris] == [made.title, "Plain"]
    assert ris[0]["authors"] == [*made.authors]
    assert [each["urls"] for each in ris] == [[made.url], [plain.url]]
    assert (ris[1]["year"], ris[1]["date"], ris[1]["access_date"]) == (
        "2023",
        "2023/05/01",
        "2026/01/01",
    )
    assert (ris[1]["id"], ris[1]["type_of_reference"]) == (plain.key, "ELEC")

    csl = json.loads(write_references("csl", [made, plain]))
    assert [each["title"] for each in csl] == [made.title, "Plain"]
    assert csl[0]["author"] == [{"literal": made.authors[0]}]
    assert csl[1] == {
        "id": plain.key,
        "type": "webpage",
        "title": "Plain",
        "container-title": "Plain",
        "URL": plain.url,
        "issued": {"date-parts": [[2023, 5, 1]]},
        "accessed": {"date-parts": [[2026, 1, 1]]},
    }


@settings(max_examples=40)
@given(st.text(max_size=60), st.text(max_size=60))
def test_whatever_stands_in_a_title_or_address_hides_no_other_entry(title: str, path: str) -> None:
    source = Source.model_validate(dict(page(f"https://example.org/{path}")) | {"title": title})
    entries = build_bibliography([source, page("https://example.org/last", title="Last")])
    assert [each["key"] for each in read_bibtex(write_references("bib", entries))] == [
        e.key for e in entries
    ]
    assert [each["id"] for each in rispy.loads(write_references("ris", entries))] == [
        e.key for e in entries
    ]


def test_balanced_braces_hold_for_bibtex_itself() -> None:
    """BibTeX counts every brace, including escaped ones."""
    for title in HOSTILE.values():
        depth = 0
        for sign in write_references("bib", [entry(title, author=title)]):
            depth += {"{": 1, "}": -1}.get(sign, 0)
            assert depth >= 0
        assert depth == 0


def test_unknown_fields_are_left_out() -> None:
    [bare] = build_bibliography([page("https://example.org/a")])
    assert json.loads(write_references("csl", [bare]))[0].keys() == {
        "id",
        "type",
        "title",
        "URL",
        "accessed",
    }
    assert write_references("bib", []) == write_references("ris", []) == ""
    assert write_references("csl", []) == "[]"


def test_lines_of_ris_end_as_the_format_says() -> None:
    lines = write_references("ris", [entry("a\nb")]).split("\r\n")
    assert (lines[0], lines[-2], lines[-1]) == ("TY  - ELEC", "ER  - ", "")
    assert not any(set(line) & set("\r\n") for line in lines)

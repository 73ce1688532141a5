"""Separated values and JSON are read as rows and lines that can be quoted."""

import pytest

from activities.parsing.document import Parsed
from activities.parsing.read_document import read_document
from activities.parsing.text import records
from contracts.media_types import CSV, JSON, JSON_LINES, TSV


def read(text: str | bytes, media_type: str = CSV) -> Parsed:
    return read_document(text if isinstance(text, bytes) else text.encode(), media_type)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a;b\n1.250,50;x, y\n", ["| a | b |", "| 1.250,50 | x, y |"]),
        ("a\tb\nx, y\t1,5\n", ["| a | b |", "| x, y | 1,5 |"]),
        ("a|b\n1|2\n", ["| a | b |", "| 1 | 2 |"]),
        ('a,b\n"one\ntwo, three",2\n', ["| a | b |", "| one two, three | 2 |"]),
        ('a,b\n"say ""no""",2\n', ["| a | b |", '| say "no" | 2 |']),
        ("sep=|\na|b;c;d\n1|2;3;4\n", ["| a | b;c;d |", "| 1 | 2;3;4 |"]),
        (
            "Made in 2024\n\nItem;Price;;\nPump;12;;\n",
            ["Made in 2024", "| Item | Price |", "| Pump | 12 |"],
        ),
        ("\t2023\t2024\nNorth\t1\t\n", ["|  | 2023 | 2024 |", "| North | 1 |  |"]),
        ('pipe,size\n"5 inch,2\n', ["| pipe | size |", "5 inch,2"]),
        ("one\ntwo\n", ["one", "two"]),
        ("a,b|c\nd,e\n", [r"| a | b\|c |", "| d | e |"]),
        (
            "id,people,price\n" + '7,"Doe 7; Roe 7",21.5\n' * 30,
            ["| id | people | price |", *["| 7 | Doe 7; Roe 7 | 21.5 |"] * 30],
        ),
        ('a,b,c\nWest, "4,120", "x, y"\n', ["| a | b | c |", "| West | 4,120 | x, y |"]),
        ('a,b\n"say \\"no\\", twice",2\n', ["| a | b |", '| say "no", twice | 2 |']),
        ('folder,n\n"C:\\data\\",2\n', ["| folder | n |", "| C:\\data\\ | 2 |"]),
    ],
)
def test_records_are_rows(text: str, lines: list[str]) -> None:
    assert read(text).text.splitlines() == lines
    assert read(text.replace("\n", "\r\n")).text.splitlines() == lines


def test_quote_that_nothing_closes_does_not_swallow_the_table() -> None:
    text = 'pipe,size\n"5 inch,2\n' + "pump,3\n" * 60
    assert read(text).text.splitlines()[1:3] == ['| "5 inch | 2 |', "| pump | 3 |"]


def test_long_cell_is_whole() -> None:
    assert read(f"a,b\n{'word ' * 200}end,2\n").text.endswith("word end | 2 |")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_encoding_of_a_table_is_found(encoding: str) -> None:
    text = read("Straße;Preis\nKöln;1.250 €\nLübeck – Süd;900 €\n".encode(encoding)).text
    assert text.splitlines()[0] == "| Straße | Preis |"
    assert "| Köln | 1.250 € |" in text


def test_rows_that_do_not_fit_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MAX_TEXT_CHARS", 100)
    parsed = read("a,b\n" + "123456,2\n" * 10)
    assert parsed.text.count("\n") + 1 == 7
    [cut] = parsed.unread
    assert (cut.code, cut.count, cut.of) == ("rows_cut", 4, 11)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('{"a": {"b": 1.10, "c": [1, 2]}}', ["a.b: 1.10", "a.c: 1, 2"]),
        ('{"a": 1e3, "a": 2}', ["a: 1e3", "a: 2"]),
        (
            '{"t": [{"x": 1, "y": null}, {"x": true}]}',
            ["t", "| x | y |", "| 1 | null |", "| true |  |"],
        ),
        ('[{"a": [1]}, {"a": [{"b": 2}]}]', ["[1].a: 1", "[2].a[1].b: 2"]),
        ('{"a": 1}\n{"a": 2}\n', ["| a |", "| 1 |", "| 2 |"]),
        ('["x", "y"]', ["x, y"]),
        ('{"a": "Grö\\u00dfe\\nzwei"}', ["a: Größe", "zwei"]),
        ('{"a": 1,}', ['{"a": 1,}']),
        ("[" * 100_000, ["[" * 100_000]),
    ],
)
@pytest.mark.parametrize("media_type", [JSON, JSON_LINES, "application/ld+json", "text/json"])
def test_json_is_lines_with_paths_and_tables(text: str, lines: list[str], media_type: str) -> None:
    assert read(text, media_type).text.splitlines() == lines


def test_page_under_the_label_of_a_table_is_a_page() -> None:
    page = f"<!doctype html><html><body><p>{'No such file, sorry. ' * 9}</p></body></html>"
    assert "<p>" not in read(page, TSV).text

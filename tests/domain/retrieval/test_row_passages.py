"""The passages of a row that answer a query."""

import pytest

from contracts.evidence.sources import FoundPassage
from domain.retrieval.document_rows import Row
from domain.retrieval.row_passages import PASSAGE_CHARS, find_passages, split_units
from domain.retrieval.search_words import list_terms, parse_query

PROSE = (
    "Acme sells pumps in many countries and has done so for more than\n"
    "fifty years. The company was founded in Kenya. Solar pumps serve 4,711\n"
    "farms there. "
    + "Other words fill the page and say nothing of note to anybody. " * 12
    + "\nNet sales | 2023 | 2022\nPumps $ 1,204 $ 1,100\nValves 310 290\nTotal 1,514 1,390\n"
)
ROW = Row(100, 100 + len(PROSE), 7, "Acme at work", PROSE)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("solar pumps farms", "Solar pumps serve 4,711\nfarms there."),
        ("valves", "Valves 310 290"),
        ("where was it founded", "The company was founded in Kenya."),
    ],
)
def test_passage_has_the_querys_words_whole(query: str, words: str) -> None:
    [found] = find_passages(ROW, parse_query(query))
    assert words in found.text
    assert len(found.text) <= PASSAGE_CHARS
    assert (found.page, found.heading) == (7, "Acme at work")
    assert PROSE[found.start - 100 : found.end - 100].split() == found.text.split()


def test_passages_begin_and_end_with_units() -> None:
    starts = {100 + start for start, _ in split_units(PROSE)}
    ends = {100 + end for _, end in split_units(PROSE)}
    for query in ("solar", "nothing", "total 2023", "submarine"):
        for found in find_passages(ROW, parse_query(query), most=3):
            assert found.start in starts
            assert found.end in ends


def test_wrapped_line_goes_on_and_a_row_of_a_table_does_not() -> None:
    units = [PROSE[start:end] for start, end in split_units(PROSE)]
    assert units[0].endswith("fifty years.")
    assert units[-3:] == ["Pumps $ 1,204 $ 1,100", "Valves 310 290", "Total 1,514 1,390"]


TABLE = (
    "The debt of the year consisted of the following:\n\n"
    "| | 2022 | 2021 |\n|---|---|---|\n"
    + "".join(
        f"| Notes of series {n} due in the year after next | 4,{n}11 | 3,{n}22 |\n"
        for n in range(10, 40)
    )
    + "| Bonds of the U.S. Treasury held | 812 | 640 |\n\n## Legal Proceedings\n\nNone of them is named.\n"
)


def read_passage(query: str, text: str = TABLE) -> str:
    [found] = find_passages(Row(0, len(text), None, "", text), parse_query(query))
    return found.text


def test_head_of_a_table_goes_with_its_first_row_and_stands_above_any_other() -> None:
    units = [TABLE[start:end] for start, end in split_units(TABLE)]
    assert units[1].startswith("| | 2022 | 2021 |\n|---|---|---|\n| Notes of series 10")
    shown = read_passage("series 25 notes").splitlines()
    assert shown[:2] == ["| | 2022 | 2021 |", "|---|---|---|"]
    assert any("series 25" in line for line in shown)
    assert not any("series 10" in line for line in shown)
    assert all(line.startswith("| ") for line in shown[2:])


def test_wide_head_with_its_rows_fits_a_passage_that_is_found() -> None:
    head = f"| | {' | '.join(f'unit {n}' for n in range(18))} |"
    rows = "".join(f"| Mast {n} {'| 17 ' * 18}|\n" for n in range(30))
    shown = read_passage("mast 20", f"{head}\n|{'---|' * 19}\n{rows}")
    assert shown.startswith(head)
    assert FoundPassage(start=0, text=shown).text == shown


def test_row_of_a_table_is_not_cut_behind_an_abbreviation() -> None:
    assert (
        "| Bonds of the U.S. Treasury held | 812 | 640 |" in read_passage("treasury").splitlines()
    )


def test_passage_does_not_end_with_a_heading() -> None:
    assert not read_passage("treasury bonds").rstrip().endswith("Legal Proceedings")
    assert read_passage("legal proceedings").startswith("## Legal Proceedings")


def test_long_sentence_is_cut_behind_a_clause() -> None:
    clauses = "; ".join(f"the {n} pumps of the {'very ' * 12}old farm were sold" for n in range(20))
    units = [clauses[start:end] for start, end in split_units(clauses)]
    assert len(units) > 3
    assert all(unit.endswith(";") for unit in units[:-1])


def test_several_passages_do_not_overlap() -> None:
    first, second = find_passages(ROW, parse_query("founded valves"), most=2)
    assert first.end <= second.start or second.end <= first.start
    assert {"founded" in p.text for p in (first, second)} == {True, False}


def test_terms_of_the_documents_name_do_not_count() -> None:
    name = frozenset(list_terms("Acme"))
    [found] = find_passages(ROW, parse_query("Acme valves"), name=name)
    assert "Valves" in found.text


def test_row_without_the_words_shows_its_beginning() -> None:
    [found] = find_passages(ROW, parse_query("submarine"))
    assert found.text.startswith("Acme sells pumps")
    assert find_passages(Row(0, 0, None, "", ""), parse_query("x")) == []


def test_sentence_longer_than_a_passage_is_cut_between_words() -> None:
    text = "pumps and " * 200
    [found] = find_passages(Row(0, len(text), None, "", text), parse_query("pumps"))
    assert len(found.text) <= PASSAGE_CHARS
    assert {*found.text.split()} == {"pumps", "and"}

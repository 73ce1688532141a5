"""The passages of a row that answer a query."""

import pytest

from domain.retrieval.passages import PASSAGE_CHARS, find_passages, split_units
from domain.retrieval.rows import Row
from domain.retrieval.terms import list_terms, parse_query

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

"""The terms of texts, names and queries."""

import pytest

from domain.retrieval.search_words import (
    RELATED_WEIGHT,
    list_terms,
    make_tsquery,
    parse_query,
    split_name,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("revenues", "revenue"),
        ("Companies", "company"),
        ("taxes", "tax"),
        ("losses", "loss"),
        ("analyses", "analysis"),
        ("Umsätzen", "Umsatz"),
        ("ricavi", "ricavo"),
        ("bénéfices", "benefice"),
        ("10-K", "10K"),
        ("34,229", "34.229"),
        ("R&D", "r&d"),
        ("ＡＢＣ", "abc"),
    ],
)
def test_forms_of_a_word_are_one_term(one: str, other: str) -> None:
    assert list_terms(one) == list_terms(other)
    assert len(list_terms(one)) == 1


@pytest.mark.parametrize(
    ("one", "other"), [("rate", "ratio"), ("business", "busy"), ("sale", "salt")]
)
def test_different_words_are_different_terms(one: str, other: str) -> None:
    assert list_terms(one) != list_terms(other)


def test_year_is_a_term_of_its_own() -> None:
    assert list_terms("FY2018") == ["fy", "2018"]
    assert list_terms("2023Q2") == ["2023", "q2"]


def test_scripts_without_spaces_are_pairs_of_characters() -> None:
    assert list_terms("東京都のiPhone") == ["東京", "京都", "都の", *list_terms("iPhone")]
    assert set(list_terms("서울")) <= set(list_terms("서울의"))


def test_words_keep_their_vowel_signs() -> None:
    assert list_terms("हिन्दी भाषा") == ["हिन्दी", "भाषा"]


def test_name_is_split_at_marks_and_case() -> None:
    assert split_name("BESTBUY_2023_10K.pdf") == "BESTBUY 2023 10K"
    assert split_name("reports/AnnualReport-2023.docx") == "reports Annual Report 2023"


def test_query_has_no_stop_words_of_its_language() -> None:
    assert set(parse_query("What is the population of Kenya?").terms) == set(
        list_terms("population Kenya")
    )
    assert "bevölkerung".replace("ö", "o") in parse_query("Wie groß ist die Bevölkerung?").terms
    assert "wie" not in parse_query("Wie groß ist die Bevölkerung?").terms
    assert parse_query("the of and").terms == {"the": 1, "of": 1, "and": 1}


def test_thesaurus_adds_related_terms_at_a_lower_weight() -> None:
    terms = parse_query("3M capital expenditure 2018").terms
    assert terms["capital"] == 1
    assert terms[list_terms("equipment")[0]] == RELATED_WEIGHT
    assert list_terms("liabilities")[0] in parse_query("quick ratio of Amcor").terms
    assert parse_query("population of Kenya").terms.keys() == set(list_terms("population Kenya"))


def test_tsquery_quotes_every_term() -> None:
    assert make_tsquery(["a", "o'b", "c\\d"]) == r"'a' | 'o''b' | 'c\\d'"

"""What a claim may say when its quotes say this."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from contracts.evidence.claims import Citation, Claim
from domain.evidence.quotes import Snapshot
from domain.evidence.verification import Evidence, verify_claim

KENYA = """Kenya has a population of 54,985,698, and the share of farmers is 42 %.
On 12 March 2021 the World Bank lent Kenya's Ministry of Energy $1.5 billion.
The WHO says COVID-19 and the U.S. embargo hurt us all in Q3 2021.
Between 3 and 5 million smallholders, most of them women, irrigate by hand.
Solar adoption grew; adoption of diesel fell. Prices of pumps fell too, prices of fuel rose.
Traders come from uganda, Uganda Road is theirs, and Uganda sells seeds.
Who pays for all of it? It is the state.
"""
UGANDA = """Uganda irrigates 0.5 % of its land (uganda.go.ug).
Rwanda's president Paul Kagame met Dr. William Ruto in New York.
"""
CHINESE = "肯尼亚的人口约为5400万，首都是内罗毕。\n上海的天气很好，适合散步。\n"
ARABIC = "يبلغ عدد سكان كينيا حوالي 54 مليون نسمة.\nتقع أوغندا في شرق أفريقيا.\n"
GERMAN = "Kenia hat 54,9 Millionen Einwohner, davon leben 27 Prozent in Städten.\n"
SOURCES = {
    number: Evidence(title, Snapshot(text))
    for number, (title, text) in enumerate(
        [
            ("Kenya - Facts 2020", KENYA),
            ("Irrigation in East Africa", UGANDA),
            ("肯尼亚", CHINESE),
            ("كينيا", ARABIC),
            ("Länderdaten", GERMAN),
        ],
        start=1,
    )
}


def check(text: str, *quotes: tuple[int, str]) -> Claim:
    citations = [Citation(source=source, quote=quote) for source, quote in quotes]
    return verify_claim(Claim(text=text, citations=citations), SOURCES)


def line(number: int, source: int = 1) -> tuple[int, str]:
    return source, SOURCES[source].snapshot.text.splitlines()[number]


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Kenya has 54 985 698 people, 42 percent of them farmers.", line(0)),
        ("Farmers are 42% of Kenyans.", line(0)),
        ("Its people number 54,985,698.", line(0)),
        ("The lender to Kenya's Ministry of Energy was the World Bank.", line(1)),
        ("In March 2021 the ministry got USD 1.5 bn.", line(1)),
        ("In 2021 the World Bank lent 1,500 million dollars.", line(1)),
        ("The loan dates from 2021-03-12.", line(1)),
        ("According to the WHO, COVID-19 hurt in Q3 2021.", line(2)),
        ("The US embargo hurt in Q3 2021.", line(2)),
        ("Three to five million smallholders irrigate by hand.", line(3)),
        ("About 3–5 million irrigate by hand.", line(3)),
        ("Adoption of solar power grew.", line(4)),
        ("Adoptions are many.", line(4)),
        ("The Kenyan WHO says COVID-19 hurt.", line(2)),
        ("East Africa irrigates little: Uganda 0.5 per cent.", line(0, 2)),
        ("He met William Ruto, Paul Kagame did.", line(1, 2)),
        ("肯尼亚的人口约为5400万。", line(0, 3)),
        ("يبلغ عدد سكان كينيا حوالي 54 مليون نسمة.", line(0, 4)),
        ("Kenia hat 54,9 Mio. Einwohner.", line(0, 5)),
        ("Kenia hat 54.9 million Einwohner.", line(0, 5)),
    ],
)
def test_what_the_quote_says_is_supported(text: str, quote: tuple[int, str]) -> None:
    claim = check(text, quote)
    assert (claim.verdict, claim.reason) == ("supported", "")


@pytest.mark.parametrize(
    ("text", "quote", "reason"),
    [
        ("Kenya has 54,985,699 people.", line(0), "figure 54,985,699 is in no quote"),
        ("Farmers are 43 % there.", line(0), "figure 43 % is in no quote"),
        ("Farmers are 42 there.", line(0), "figure 42 is in no quote"),
        ("It was 42 million.", line(0), "figure 42 million is in no quote"),
        ("Kenya was lent $1.5 million.", line(1), "figure $1.5 million is in no quote"),
        ("Kenya was lent €1.5 billion.", line(1), "figure €1.5 billion is in no quote"),
        ("It was lent on 13 March 2021.", line(1), "date 13 March 2021 is in no quote"),
        ("It was lent in April 2021.", line(1), "date April 2021 is in no quote"),
        ("It was lent in 2020.", line(1), "figure 2020 is in no quote"),
        ("Uganda has 54,985,698 people.", line(0), "name Uganda is in no quote or title"),
        ("In Uganda 42 % are farmers.", line(0), "name Uganda is in no quote or title"),
        ("Ugandan farmers are 42 %.", line(0), "name Ugandan is in no quote or title"),
        ("The World Fund lent it.", line(1), "name World Fund is in no quote or title"),
        ("The Bank World lent it.", line(1), "name Bank World is in no quote or title"),
        ("It hurt the USA in Q3 2021.", line(2), "name USA is in no quote or title"),
        ("It hurt them all in Q4 2021.", line(2), "figure Q4 is in no quote"),
        ("WHO pays for all of it.", line(6), "name WHO is in no quote or title"),
        ("May prices of pumps fell too.", line(4), "name May is in no quote or title"),
        ("The WHO pays for all of it.", line(6), "name WHO is in no quote or title"),
        ("The IMF says COVID-19 hurt.", line(2), "name IMF is in no quote or title"),
        ("Some 4 million irrigate by hand.", line(3), "figure 4 million is in no quote"),
        ("Four million irrigate by hand.", line(3), "figure Four million is in no quote"),
        ("Most of them are Women Unite.", line(3), "name Women Unite is in no quote or title"),
        ("Kenya irrigates 0.5 % of it.", line(0, 2), "name Kenya is in no quote or title"),
        ("上海的人口约为5400万。", line(0, 3), "上海的人口约为 is in no quote or title"),
        ("肯尼亚的人口约为5300万。", line(0, 3), "figure 5300万 is in no quote"),
        ("يبلغ عدد سكان أوغندا حوالي 54 مليون نسمة.", line(0, 4), "أوغندا is in no quote or title"),
        ("Uganda hat 54,9 Millionen Einwohner.", line(0, 5), "name Uganda is in no quote or title"),
        (
            "Kenia hat 54,9 Milliarden Einwohner.",
            line(0, 5),
            "figure 54,9 Milliarden is in no quote",
        ),
    ],
)
def test_what_the_quote_does_not_say_is_not(text: str, quote: tuple[int, str], reason: str) -> None:
    claim = check(text, quote)
    assert (claim.verdict, claim.reason) == ("unsupported", reason)
    assert len(claim.citations) == 1


def test_all_that_fails_is_named() -> None:
    claim = check("Uganda has 9 million farmers in 2020.", line(0))
    assert claim.reason == (
        "figure 9 million is in no quote; figure 2020 is in no quote;"
        " name Uganda is in no quote or title"
    )


def test_a_claim_that_cites_nothing_is_unsupported() -> None:
    claim = check("Pumps are cheap.")
    assert (claim.verdict, claim.reason) == ("unsupported", "no source is cited")


def test_a_citation_whose_quote_is_not_found_is_dropped() -> None:
    claim = check("Kenya has 54,985,698 people.", (1, "Kenya has many people."), line(0))
    assert claim.verdict == "supported"
    assert [c.quote for c in claim.citations] == [line(0)[1]]


@pytest.mark.parametrize(
    ("citation", "reason"),
    [
        ((1, "Kenya has many people."), "source 1 does not say “Kenya has many people.”"),
        (
            (2, line(0)[1]),
            "source 2 does not say “Kenya has a population of 54,985,698, and the share of farm…”",
        ),
        ((9, line(0)[1]), "source 9 does not exist"),
    ],
)
def test_a_claim_without_a_quote_left_is_unsupported(
    citation: tuple[int, str], reason: str
) -> None:
    claim = check("Kenya has many people.", citation)
    assert (claim.verdict, claim.reason, claim.citations) == ("unsupported", reason, [])


def test_a_quote_is_kept_as_the_snapshot_has_it() -> None:
    claim = check("Farmers are 42 %.", (1, "the  share of\nfarmers is 42\u00a0%"))
    [citation] = claim.citations
    assert citation.quote == "the share of farmers is 42 %"
    assert KENYA[citation.start : citation.end] == citation.quote


def test_facts_may_come_from_several_quotes() -> None:
    claim = check("Kenya has 42 % farmers, Uganda irrigates 0.5 %.", line(0), line(0, 2))
    assert claim.verdict == "supported"


def test_a_figure_in_the_title_supports_nothing() -> None:
    assert check("Kenya had this population in 2020.", line(0)).verdict == "unsupported"


def test_citation_marks_in_a_claim_are_no_figures() -> None:
    assert check("Farmers are 42 % [1][12].", line(0)).verdict == "supported"


def test_a_claim_far_too_long_is_unsupported() -> None:
    claim = check("Pumps are cheap. " * 1_000, line(4))
    assert (claim.verdict, claim.reason) == ("unsupported", "the claim is too long to check")


WORDS = (
    "Kenya the farmers Ministry of Energy Q3 COVID-19 Nairobi's U.S. 'n' O'Brien 42 % 1,030 million"
    " $3–5 12 March 2021 2021-03-12 twenty-five São Tomé ﬁeld … – “so” 北京 人口 Москва مصر x_y a5b"
    " Human Rights Brian -7 +3 #1 [2] (est.) Sub-Saharan 3.5m USD €7 1990s McDonald İstanbul ǅ naïve e\u0301t\u00adé"
)
SENTENCE = st.lists(st.sampled_from(WORDS.split()), min_size=3, max_size=15).map(" ".join)


@given(SENTENCE, st.sampled_from([1, 2]))
def test_a_claim_equal_to_its_quote_is_supported(sentence: str, times: int) -> None:
    source = Evidence("", Snapshot(f"Once upon a time.\n{sentence}.\n" * times + "The end."))
    claim = Claim(text=f"{sentence}.", citations=[Citation(source=1, quote=f"{sentence}.")])
    result = verify_claim(claim, {1: source})
    assert (result.verdict, result.reason) == ("supported", "")


@given(SENTENCE, st.integers(0, 10**9), st.integers(1, 10**9), st.sampled_from(["", " %", " km"]))
def test_a_claim_with_a_changed_figure_is_never_supported(
    sentence: str, figure: int, change: int, unit: str
) -> None:
    assume(not re.search(rf"(?<!\d){figure + change}(?!\d)", sentence))
    quote = f"{sentence} and then it has {figure}{unit} altogether"
    source = Evidence("", Snapshot(f"So {quote}."))
    text = f"{sentence} and then it has {figure + change}{unit} altogether"
    claim = Claim(text=text, citations=[Citation(source=1, quote=quote)])
    assume(str(figure + change) not in {"12", "42", "5", "25", "7", "3", "1030", "2021"})
    assert verify_claim(claim, {1: source}).verdict == "unsupported"


@given(st.text(max_size=200), st.text(max_size=200), st.text(max_size=200))
def test_any_text_at_all_gets_a_verdict(text: str, snapshot: str, quote: str) -> None:
    claim = Claim(text=text, citations=[Citation(source=1, quote=quote)])
    assert verify_claim(claim, {1: Evidence("", Snapshot(snapshot))}).verdict

"""Claims that rest on others: what they cite, compute and repeat."""

from typing import Any

import pytest

from contracts.evidence.claims import Citation, Claim, QuotedFigure
from domain.evidence.claims import (
    find_claims,
    leave_out_grounds,
    list_by_id,
    name_claims,
)
from domain.evidence.conclusions import cite_bases, cite_repeated, is_sum, repeats_bases

STATED = Claim(text="Sales were 12 in 2022, after 10.", citations=[Citation(source=1, quote="12")])
RISE = Claim(
    text="They rose by 20%.",
    citations=[Citation(source=2, quote="10")],
    expression="2 / 10 * 100",
    working="2 / 10 * 100 = 20",
)
VIEW = Claim(text="20% is much.", citations=[], rests_on=["rise"])
KNOWN = {"sales": STATED, "rise": RISE, "view": VIEW}


def rest(text: str, *names: str, repeats: bool = False) -> Claim:
    return Claim(text=text, citations=[], rests_on=[*names], repeats=repeats)


def test_claim_cites_what_the_sentences_cite_that_it_rests_on() -> None:
    repeated = cite_bases(rest("12 in 2023, +20%", "sales", "rise", repeats=True), KNOWN)
    assert (repeated.kind, repeated.working, repeated.repeats) == ("computed", RISE.working, False)
    assert repeated.citations == [*STATED.citations, *RISE.citations]
    assert cite_bases(rest("12", "sales"), KNOWN).kind == "stated"
    for own in (rest("20%", "view"), rest("12", "unknown"), rest("12", "sales", "unknown")):
        assert cite_bases(own, KNOWN) == own


def test_a_figure_that_is_quoted_beside_one_of_several_results_keeps_its_quote() -> None:
    quotes = ["P/E 30.8", "Income 7,140", "Shares 204", "Price 735"]
    ratio, *others = (
        Citation(source=1, quote=quote, start=20 * n, end=20 * n + len(quote))
        for n, quote in enumerate(quotes)
    )
    told = Claim(text="It costs 30.8 times.", citations=[ratio])
    summed = Claim(
        text="It earned 35 a share, so it costs 21 times that.",
        citations=others,
        expression="7140 / 204; 735 / (7140 / 204)",
        working="7140 / 204 = 35; 735 / (7140 / 204) = 21",
    )
    both = rest("It costs 30.8 times, or 21 times.", "told", "summed", repeats=True)
    cited = cite_bases(both, {"told": told, "summed": summed})
    assert cited.working == "735 / (7140 / 204) = 21"
    assert [c.quote for c in cited.citations] == quotes


def test_cell_with_one_result_of_several_cites_what_that_result_is_from() -> None:
    quotes = ["Mali grew from 40 to 50.", "Chad grew from 80 to 84.", "Both count alike."]
    both = Claim(
        text="Mali rose by 25%, Chad by 5%.",
        citations=[Citation(source=n, quote=quote) for n, quote in enumerate(quotes, 1)],
        expression="(50 / 40 - 1) * 100; (84 / 80 - 1) * 100",
        working="(50 / 40 - 1) * 100 = 25; (84 / 80 - 1) * 100 = 5",
    )
    known = {"both": both}
    cell = cite_bases(rest("about 5%", "both", repeats=True), known)
    assert [cited.source for cited in cell.citations] == [2]
    assert (cell.expression, cell.working) == ("(84 / 80 - 1) * 100", "(84 / 80 - 1) * 100 = 5")
    whole = cite_bases(rest("25% and 5%", "both", repeats=True), known)
    assert (whole.working, whole.citations) == (both.working, both.citations)
    assert cite_bases(rest("rund 5,0 %", "both", repeats=True), known).citations == cell.citations
    assert cite_bases(rest("9%", "both", repeats=True), known).citations == both.citations


def test_result_that_a_sentence_rounds_keeps_its_quotes() -> None:
    """15.45 rounds to 15, which is 3% less."""
    before, after = ("Chile", 40, 50), ("Peru", 49.624, 57.291)
    bases = {
        name: Claim(
            text=f"{name}: from {old} to {new}.",
            citations=[Citation(source=n, quote=f"{name}: {old}, {new}")],
            expression=f"({new} - {old}) / {old} * 100",
            working=f"({new} - {old}) / {old} * 100 = {(new - old) / old * 100:g}",
        )
        for n, (name, old, new) in enumerate((before, after), 1)
    }
    told = rest("It rose by 25% in Chile and by 15% in Peru.", "Chile", "Peru", repeats=True)
    assert [cited.source for cited in cite_bases(told, bases).citations] == [1, 2]
    shares = {name: base.model_copy(update={"working": "x = 0.25"}) for name, base in bases.items()}
    shares["Peru"] = bases["Peru"].model_copy(update={"working": "x = 1419.3"})
    told = rest("It is 0.25 in Chile, 1.4 billion in Peru.", "Chile", "Peru", repeats=True)
    assert [cited.source for cited in cite_bases(told, shares).citations] == [1, 2], "in millions"


PLANTS = Claim(
    text="So 299 plants are needed.",
    citations=[],
    rests_on=["people"],
    expression="4.49 million * 10% / 1500",
    working="4.49 * 1000000 * 10 / 100 / 1500 = 299.333",
    assumed=True,
)
PEOPLE = Claim(text="4.49 million people live there.", citations=[])
AIM = PLANTS.model_copy(update={"expression": "5 * 60"})


@pytest.mark.parametrize(
    ("text", "names", "base", "is_computed"),
    [
        ("299", ["plants"], PLANTS, True),
        ("299 of 12", ["plants", "sales"], PLANTS, True),
        ("12 (few plants)", ["plants", "sales"], PLANTS, False),
        ("many", ["plants"], PLANTS, False),
        ("299", ["plants"], AIM, False),
    ],
    ids=["sum", "sum-and-quote", "words-of-the-sum", "no-figure", "judgement-with-a-sum"],
)
def test_what_repeats_a_sum_of_other_sentences_is_that_sum_and_no_judgement(
    text: str, names: list[str], base: Claim, is_computed: bool
) -> None:
    own = rest(text, *names, repeats=True)
    cited = cite_bases(own, {**KNOWN, "plants": base, "people": PEOPLE})
    if not is_computed:
        assert cited == own
        return
    told = (cited.rests_on, cited.working, cited.assumed)
    assert told == (["people"], PLANTS.working, True)
    assert is_sum(cited, [PEOPLE])


SHORT, LONG = ("| Short-term debt | 3,414 | 4,308 |", "| Long-term debt | 35,657 | 36,026 |")
DEBT = Claim(
    text="Debt fell from 40,334 to 39,071, the short-term part from 4,308 to 3,414.",
    citations=[Citation(source=1, quote=quote, start=n) for n, quote in enumerate((SHORT, LONG))],
    expression="3414 + 35657; 4308 + 36026",
    working="3414 + 35657 = 39,071; 4308 + 36026 = 40,334",
)


@pytest.mark.parametrize(
    ("text", "repeats", "kind", "quotes"),
    [
        ("39,071 million in 2022", False, "computed", [SHORT, LONG]),
        ("3,414 million in 2022", False, "stated", [SHORT]),
        ("Of the debt 3,414 was short-term.", True, "stated", [SHORT, LONG]),
        ("less", False, "computed", [SHORT, LONG]),
    ],
    ids=["sum", "printed", "sentence", "no-figure"],
)
def test_claim_is_computed_only_if_no_quote_has_its_figure(
    text: str, repeats: bool, kind: str, quotes: list[str]
) -> None:
    cited = cite_bases(rest(text, "debt", repeats=repeats), {"debt": DEBT})
    assert (cited.kind, [c.quote for c in cited.citations]) == (kind, quotes)
    assert bool(cited.working) == (kind == "computed")


def test_claim_repeats_figures_that_its_sentences_have() -> None:
    assert repeats_bases(rest("+20% to 12 in 2023", "sales", "rise"), KNOWN)
    for own in (rest("13", "sales"), rest("much", "sales"), rest("20%", "sales"), rest("12", "x")):
        assert not repeats_bases(own, KNOWN)


ARMED = Claim(
    text="Armed groups operate around Lake Chad since 2015.",
    citations=[Citation(source=1, quote="q")],
)


@pytest.mark.parametrize(
    ("text", "base", "is_told"),
    [
        ("armed groups around Lake Chad, since 2015", ARMED, True),
        ("armed groups around Lake Chad, since 2019", ARMED, False),
        ("high risk", ARMED, False),
        ("armed groups", ARMED.model_copy(update={"citations": [], "rests_on": ["x"]}), False),
    ],
)
def test_cell_of_words_repeats_the_quoted_sentence_that_has_most_of_them(
    text: str, base: Claim, *, is_told: bool
) -> None:
    own = rest(text, "armed")
    assert repeats_bases(own, {"armed": base}) is is_told
    assert (cite_bases(own, {"armed": base}).kind == "stated") is bool(base.citations)


def test_sentences_are_given_by_id_and_what_repeats_them_cites_what_they_cite() -> None:
    quote: Any = {"source": 1, "quote": "Ghent has a yard."}
    kept: Any = {"text": "Ghent has a yard.", "citations": [quote], "verdict": "supported"}
    fallen: Any = {
        "text": "Ghent has two.",
        "citations": [quote],
        "verdict": "not_shown",
        "reason": "no",
    }
    named: Any = name_claims({"report": {"claims": [kept, {**kept, "id": "s1"}, fallen]}})
    assert [claim.id for claim in find_claims(named)] == ["s2", "s1", "s3"]
    shown: Any = leave_out_grounds(named)
    assert shown["report"]["claims"][0] == {
        "id": "s2",
        "verdict": "supported",
        "text": kept["text"],
    }
    known = list_by_id(named)
    assert set(known) == {"s1", "s2"}
    again: Any = {
        "text": "A yard is in Ghent.",
        "citations": [],
        "rests_on": ["s2"],
        "repeats": True,
    }
    written: Any = [again, {**again, "text": kept["text"]}, {**again, "repeats": False}]
    answer: Any = cite_repeated(written, known)
    worded, same, concluded = map(Claim.model_validate, answer)
    assert [c.quote for c in worded.citations] == [quote["quote"]]
    assert (worded.verdict, same.verdict, concluded.rests_on) == (None, "supported", ["s2"])


CROPS = ["permanent crops: 1.4% (2023 est.)", "irrigated land: 1,030 sq km (2012)"]
IRRIGATED = Claim(
    text="Of its 72,848 sq km of cropland 1,030 sq km, about 1.4%, were irrigated.",
    citations=[Citation(source=1, quote=quote, start=n) for n, quote in enumerate(CROPS)],
    figures=[QuotedFigure(value="1,030", unit="sq km", quote=2)],
    expression="1030 / 72848 * 100",
    working="1030 / 72848 * 100 = 1.41",
)


@pytest.mark.parametrize(("text", "kind"), [("1.4% (2012)", "computed"), ("1,030 sq km", "stated")])
def test_sum_is_the_evidence_of_its_result_although_a_quote_has_the_same_figure(
    text: str, kind: str
) -> None:
    cited = cite_bases(rest(text, "irrigated", repeats=True), {"irrigated": IRRIGATED})
    assert (cited.kind, [c.quote for c in cited.citations]) == (kind, CROPS)

"""Decisions of code about a claim in addition to its quotes, and decisions that it leaves to a judge."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from contracts.base import Json
from contracts.evidence.claims import UNJUDGED, Claim, Premise
from contracts.evidence.reasons import Reason
from domain.evidence.claim_check import MAX_NEAREST, check_claims
from domain.evidence.figures.notation.figure_parser import parse_figures
from domain.evidence.pages.cited_page import CitedPage
from domain.evidence.quotes import MAX_QUOTE_CHARS, Snapshot
from tests.domain.evidence.annual_results import (
    GERMAN,
    GHENT,
    PAGES,
    PROFIT,
    RESULTS,
    REVENUE,
    YARDS,
    check,
    check_on,
    claim,
)

LOSS = "| Operating loss | (1,130) | (2,417) |"
SHARE = "| Loss per share | (0.14) | (0.31) |"
OUTLOOK = "The company expects revenue of €52 million to €55 million, a rate of 9% to 14%."
ORDERS = "Order intake rose by about a third, said Ingrid Vos, who joined the board last year."
INTEREST = "Interest costs fell from 6.5% to 5.1% of revenue."


def declare(text: str) -> list[Json]:
    """Return every figure of a sentence, declared as part of its first quote."""
    return [{"value": figure.shown, "quote": 1} for figure in parse_figures(text)]


@pytest.mark.parametrize(
    ("text", "quotes"),
    [
        ("Revenue came to €48.2 million in 2023.", [REVENUE]),
        ("Harbour Tools took in some 48 million euros.", [REVENUE]),
        ("Revenue was €48,210 thousand, after €41,905 thousand.", [REVENUE]),
        ("The operating loss halved to €1.1 million.", [LOSS]),
        ("It lost €0.14 a share, after €0.31.", [SHARE]),
        ("Revenue grew by 15 %.", [REVENUE]),
        ("Gross profit was 40% of revenue.", [PROFIT, REVENUE]),
        ("The gross margin rose from 38% to 40%.", [PROFIT, REVENUE]),
        ("The loss shrank by about €1.3 million.", [LOSS]),
        ("Over two years it lost €3.5 million.", [LOSS]),
        ("Interest took 1.4 percentage points less of revenue.", [INTEREST]),
        ("Interest took 1.4 points less of revenue.", [INTEREST]),
        ("Interest took 140 basis points (140bps) less of revenue.", [INTEREST]),
        ("It lost 14 cents a share, after 31.", [SHARE]),
        ("Revenue was 2.5x the gross profit.", [REVENUE, PROFIT]),
        ("Three yards, two of them in Flushing.", [YARDS]),
        ("Orders were up by some 33%.", [ORDERS]),
        ("Ingrid Vos joined the board in 2023.", [ORDERS]),
        ("In March 2024 the board named no figure for orders.", [ORDERS]),
        ("On 14 March 2024 it expected at least €52 million.", [OUTLOOK]),
        ("The plan of 2021 was missed.", [REVENUE]),
        ("Whoever reads its 8-K for Q1 sees H2 in it.", [YARDS]),
        ("Buying is warranted.", [OUTLOOK]),
        ("Umsatz: 48,2 Mio. Euro.", [REVENUE]),
    ],
)
def test_nothing_is_found_against_a_careful_sentence(text: str, quotes: list[str]) -> None:
    found = check(text, *quotes)
    assert (found.outcome, found.problems) == ("open", ())


@pytest.mark.parametrize("basis", ["18.3 billion USD", "18.3 billion euros", "18 EUR", "18.3"])
def test_first_figure_of_a_row_is_apart_from_the_currency_of_its_label(basis: str) -> None:
    row = f"| Growth that is needed, % | Cash flow: {basis} | 3.1% | 5.7% |"
    page = CitedPage(
        "Prices", Snapshot(f"| | By | at 7% | at 8% |\n| --- | --- | --- | --- |\n{row}")
    )
    about = {"citations": [{"source": 1, "quote": row}]}
    said = Claim.model_validate({"text": "The price needs growth of 3.1%."} | about)
    assert check_claims([said], {1: page}, UNJUDGED)[0].problems == ()


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("Loom 2.15 warns of a second start.", True),
        ("Version 2.15 warns of a second start.", True),
        ("Loom 2.16 warns of a second start.", False),
        ("It took 2.15% of starts a second time.", False),
        ("Loom 3.1 warns of a second start.", True),
        ("Loom 1.20 warns of a second start.", False),
    ],
)
def test_short_form_of_a_version_is_stated_by_the_whole_one(text: str, is_found: bool) -> None:
    quote = "A job may be started a second time, as of v3.1.4; moved from 10.1.20.3."
    page = CitedPage("Retry stalled jobs - Loom 2.15.0", Snapshot(quote))
    said = Claim.model_validate({"text": text, "citations": [{"source": 1, "quote": quote}]})
    [found] = check_claims([said], {1: page}, UNJUDGED)
    assert (found.problems == () and not found.unquoted) == is_found


@pytest.mark.parametrize(
    ("text", "quotes", "shown"),
    [
        ("Revenue came to €48.2 billion.", [REVENUE], "€48.2 billion"),
        ("Revenue came to €48.2 thousand.", [REVENUE], "€48.2 thousand"),
        ("Revenue came to $48.2 million.", [REVENUE], "$48.2 million"),
        ("Revenue came to €48,210.", [REVENUE], "€48,210"),
        ("It expects €52 to €55.", [OUTLOOK], "€52"),
        ("Orders will be filled by 2026.", [ORDERS], "2026"),
        ("On 3 May 2024 it expected more.", [OUTLOOK], "3 May 2024"),
        ("Ghent took 340 million people.", [GHENT], "340 million"),
        ("The yard in Ghent employs 430 people.", [GHENT], "430"),
        ("Ghent earned €430 million.", [GHENT], "€430 million"),
        ("Orders were up by some 44%.", [ORDERS], "44%"),
        ("It lost 41 cents a share.", [SHARE], "41 cents"),
        ("Revenue came to €49.2 million.", [REVENUE], "€49.2 million"),
        ("Revenue came to €48.31 million.", [REVENUE], "€48.31 million"),
        ("Revenue was 3.5x the gross profit.", [REVENUE, PROFIT], "3.5"),
        ("Over two years it lost €4.5 million.", [LOSS], "€4.5 million"),
    ],
)
def test_figure_that_stands_nowhere_and_cannot_be_worked_out_fails(
    text: str, quotes: list[str], shown: str
) -> None:
    found = check(text, *quotes)
    assert found.outcome == "fails"
    assert found.problems[0].params["shown"] == shown


WORKED_OUT = [
    ("Gross profit was 44% of revenue.", [PROFIT, REVENUE], "44%"),
    (
        "Gross profit was 46% of revenue.",
        [PROFIT, REVENUE],
        "46%",
    ),  # the figures are from two different years
    ("Interest took 41 basis points less.", [INTEREST], "41 basis points"),
    ("Some 60% of orders come from Asia.", [INTEREST], "60%"),
    ("Interest took 2.4 percentage points less.", [INTEREST], "2.4 percentage points"),
    ("Revenue may reach €58 million.", [OUTLOOK], "€58 million"),
]


@pytest.mark.parametrize(("text", "quotes", "shown"), WORKED_OUT)
def test_figure_that_may_be_worked_out_is_named_to_the_judge(
    text: str, quotes: list[str], shown: str
) -> None:
    found = check(text, *quotes)
    assert (found.outcome, found.unquoted) == ("open", (shown,))


@pytest.mark.parametrize(("text", "quotes", "shown"), WORKED_OUT)
def test_figure_that_is_said_to_be_quoted_and_is_not_fails(
    text: str, quotes: list[str], shown: str
) -> None:
    found = check(text, *quotes, figures=declare(text))
    assert found.outcome == "fails"
    assert shown in [problem.params["shown"] for problem in found.problems]
    assert not found.claim.figures


@pytest.mark.parametrize(
    ("text", "quotes"),
    [
        ("Revenue grew at a compound annual rate of 13.5%.", [REVENUE]),
        ("The gross margin widened by about 200 basis points.", [PROFIT, REVENUE]),
        ("Gross margin was 40.0% against 38.0%, a gain of 200 bps.", [PROFIT, REVENUE]),
        ("12% were undecided.", ["Of those asked 61 percent agreed and 27 percent did not."]),
        ("Each 1% of extra revenue adds about €482 thousand.", ["Revenue was €48.2 million."]),
        ("At 10% a year it reaches €70.6 million in time.", ["Revenue was €48.2 million."]),
        ("At €14 billion a year it lasts seven years.", ["It has €100 billion for 2021-2027."]),
        ("Of two years' gross profits it lacks €13.0 million.", [REVENUE, PROFIT]),
        ("It sold €90 million in two years, €7 million in a month.", [REVENUE]),
        ("Un tiers, soit 33%, vient de Gand.", ["Un tiers vient de Gand."]),
        ("Sales rose by 100%.", ["Sales doubled."]),
        ("It builds just over 45 tugs.", ["It builds 46.1 tugs."]),
        ("Profit was about 60 cents of each euro.", ["Profit was 60% of sales."]),
    ],
)
def test_figure_of_several_steps_or_in_words_is_never_refused(text: str, quotes: list[str]) -> None:
    page = CitedPage("Harbour", Snapshot(f"{RESULTS}\n" + "\n".join(quotes)))
    [found] = check_claims([claim(text, *quotes)], {1: page})
    assert (found.outcome, found.problems) == ("open", ())


@pytest.mark.parametrize(
    ("value", "unit"),
    [
        ("48.2", "million euros"),
        ("48.2", "€ million"),
        ("48.2", "EUR million"),
        ("€48.2 million", ""),
        ("€48.2 million", "million euros"),
        ("48.2 million", "€"),
        ("48,210", "thousand"),
        ("48.2", ""),
    ],
)
@pytest.mark.parametrize("quote", [1, 2, 7])
def test_figure_is_kept_with_the_number_of_the_quote_that_has_it(
    value: str, unit: str, quote: int
) -> None:
    text = "Revenue came to €48.2 million."
    figure = {"value": value, "unit": unit, "quote": quote}
    found = check(text, PROFIT, "No such line is on that page.", REVENUE, figures=[figure])
    assert (found.outcome, found.unquoted) == ("fails" if unit == value else "open", ())
    kept = [(kept.value, kept.quote) for kept in found.claim.figures]
    assert kept == ([] if (value, unit) == ("48.2", "") else [(value, 2)])


def test_other_figures_of_a_sentence_that_names_its_quoted_ones_are_left_to_the_judge() -> None:
    figures = [{"value": "340", "unit": "people", "quote": 1}]
    text = "Ghent employs 340 people, of whom 89 are women."
    found = check(text, GHENT, figures=figures)
    assert (found.outcome, found.unquoted) == ("open", ("89",))
    assert check(text, GHENT).problems == (Reason(code="figure-missing", params={"shown": "89"}),)


def test_figure_may_be_in_the_unit_of_its_cell() -> None:
    """The sentence of a cell says "52" alone; its column is headed in millions of euros."""
    pages = {1: CitedPage("Outlook", Snapshot("It expects €52 million."))}
    figure = {"value": "52", "unit": "million euros", "quote": 1}
    bare = claim("52", "It expects €52 million.")
    declared = claim("52", "It expects €52 million.", figures=[figure])
    outcomes = [found.outcome for found in check_claims([bare, declared], pages)]
    assert outcomes == ["fails", "open"]


@pytest.mark.parametrize(
    "text",
    [
        "Sales rose 7% to 1.4 million euros.",
        "About 33% come from Ghent.",
        "Sales: 1,396,342 euros.",
    ],
)
def test_number_words_of_another_language_are_read(text: str) -> None:
    assert check(text, GERMAN.strip(), source=2).outcome == "open"


def test_a_table_without_a_stated_scale_settles_no_magnitude() -> None:
    quote = "Steel 4,120 3,980"
    outcomes = [
        check(f"Steel came to {n}.", quote, source=3, figures=declare(n)).outcome
        for n in ("4,120 tonnes", "$4.12 million", "$4.12 billion", "$5.12 million")
    ]
    assert outcomes == ["open", "open", "open", "fails"]


@pytest.mark.parametrize("text", [YARDS, YARDS.upper(), YARDS.rstrip(".")])
def test_a_claim_that_is_its_quote_is_left_to_the_judge(text: str) -> None:
    assert check(text, YARDS).outcome == "open"


def test_a_part_of_a_quote_is_left_to_the_judge() -> None:
    assert check("Ghent employs 340 people.", YARDS).outcome == "open"


@pytest.mark.parametrize(
    ("quote", "source", "problem"),
    [
        ("It employs 340 people in Ghent.", 1, "quote-near"),
        (YARDS, 9, "source-unknown"),
        ("", 1, "quote-missing"),
    ],
)
def test_a_quote_that_is_not_there_fails(quote: str, source: int, problem: str) -> None:
    found = check("Ghent employs 340 people.", quote, source=source)
    assert (found.outcome, found.claim.citations) == ("fails", [])
    [told] = found.problems
    assert (told.code, told.params["source"]) == (problem, source)
    assert told.params.get("quote", quote) == quote


def test_a_quote_that_is_too_long_is_said_to_be() -> None:
    quote = f"{YARDS} " * (MAX_QUOTE_CHARS // len(YARDS) + 1)
    [told] = check("Ghent employs 340 people.", quote).problems
    assert (told.code, told.params["most"]) == ("quote-long", MAX_QUOTE_CHARS)


@pytest.mark.parametrize(
    ("quote", "nearest"),
    [
        (YARDS.replace("340", "3,400"), YARDS),
        ("Nothing of the kind stands on any line of it.", None),
        ("…", None),
    ],
)
def test_of_a_quote_that_is_not_there_the_nearest_passage_is_told(
    quote: str, nearest: str | None
) -> None:
    [problem] = check("Ghent employs 340 people.", quote).problems
    assert problem.params.get("near") == nearest


def test_of_a_figure_whose_quote_is_not_there_the_quote_is_told_first() -> None:
    row = PROFIT.replace("19,284", "18,284")
    text = "Revenue was €48.2 million and gross profit €18.3 million."
    found = check(text, REVENUE, row, figures=declare(text))
    first, second = found.problems
    near: dict[str, str | int] = {"source": 1, "quote": row, "near": PROFIT}
    assert first == Reason(code="quote-near", params=near)
    assert second == Reason(code="figure-missing", params={"shown": "€18.3 million"})
    assert found.claim.doubts == [first, second]
    assert found.claim.reason == f"{first.text}; {second.text}"


def test_the_nearest_passage_is_looked_for_a_bounded_number_of_times() -> None:
    wrong = claim("Ghent employs 340 people.", YARDS.replace("340", "3,400"))
    found = check_claims([wrong] * (MAX_NEAREST + 5), PAGES)
    assert sum("near" in each.problems[0].params for each in found) == MAX_NEAREST


def test_one_quote_that_is_found_carries_the_claim() -> None:
    found = check("Ghent employs 340 people.", "It has 340 men.", YARDS)
    assert (found.outcome, [c.quote for c in found.claim.citations]) == ("open", [YARDS])


def test_a_claim_that_cites_nothing_fails() -> None:
    assert check("Pumps sell.").problems == (Reason(code="uncited"),)


def test_a_claim_far_too_long_fails() -> None:
    assert check("Pumps sell. " * 1_000, YARDS).problems == (Reason(code="too-long"),)


def test_prose_with_two_figures_is_no_row_of_a_table() -> None:
    quote = "suma, por ahora, 14.911 responsables identificados y 298.992 hechos"
    page = CitedPage("Informe", Snapshot(f"El caso {quote}."))
    texts = ("They found 14,911 people.", "They found 14.9 million people.")
    found = check_claims([claim(text, quote) for text in texts], {1: page})
    assert [one.outcome for one in found] == ["open", "fails"]


def test_a_number_and_a_half_is_one_figure() -> None:
    quote = "the two and a half year block was unconstitutional"
    page = CitedPage("Ruling", Snapshot(f"They said {quote}."))
    texts = ("It was blocked for 30 months.", "It was blocked for 24 months.")
    found = check_claims([claim(text, quote) for text in texts], {1: page})
    assert [one.outcome for one in found] == ["open", "fails"]


def test_a_conclusion_rests_on_named_sentences() -> None:
    base = claim("Revenue came to €48.2 million.", REVENUE, id="size")
    drawn = claim("At €48.2 million it is the smaller yard, 9% below its rival.", rests_on=["size"])
    at = PAGES[1].snapshot.find(PROFIT)
    assert at
    rival = Premise(text="The rival sells 9% more.", places=[(1, *at)])
    drawn = drawn.model_copy(update={"rests_on": ["size", "rival"]})
    _, found = check_claims(
        [base, drawn], PAGES, UNJUDGED.model_copy(update={"known": {"rival": rival}})
    )
    assert (found.outcome, found.claim.kind) == ("open", "concluded")
    assert [premise.text for premise in found.bases] == [base.text, rival.text]
    assert [c.quote for base in found.bases for c in base.citations] == [REVENUE, PROFIT]


@pytest.mark.parametrize(
    ("text", "expression", "outcome"),
    [
        ("Of each of 1,000 owners it lost 3,547 euros.", "3547000 / 1000", "open"),
        ("With 453 thousand euros more it lost 4 million euros.", "3547 + 453", "open"),
        ("With 453 thousand euros more it lost 4 million euros.", "3546 + 453", "fails"),
    ],
)
@pytest.mark.parametrize("is_known", [True, False])
def test_a_sum_may_use_what_its_base_worked_out_before_it_was_rounded(
    text: str, expression: str, outcome: str, is_known: bool
) -> None:
    base = claim("Over two years it lost €3.5 million.", LOSS, expression="1130 + 2417", id="loss")
    [worked] = check_claims([base], PAGES)
    drawn = claim(text, rests_on=["loss"], expression=expression)
    known = {"loss": worked.claim.as_premise} if is_known else {}
    written = [drawn] if is_known else [base, drawn]
    terms = UNJUDGED.model_copy(update={"known": known})
    assert check_claims(written, PAGES, terms)[-1].outcome == outcome


def test_an_assumption_cites_nothing_and_marks_what_rests_on_it() -> None:
    said = "We assume that a plan of 2031 holds and that 12% of the yards are usable."
    known = {"old": Premise(text="We assume 7 yards.", assumed=True)}
    claims = [
        claim("So they pay.", rests_on=["sum"], id="end"),
        claim("Then 41 yards pay.", rests_on=["ours"], expression="340 * 12%", id="sum"),
        claim(said, assumed=True, id="ours"),
        claim("It has 7.", rests_on=["old"]),
        claim("The yard employs 340 people.", GHENT, id="ghent"),
        claim("It is large.", rests_on=["ghent"]),
        claim("An assumed 7% of them, 24 people, leave.", GHENT, expression="340 * 7%"),
    ]
    claims[1] = claims[1].model_copy(update={"rests_on": ["ours", "ghent"]})
    found = check_claims(claims, PAGES, UNJUDGED.model_copy(update={"known": known}))
    assert {each.outcome for each in found} == {"open"}
    assert [each.claim.assumed for each in found] == [True, True, True, True, False, False, True]
    assert found[2].claim.kind == "assumed"
    assert (
        check("No source says if 12% of the yards of 2031 pay.", not_found=True).outcome == "open"
    )
    assert check(said).problems == (Reason(code="uncited"),)


@pytest.mark.parametrize("name", ["nothing", "self"])
def test_a_conclusion_that_rests_on_nothing_fails(name: str) -> None:
    found = check("So it is.", rests_on=[name], id="self")
    assert found.outcome == "fails"


def test_a_conclusion_on_an_id_of_several_sentences_fails_and_says_so() -> None:
    ours = claim("Revenue came to €48.2 million.", REVENUE, id="r1")
    theirs = claim(PROFIT, PROFIT, id="r1")
    drawn = claim("It is the smaller yard.", rests_on=["r1"])
    *_, found = check_claims([ours, theirs, drawn], PAGES)
    assert found.problems == (Reason(code="base-shared", params={"base": "r1"}),)
    assert found.bases == ()
    *_, found = check_claims([ours, ours, drawn], PAGES)
    assert [premise.text for premise in found.bases] == [ours.text]


WORDS = (
    "Kenya the farmers Ministry of Energy Q3 COVID-19 Nairobi's U.S. 'n' O'Brien 42 % 1,030 million"
    " $3–5 12 March 2021 2021-03-12 twenty-five São Tomé ﬁeld … – “so” 北京 人口 Москва مصر x_y a5b"
    " Human Rights Brian -7 +3 #1 [2] (est.) Sub-Saharan 3.5m USD €7 1990s McDonald İstanbul ǅ naïve e\u0301t\u00adé"
)
SENTENCE = st.lists(st.sampled_from(WORDS.split()), min_size=3, max_size=15).map(" ".join)


@settings(deadline=None)
@given(SENTENCE, st.sampled_from([1, 2]))
def test_a_claim_equal_to_its_quote_never_fails(sentence: str, times: int) -> None:
    page = CitedPage("", Snapshot(f"Once upon a time.\n{sentence}.\n" * times + "The end."))
    [found] = check_claims([claim(f"{sentence}.", f"{sentence}.")], {1: page})
    assert found.outcome != "fails"
    assert found.problems == ()


@settings(deadline=None)
@given(st.integers(1_000, 10**9), st.integers(2_000, 10**9), st.sampled_from(["", " km"]))
def test_a_changed_figure_always_fails(figure: int, other: int, unit: str) -> None:
    assume(round(figure, -1) != round(other, -1) and not 1500 <= other < 2200)
    assume(figure % 10 and other % 10)
    quote = f"so the whole of it comes to {figure}{unit} altogether"
    page = CitedPage("", Snapshot(f"So {quote}."))
    text = f"The whole of it comes to {other}{unit}."
    assert check_claims([claim(text, quote)], {1: page})[0].outcome == "fails"


@settings(deadline=None)
@given(st.text(max_size=200), st.text(max_size=200), st.text(max_size=200), st.text(max_size=30))
def test_any_text_at_all_gets_an_outcome(
    text: str, snapshot: str, quote: str, expression: str
) -> None:
    page = CitedPage("", Snapshot(snapshot))
    assert check_claims([claim(text, quote, expression=expression)], {1: page})[0].outcome


@pytest.mark.parametrize(
    ("said", "verdict", "reason"),
    [
        (
            "It expects €52.5 billion.",
            "contradicted",
            "€52.5 billion is €52.5 million",
        ),
        ("It expects €52.5 thousand.", "contradicted", "€52.5 thousand is €52.5 million"),
        ("It expects €52,500.", "contradicted", "€52,500 is €52.5 million"),
        ("It expects €53.5 billion.", "not_shown", "€53.5 billion is "),
        (
            "It expects €55 billion.",
            "not_shown",
            "€55 billion is €55 million",
        ),  # two digits: by chance
        ("It expects $52.5 billion.", "not_shown", "$52.5 billion is €52.5 million"),
    ],
)
def test_a_figure_that_the_quotes_have_with_another_scale_is_contradicted(
    said: str, verdict: str, reason: str
) -> None:
    page = "The company expects revenue of €52.5 million to €55 million."
    pages = {1: CitedPage("Outlook", Snapshot(page))}
    [found] = check_claims([claim(said, page, figures=declare(said))], pages)
    assert (found.outcome, found.claim.verdict) == ("fails", verdict)
    shown, _, quoted = reason.partition(" is ")
    [told] = found.problems
    assert (told.params["shown"], told.params.get("quoted", "")) == (shown, quoted)


THOUSANDS = "(Amounts in thousands)\n"
MILLIONS = "(Dollars in millions)\n"


@pytest.mark.parametrize(
    ("page", "quote", "right", "wrong"),
    [
        (
            f"{THOUSANDS}| | 2023 | 2022 |\n| Cash and equivalents | $ | 301,958 |\n",
            "| Cash and equivalents | $ | 301,958 |",
            "It held about $302 million in cash.",
            "It held about $302 billion in cash.",
        ),
        (
            f"{THOUSANDS}2023 2022\n| Gross profit | 140,071 | | | 147,215 |\n",
            "| Gross profit | 140,071 |",
            "Gross profit was $140.1 million.",
            "Gross profit was $140.1 billion.",
        ),
        (
            f"{MILLIONS}2023 2022\nRevenue $ 46,298 $ 51,761\n",
            "Revenue $ 46,298",
            "Revenue was $46.3 billion.",
            "Revenue was $46.3 trillion.",
        ),
        (
            f"{MILLIONS}2023\n2022\nTotal revenue\n53,648\n52,596\n",
            "Total revenue\n53,648",
            "It took in $53.6 billion.",
            "It took in $53.6 trillion.",
        ),
        (
            f"{MILLIONS}Cash on hand 4,120\nInventories 2,011\n",
            "Cash on hand 4,120",
            "It held $4.12 billion.",
            "It held $4.12 trillion.",
        ),
        (
            "| Millions of USD | Price of May 4 |\n|---|---|\n| Market value | 622,413 as of the day before |\n",
            "| Market value | 622,413 as of the day before |",
            "The market value is $622.4 billion.",
            "The market value is $622.4 million.",
        ),
    ],
    ids=[
        "one cell of a row",
        "bars",
        "figures in a line",
        "a cell a line",
        "one column",
        "words behind the figure",
    ],
)
def test_a_row_quoted_with_one_figure_has_the_scale_of_its_header(
    page: str, quote: str, right: str, wrong: str
) -> None:
    claims = [claim(text, quote) for text in (right, wrong)]
    found = check_claims(claims, {1: CitedPage("Results", Snapshot(page))})
    assert [one.outcome for one in found] == ["open", "fails"]


def test_prose_with_one_figure_has_no_scale_of_a_table() -> None:
    quote = "The yard in Ghent sold 4,120 old tools"
    page = f"{MILLIONS}| Revenue | 48 | 41 |\n\n{quote}\nand 12 new ones.\n"
    [found] = check_claims(
        [claim("It sold 4.12 billion tools.", quote)], {1: CitedPage("", Snapshot(page))}
    )
    assert found.outcome == "fails"


VOLUMES = f"""{MILLIONS}2023 2022 2021
Cards (Thousands) 133.3 121.7 111.2
Volumes (Billions) $ 1,552.8 $ 1,284.2 $ 1,037.8
Revenues $ 15,206 $ 12,143 $ 9,064
"""


@pytest.mark.parametrize(
    ("text", "row", "outcome", "gap"),
    [
        ("Volumes topped $1.4 trillion.", 2, "fails", "figure-missing"),
        ("Volumes were $1,552.8 billion.", 2, "open", ""),
        ("Volumes came to about $1.55 trillion.", 2, "open", ""),
        ("Volumes came to $1,552.8 million.", 2, "fails", "scale"),
        ("It had 133,300 cards.", 1, "open", ""),
        ("Revenues were $15.2 billion.", 3, "open", ""),
        ("Revenues were $15.2 trillion.", 3, "fails", "scale"),
    ],
)
def test_a_scale_in_the_label_of_a_row_wins_over_the_header_for_that_row_alone(
    text: str, row: int, outcome: str, gap: str
) -> None:
    quote = VOLUMES.splitlines()[1:][row]
    for cited in (quote, quote[: quote.index(".") + 2 if "." in quote else quote.index(",") + 4]):
        said = claim(text, cited, figures=declare(text))
        [found] = check_claims([said], {1: CitedPage("Cards", Snapshot(VOLUMES))})
        assert found.outcome == outcome, cited
        scales = {"figure-misread", "figure-differs"}
        gaps = ["scale" if one.code in scales else one.code for one in found.problems]
        assert gaps == [gap] * bool(gap)


EPS = "EPS (diluted US cents) 80.5 73.3 (9) (2)"


@pytest.mark.parametrize(
    ("text", "quote", "outcome"),
    [
        ("Adjusted EPS fell to 73.3 US cents.", EPS, "open"),
        ("Adjusted EPS fell from 80.5 to 73.3 cents.", EPS, "open"),
        ("Adjusted EPS fell from $0.805 to $0.733.", EPS, "open"),
        ("Adjusted EPS fell to $0.755.", EPS, "fails"),
        ("Adjusted EPS fell to $7.33.", EPS, "fails"),
        ("It earned $0.705 a share.", "It earned 70.5 US cents a share.", "open"),
        ("It earned 70.5 cents a share.", "It earned $0.705 a share.", "open"),
        ("It earned 70.5 US cents a share.", "It earned $0.705 a share.", "open"),
        ("It earned €0.705 a share.", "It earned 70.5 US cents a share.", "fails"),
        ("It earned €0.705 a share.", "It earned 70.5 euro cents a share.", "open"),
        ("It earned 70.5¢ a share.", "It earned 70.5 cents a share.", "open"),
        ("It paid £0.254 a share.", "It paid 25.4 pence a share.", "open"),
        ("It paid 25.4p a share.", "It paid 25.4 pence a share.", "open"),
        ("It paid £25.40 a share.", "It paid 25.4 pence a share.", "fails"),
        ("The price was £2.50.", "The price was 250 GBp.", "open"),
        ("The price was 250 pounds.", "The price was 250 GBP.", "open"),
    ],
)
def test_cents_and_pence_are_hundredths_of_their_currency(
    text: str, quote: str, outcome: str
) -> None:
    page = f"In millions\n{quote}\n"
    assert check_on(page, text, quote, figures=declare(text)).outcome == outcome


@pytest.mark.parametrize(
    ("text", "quote", "gap", "quoted"),
    [
        (
            "It expects 67 to 71 dollars.",
            "It expects 67 to 71 cents per share.",
            "figure-differs",
            "67",
        ),
        ("It rose 5 points in spring.", "It rose 15% in spring.", "", ""),
        ("It rose 15 points in spring.", "It rose 15% in spring.", "figure-differs", "15%"),
        ("It sold 340 tonnes of tugs.", "It sold 340 km of rope.", "figure-differs", "340 km"),
        ("It sold $482 million.", "It sold €482 million.", "figure-differs", "€482 million"),
        ("It sold 14% more.", "It sold more on 14 March 2024.", "", ""),
        ("It sold 15% more.", "It sold more on 14 March 2024.", "figure-missing", ""),
    ],
)
def test_no_figure_is_called_missing_if_its_digits_stand_in_the_quote(
    text: str, quote: str, gap: str, quoted: str
) -> None:
    found = check_on(quote, text)
    begins = text.split()[2][:2]
    told = [one for one in found.problems if f"{one.params['shown']}".startswith(begins)]
    if gap:
        assert (told[0].code, told[0].params.get("quoted", "")) == (gap, quoted)
    else:
        assert not any(
            one.code == "figure-missing" and f"{one.params['shown']}"[:2] == "14" for one in told
        )


def test_a_figure_with_another_scale_is_shown_with_the_scale_of_its_row() -> None:
    [found] = check_claims([claim("Revenue came to €48,210.", REVENUE)], PAGES)
    params: dict[str, str | int] = {"shown": "€48,210", "quoted": "€ 48,210 (in thousands)"}
    assert found.problems == (Reason(code="figure-misread", params=params),)
    assert (found.claim.verdict, found.claim.doubts) == ("contradicted", [*found.problems])


@pytest.mark.parametrize(("budget", "is_refused"), [("€3,000", False), ("€3,100", True)])
def test_a_proposal_of_one_digit_and_zeros_is_no_misread_figure(
    budget: str, is_refused: bool
) -> None:
    quote = "In thousands of people. Men over 65 | 3,097,965"
    base = claim("3,097,965 thousand men are over 65.", quote).model_copy(update={"id": "men"})
    step = Claim(text=f"Spend {budget} on advertisements.", citations=[], rests_on=["men"])
    _, found = check_claims([base, step], {1: CitedPage("", Snapshot(quote))})
    assert (found.outcome == "fails") == is_refused


FOREIGN = {
    "ar": "بلغت الإيرادات ٣١ مليون يورو عام ٢٠٢٤، بزيادة ٧٫٤ في المئة.",
    "hi": "2024 में बंदरगाह की आय ३१ करोड़ रुपये थी।",
    "zh": "二零二四年利润为五千万元，营业收入为3.1亿元。",
    "ja": "令和6年の売上高は三兆四千億円だった。",
    "ru": "Прибыль составила семь миллионов рублей в 2024 году.",
    "ko": "2024년 매출은 삼천만 유로였다고 항만이 밝혔다.",
    "rate": "2024年营业收入为3.1亿元，增长7.4%。",
    "marks": "Sales reached $12.5 [1] million in fiscal 2024 [2], from 3 × 10^6 cans.",
}


def check_foreign(text: str, language: str) -> str:
    quote = FOREIGN[language]
    page = CitedPage("Port", Snapshot(f"{quote}\n"))
    cited = claim(text, quote, figures=declare(text))
    [found] = check_claims([cited], {1: page})
    return found.outcome


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Revenue was 31 million euros in 2024, up 7.4 percent.", "ar"),
        ("The port earned 31 crore rupees in 2024.", "hi"),
        ("Profit was 50 million yuan in 2024.", "zh"),
        ("Revenue was 310 million yuan.", "zh"),
        ("Sales were 3.4 trillion yen in 2024.", "ja"),
        ("Profit was 7 million roubles in 2024.", "ru"),
        ("Sales were 30 million euros in 2024.", "ko"),
        ("Sales reached $12.5 million in 2024, from 3 million cans.", "marks"),
    ],
)
def test_numbers_that_are_not_read_leave_a_claim_to_the_judge(text: str, language: str) -> None:
    assert check_foreign(text, language) == "open"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Revenue was 31 million yuan.", "rate"),
        ("Sales reached $12.51 million in 2024.", "marks"),
        ("Sales came from 106 cans.", "marks"),
    ],
)
def test_a_figure_of_another_size_fails_where_all_are_read(text: str, language: str) -> None:
    assert check_foreign(text, language) == "fails"


@pytest.mark.parametrize(("cites", "unquoted"), [(False, ()), (True, ("12%",))])
def test_figures_of_choices_are_known_to_conclusions_alone(
    *, cites: bool, unquoted: tuple[str, ...]
) -> None:
    terms = UNJUDGED.model_copy(
        update={
            "choices": "required returns: 9%, 12%",
            "known": {"grew": Premise(text="It grew.", places=[])},
        }
    )
    quotes = [REVENUE] if cites else []
    chosen = claim("We ask for 12% as it grew.", *quotes).model_copy(update={"rests_on": ["grew"]})
    [found] = check_claims([chosen], PAGES, terms)
    assert (found.outcome, found.unquoted) == ("open", unquoted)

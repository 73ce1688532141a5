"""What becomes of a claim's expression when it is computed again."""

import pytest

from contracts.evidence.claims import Citation, Claim, JudgeTerms, Premise
from contracts.evidence.reasons import Reason
from contracts.notices import Notice
from domain.evidence.claim_check import check_claims
from domain.evidence.figures.arithmetic import list_readings
from domain.evidence.figures.expression_check import recomputes
from domain.evidence.pages.cited_page import CitedPage
from domain.evidence.quotes import Snapshot
from tests.domain.evidence.annual_results import (
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


def test_an_expression_of_separators_alone_is_none() -> None:
    assert check("The yard in Ghent employs 340 people.", YARDS, expression=" ; ").outcome == "open"


@pytest.mark.parametrize(
    ("text", "expression", "working"),
    [
        ("The margin was 40.0%.", "19284 / 48210 * 100", "19284 / 48210 * 100 = 40"),
        ("The margin was 40%.", "19284 / 48210", "19284 / 48210 = 0.4"),
        (
            "It kept 40 cents of each euro of revenue.",
            "19284 / 48210 * 100",
            "19284 / 48210 * 100 = 40",
        ),
        (
            "The margin rose by two points to 40.0%.",
            "19284 / 48210 * 100; 15924 / 41905 * 100",
            "19284 / 48210 * 100 = 40; 15924 / 41905 * 100 = 38.0002",
        ),
        ("It kept €28.9 million less.", "48210 - 19284", "48210 - 19284 = 28,926"),
    ],
)
def test_a_computed_figure_is_computed_again(text: str, expression: str, working: str) -> None:
    found = check(text, PROFIT, REVENUE, expression=expression)
    assert (found.outcome, found.claim.kind, found.claim.working) == ("open", "computed", working)
    assert recomputes(found.claim)
    for other in ("", f"{working}0", f"{working}; 1 + 1 = 2", working.replace("48210", "48211")):
        assert not recomputes(found.claim.model_copy(update={"working": other}))


def test_sum_of_whole_numbers_is_shown_to_its_last_digit() -> None:
    said = {"text": "They are 2.6 million.", "citations": [], "expression": "1112825 + 1487318"}
    working = "1112825 + 1487318 = 2,600,143"
    assert recomputes(Claim.model_validate({**said, "working": working}))


@pytest.mark.parametrize(
    ("working", "holds"),
    [
        ("(51.566 * 1000000000) * 2 = 103,132,000,000", True),
        ("(51566 * 1000000000) * 2 = 103,132,000,000,000", True),
        ("(51.566 * 1000000000) * 2 = 103,132,000,000,000", False),
    ],
)
def test_each_reading_of_a_figure_may_be_its_working(working: str, holds: bool) -> None:
    said = {"text": "It is 103 billion.", "citations": [], "expression": "51,566 Mrd * 2"}
    assert recomputes(Claim.model_validate({**said, "working": working})) == holds


@pytest.mark.parametrize(
    ("text", "expression", "outcome"),
    [
        ("Assuming 2.5% of the revenue, it is worth €1.205 million.", "48210 * 2.5 / 100", "open"),
        ("Assuming 2.5% of the revenue, it is worth €1.9 million.", "48210 * 2.5 / 100", "fails"),
        ("Assuming 2.5% of it, it is worth €1.205 million.", "48210 * 2.5% / 1000", "open"),
        ("Assuming 2.5% of it, it is worth €1.205 billion.", "48210 * 2.5% / 1000", "fails"),
        ("Assuming 2.5% of it, it is worth €1.205 million.", "48.21 million * 2.5%", "open"),
        ("Assuming 2.5% of it, it is worth €1.205 billion.", "48.21 million * 2.5%", "fails"),
        ("It is worth €1.205 million.", "48210 * 2.5 / 100", "fails"),
        ("The margin was 77.7%.", "77.7", "fails"),
        ("It kept 41 cents of each euro.", "19284 / 48210 * 100", "fails"),
        ("It kept 0.4 cents of each euro.", "19284 / 48210 * 100", "fails"),
    ],
)
def test_a_sentence_may_compute_with_what_it_assumes(
    text: str, expression: str, outcome: str
) -> None:
    assert check(text, REVENUE, expression=expression).outcome == outcome


BUILDS = "As an illustration with 160 builds a month and 2 minutes saved, both assumed, it saves {} hours."


@pytest.mark.parametrize(
    ("hours", "rests_on", "outcome"),
    [
        *(("5.33", ["cached"], "open"), ("7.1", ["cached"], "fails")),
        *(("5.33", [], "open"), ("7.1", [], "fails")),
    ],
)
def test_a_sentence_may_be_computed_from_assumptions_alone(
    hours: str, rests_on: list[str], outcome: str
) -> None:
    said = claim(BUILDS.format(hours), expression="160 * 2 / 60", rests_on=rests_on)
    *_, found = check_claims([claim("The revenue grew.", REVENUE, id="cached"), said], PAGES)
    assert found.outcome == outcome


@pytest.mark.parametrize(
    ("expression", "rests_on", "outcome"),
    [
        ("12000 / (400 * 0.5)", ["gas"], "open"),
        ("30 / 0.5", ["derived"], "open"),
        ("12000 / (400 * 0.5)", ["told"], "fails"),
        ("12000 * 25 / (400 * 12.5)", ["gas"], "fails"),
    ],
)
def test_a_sentence_may_vary_an_assumption_in_words(
    expression: str, rests_on: list[str], outcome: str
) -> None:
    premises = {
        "gas": Premise(text="We assume 400 barrels a year and 12000 euros.", assumed=True),
        "told": Premise(text="It burns 400 barrels a year for 12000 euros.", is_supported=True),
    }
    terms = JudgeTerms(model="", question="", known=premises)
    said = claim(
        "With half the gas a barrel may cost €60.", expression=expression, rests_on=rests_on
    )
    derived = claim(
        "A barrel may cost €30.", expression="12000 / 400", rests_on=["gas"], id="derived"
    )
    *_, found = check_claims([derived, said], PAGES, terms)
    assert found.outcome == outcome
    supposed = said.model_copy(update={"assumed": True})
    *_, found = check_claims([derived, supposed], PAGES, terms)
    assert found.outcome == ("fails" if "12.5" in expression else "open"), (
        "it says that it supposes"
    )


@pytest.mark.parametrize(
    ("expression", "outcome"),
    [("15000 / 30", "open"), ("15000 / 12 * 0.4", "open"), ("15000 / 31 + 16.129", "fails")],
)
@pytest.mark.parametrize("assumed", [True, False])
def test_an_assumption_is_spread_over_months_and_days_without_saying_so(
    expression: str, outcome: str, *, assumed: bool
) -> None:
    premise = Premise(text="We assume rents of 15000 euros.", assumed=assumed, is_supported=True)
    terms = JudgeTerms(model="", question="", known={"rent": premise})
    said = claim("That is 500 euros.", expression=expression, rests_on=["rent"])
    [found] = check_claims([said], PAGES, terms)
    assert found.outcome == (outcome if assumed else "fails")


def test_a_number_of_a_sentence_that_quotes_nothing_is_read_in_it() -> None:
    """The 30 days of a month are not the 30 % of the sentence that it rests on."""
    sales = claim("Sold a day (assumed, 30% of capacity): 6,000 litres", assumed=True, id="sold")
    price = claim("Price of a litre (assumed): 0.01 euro", assumed=True, id="price")
    taken = claim(
        "Taken in a month of 30 days: 1,800 euros",
        expression="6,000 * 0.01 * 30",
        rests_on=["sold", "price"],
    )
    wrong = taken.model_copy(update={"text": "Taken in a month of 30 days: 1,900 euros"})
    outcomes = [found.outcome for found in check_claims([sales, price, taken, wrong], PAGES)]
    assert outcomes == ["open", "open", "open", "fails"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("The gate then runs for an assumed 61 pull requests and two weeks.", "61"),
        ("Das Tor läuft dann bei angenommenen 1.500 Anfragen.", "1.500"),
        ("The gate then runs for 61 pull requests.", "61"),
        ("It is worth €70 million.", "€70 million"),
    ],
)
def test_whether_a_judgement_may_hold_a_new_figure_is_for_the_judge(text: str, shown: str) -> None:
    """It may be called an assumption, or follow from what it rests on; a source states neither."""
    said = claim(text, rests_on=["ghent"])
    *_, found = check_claims([claim(GHENT, GHENT, id="ghent"), said], PAGES)
    assert (found.outcome, found.unquoted) == ("open", (shown,))
    if "two" not in text:
        assert check(text, GHENT).problems == (
            Reason(code="figure-missing", params={"shown": shown}),
        )


def test_the_seconds_of_an_hour_need_no_quote() -> None:
    text = "With 160 builds a month and 120 seconds saved, both assumed, it saves 5.33 hours."
    [found] = check_claims([claim(text, expression="160 * 120 / 3600")], PAGES)
    assert found.outcome == "open"


@pytest.mark.parametrize(
    ("expression", "outcome"),
    [("600 * 8000 / 300 / 3600", "open"), ("600 * 7000 / 300 / 3150", "fails")],
)
def test_the_bits_of_a_gigabyte_need_no_quote(expression: str, outcome: str) -> None:
    text = "At an assumed 300 megabits a second, an assumed 600 gigabytes take 4.4 hours."
    [found] = check_claims([claim(text, expression=expression)], PAGES)
    assert found.outcome == outcome


ALARMS = "With an assumed rate of 5%, one of an assumed 60 requests alarms in {} of the cases."


@pytest.mark.parametrize(("share", "outcome"), [("95.4%", "open"), ("71.3%", "fails")])
def test_an_assumption_may_be_a_number_that_needs_no_quote(share: str, outcome: str) -> None:
    """An expression's 60 can be an hour's minutes, its 100 makes a per cent."""
    said = claim(ALARMS.format(share), expression="(1 - 0.95 ** 60) * 100")
    [found] = check_claims([said], PAGES)
    assert found.outcome == outcome


PORT = "The port began in April 2015 and was released on November 5, 2019 with all its commands."


@pytest.mark.parametrize(
    ("expression", "outcome"),
    [
        ("(2019 - 2015) * 12 + 11 - 4", "open"),
        ("(2018 - 2015) * 12 + 23 - 4", "fails"),
        ("((2019 - 2015) + 7 / 12) * 365.25 / (365.25 / 12)", "open"),
    ],
)
def test_an_expression_may_use_the_years_of_quoted_dates(expression: str, outcome: str) -> None:
    pages = {1: CitedPage("Mercurial", Snapshot(PORT))}
    [found] = check_claims([claim("It took 55 months.", PORT, expression=expression)], pages)
    assert found.outcome == outcome


@pytest.mark.parametrize(("expression", "outcome"), [("38 - 27.9", "open"), ("39 - 28.9", "fails")])
def test_an_expression_may_use_the_figures_of_what_its_conclusion_rests_on(
    expression: str, outcome: str
) -> None:
    page = CitedPage("Margins", Snapshot("Buckle kept 47.7% and Ulta 37.6%, Apple kept 75.6%."))
    lead = claim(
        "Apple leads Buckle by 27.9 points and Ulta by 38 points.",
        "Buckle kept 47.7% and Ulta 37.6%, Apple kept 75.6%.",
        id="lead",
        expression="75.6 - 47.7; 75.6 - 37.6",
    )
    drawn = claim("Buckle is 10.1 points ahead.", rests_on=["lead"], expression=expression)
    _, found = check_claims([lead, drawn], {1: page})
    assert found.outcome == outcome


def test_cents_of_a_dollar_are_a_share() -> None:
    page = CitedPage("Ulta", Snapshot("Gross profit 1,212,503 37.6% 1,027,329 35.1%\n"))
    quote = "Gross profit 1,212,503 37.6% 1,027,329 35.1%"
    told = "Ulta kept {} cents of each dollar of sales, against 35.1 cents a year before."
    points = [claim(told.format(cents), quote) for cents in ("37.6", "36.7")]
    right, wrong = check_claims(points, {1: page})
    assert (right.outcome, right.problems) == ("open", ())
    assert wrong.problems == (Reason(code="figure-missing", params={"shown": "36.7 cents"}),)


@pytest.mark.parametrize(
    ("quotes", "expression", "problem"),
    [
        ([], "150 * 2 / 60", "working-wrong"),
        (["Nothing of the kind."], "160 * 2 / 60", "quote-near"),
        ([REVENUE], "160 * 2 / 60", "working-wrong"),
        ([], "", "uncited"),
    ],
)
def test_what_is_neither_quoted_nor_said_is_no_assumption(
    quotes: list[str], expression: str, problem: str
) -> None:
    found = check(BUILDS.format("5.33"), *quotes, expression=expression)
    assert found.outcome == "fails"
    assert found.problems[0].code == problem


HARVEST = """Kenya: Economy
GDP (official exchange rate), Kenya: $124.499 billion (2024 est.)
by sector of origin, agriculture, Kenya: 21.3% (2024 est.)
"""


@pytest.mark.parametrize(
    "expression",
    [
        "124.499 * 21.3 / 100",
        "124.499 billion * 21.3%",
        "124499000000 * 0.213",
        "124.499e9 * 0.213",
        "(124.499 - 0) billion * 21.3%",
        "(124.499 ** 2) ** 0.5 * 21.3%",
    ],
)
@pytest.mark.parametrize(("size", "outcome"), [("billion", "open"), ("million", "fails")])
def test_an_expression_may_leave_out_or_spell_out_a_scale(
    expression: str, size: str, outcome: str
) -> None:
    pages = {1: CitedPage("Kenya: Economy", Snapshot(HARVEST))}
    text = f"Agriculture was worth about 26.5 {size} dollars in 2024."
    quotes = HARVEST.splitlines()[1:]
    [found] = check_claims([claim(text, *quotes, expression=expression)], pages)
    assert found.outcome == outcome


@pytest.mark.parametrize(
    "expression",
    [
        "16.1 billion / (21,194 million - 4,009 million)",
        "16.1 billion / (21,194 - 4,009) million",
        "16,1 Milliarden / (21.194 Millionen - 4.009 Millionen)",
        "16,1 Mrd / (21.194 Mio - 4.009 Mio)",
        "16.1 billion / (21’194 million - 4 009 million)",
        "max(16.1 billion, 1) / (21,194 million - 4,009 million)",
    ],
)
def test_a_grouped_figure_of_an_expression_may_have_a_scale(expression: str) -> None:
    quotes = ["It returned $16.1 billion.", "| Cash flow | 21,194 |", "| Spending | 4,009 |"]
    page = CitedPage("Cash", Snapshot("\n".join([quotes[0], "(in millions)", *quotes[1:]])))
    text = "It returned 94% of its free cash flow."
    [found] = check_claims([claim(text, *quotes, expression=expression)], {1: page})
    assert (found.outcome, found.claim.working.split(" = ")[1:]) == ("open", ["0.936864"])


@pytest.mark.parametrize(
    ("expression", "plain"),
    [
        ("1,234.5%", "(1234.5 / 100)"),
        ("1.234,5 Mio", "(1234.5 * 1000000)"),
        ("1,234 million * 2.5", "(1234 * 1000000) * 2.5"),
        ("round(1,200 million, 2)", "round((1200 * 1000000), 2)"),
        ("1.234.567 * 2,5", "1,234,567 * 2.5"),
        ("21,194 - 4,009", "21,194 - 4,009"),
    ],
)
def test_an_expression_is_read_as_its_numbers_are_grouped(expression: str, plain: str) -> None:
    assert list_readings(expression) == [plain]


WATER = "Egypt has 51.566 billion cubic meters and Chad 1.063 billion cubic meters."
BUDGET = "The budget of the county is 51,566 million dollars."


@pytest.mark.parametrize(
    ("text", "quote", "outcome"),
    [
        ("Ägypten hat 51,566 Mrd. m³.", WATER, "open"),
        ("Ägypten hat 51.566 Mrd. m³.", WATER, "open"),
        ("Ägypten hat 51,566 Milliarden Kubikmeter.", WATER, "open"),
        ("Egypt has 51,566 billion cubic meters.", WATER, "fails"),
        ("Ägypten hat 51,567 Mrd. m³.", WATER, "fails"),
        ("Ägypten hat 51,566 Mio. m³.", WATER, "open"),
        ("Ägypten hat 515,66 Mrd. m³.", WATER, "fails"),
        ("Der Etat beträgt 51.566 Mio. Dollar.", BUDGET, "open"),
        ("Der Etat beträgt 51,566 Mrd. Dollar.", BUDGET, "open"),
        ("The budget is 51.566 million dollars.", BUDGET, "fails"),
        ("Der Ort hat 51,566 Einwohner.", "The town has 51,566 people.", "open"),
        ("Der Ort hat 51.566 Einwohner.", "The town has 51,566 people.", "open"),
        ("Er hat 51,566 Tsd. Einwohner.", "The town has 51,566 people.", "open"),
    ],
)
def test_three_digits_before_a_german_scale_are_decimals_or_a_group(
    text: str, quote: str, outcome: str
) -> None:
    assert check_on(quote, text).outcome == outcome


@pytest.mark.parametrize(
    "expression", ["51,566 Mrd - 1,063 Mrd", "51.566 Mrd - 1.063 Mrd", "51,566 Mrd. - 1,063 Mrd."]
)
@pytest.mark.parametrize(("sum_", "outcome"), [("50,503", "open"), ("52,629", "fails")])
def test_an_expression_with_a_german_scale_is_read_either_way(
    expression: str, sum_: str, outcome: str
) -> None:
    found = check_on(WATER, f"Es sind {sum_} Mrd. m³ mehr.", expression=expression)
    assert found.outcome == outcome
    if outcome == "open":
        assert found.claim.working.startswith("(51.566 * 1000000000)")


@pytest.mark.parametrize(
    ("expression", "right", "wrong"),
    [
        ("48.210 - 41.905", "It grew by €6.3 million.", "It grew by €6.3 billion."),
        ("48.2 - 41.9", "It grew by about €6.3 million.", "It grew by about €6,300."),
        ("0.04821 - 0.041905", "It grew by €0.0063 billion.", "It grew by €63 million."),
        ("48210 - 41905", "It grew by €6.3 million.", "It grew by €6,305."),
        ("48.210 / 41.905 - 1", "It grew by 15%.", "It grew by 15 million."),
        ("48210 / 1.15", "It began near €42 million.", "It began near €42 billion."),
    ],
)
def test_an_expression_may_count_in_another_magnitude_than_its_table(
    expression: str, right: str, wrong: str
) -> None:
    quotes = (REVENUE, "The company expects revenue to grow by 15%.")
    page = CitedPage("Results", Snapshot(f"{RESULTS}{quotes[1]}\n"))
    claims = [claim(text, *quotes, expression=expression) for text in (right, wrong)]
    outcomes = [found.outcome for found in check_claims(claims, {1: page})]
    assert outcomes == ["open", "fails"]


def test_amounts_of_one_sum_may_be_quoted_in_different_magnitudes() -> None:
    quote = "One friend gave €15 million, another €1 million, the club €500,000 and £20 million."
    page = CitedPage("Gifts", Snapshot(quote))
    texts = ("They gave €16.5 million.", "They gave €16.5 billion.", "The friends gave £8 million.")
    claims = [claim(text, quote, expression="15 + 1 + 0.5") for text in texts[:2]]
    found = check_claims([*claims, claim(texts[2], quote)], {1: page})
    assert [one.outcome for one in found] == ["open", "fails", "open"]
    assert found[2].unquoted == ("£8 million",)


@pytest.mark.parametrize(
    ("said", "outcome"), [("€3.20", "open"), ("€3.20 million", "fails"), ("€3.60", "fails")]
)
def test_an_amount_may_be_written_in_full_beside_a_quoted_head_that_names_its_scale(
    said: str, outcome: str
) -> None:
    head, price = "| Millions of EUR | Price of May |", "| Share price | 80.00 |"
    paid, shares = "Dividends of €640 million were paid.", "There were 200,000,000 shares."
    page = CitedPage(
        "Harbour", Snapshot("\n\n".join([paid, shares, f"{head}\n|---|---|\n{price}"]))
    )
    told = claim(
        f"That is {said} a share.", paid, shares, head, price, expression="640 million / 200000000"
    )
    [found] = check_claims([told], {1: page})
    assert found.outcome == outcome


def test_shares_may_be_counted_in_another_magnitude_than_money() -> None:
    shares, cost = "| Diluted | 14,948,179 | 15,348,175 |", "| Net cost | 21,166 | 26,221 |"
    text = (
        "(In millions, except number of shares, which are reflected in thousands)\n"
        f"{cost}\n{'| Filler of the table | 1 | 2 |' * 20}\nShares used:\n{shares}\n"
    )
    page = CitedPage("Statement", Snapshot(text))
    said = [
        ("It had 14.9 billion shares.", shares),
        ("It had 14.9 thousand shares.", shares),
        ("It cost $21.2 billion.", cost),
        ("It cost $21.2 million.", cost),
    ]
    found = check_claims([claim(text, quote) for text, quote in said], {1: page})
    assert [one.outcome for one in found] == ["open", "fails", "open", "fails"]


@pytest.mark.parametrize("said", ["about twice", "roughly double", "two and a half times"])
def test_a_computed_figure_may_be_said_in_words(said: str) -> None:
    found = check(f"Revenue was {said} gross profit.", PROFIT, REVENUE, expression="48210 / 19284")
    assert (found.outcome, found.claim.working) == ("open", "48210 / 19284 = 2.5")


@pytest.mark.parametrize(
    ("text", "expression", "code"),
    [
        ("The margin was 42%.", "19284 / 48210", "sum-unsaid"),
        ("The margin was 40%.", "20000 / 50000", "sum-unquoted"),
        ("The margin was 40%.", "19284 / (1 - 1)", "sum-by-zero"),
        ("The margin was 40%.", "__import__('os')", "sum-wrong"),
        ("The margin was 40%.", "19284 /", "sum-none"),
        ("The margin was 40%.", "19284,50 million / 48210.5", "sum-commas"),
        ("The margin was 40%.", "9 ** 9 ** 9 ** 9", "sum-large"),
    ],
)
def test_arithmetic_that_does_not_hold_fails(text: str, expression: str, code: str) -> None:
    found = check(text, PROFIT, REVENUE, expression=expression)
    assert found.outcome == "fails"
    [told] = found.problems
    assert told.code == "working-wrong"
    assert isinstance(wrong := told.params["error"], Notice)
    assert wrong.code == code


@pytest.mark.parametrize(
    ("expression", "outcome"),
    [("", "open"), ("2020 - 1930", "open"), ("2026 - 1930", "open"), ("2011 - 1930", "fails")],
)
def test_an_expression_may_use_every_year_that_its_sentence_may(
    expression: str, outcome: str
) -> None:
    quote = "The firm was founded in 1930 by two brothers"
    pages = {1: CitedPage("A firm", Snapshot(f"{quote}."), published="2020-02-04")}
    said = claim(
        "The firm was about ninety years old when it was visited.", quote, expression=expression
    )
    [found] = check_claims([said], pages, JudgeTerms(model="", question="", today="2026-11-25"))
    assert found.outcome == outcome


@pytest.mark.parametrize(
    ("quote", "expression", "text"),
    [
        (
            "Orders of FY2019 and FY2023 were alike",
            "2023 - 2019",
            "Four years apart, they were alike.",
        ),
        ("It opened on 18 March and closed on 29 March", "29 - 18", "It was open for eleven days."),
    ],
)
def test_an_expression_may_use_the_numbers_of_quoted_dates_and_codes(
    quote: str, expression: str, text: str
) -> None:
    pages = {1: CitedPage("Orders", Snapshot(f"{quote}."))}
    assert check_claims([claim(text, quote, expression=expression)], pages)[0].outcome == "open"


@pytest.mark.parametrize(
    ("text", "expression", "is_assumed"),
    [
        ("Rates rose by 50%, costs fell by 1%.", "(3 / 2 - 1) * 100; (198 / 200 - 1) * 100", False),
        ("At 1% a year 200 become 202.", "200 * (1 + 1 / 100)", True),
    ],
)
def test_a_rate_that_is_a_result_is_no_assumption(
    text: str, expression: str, is_assumed: bool
) -> None:
    quote = "Rates were 2 and 3, costs 200 and 198."
    found = check_on(quote, text, expression=expression)
    assert found.claim.assumed == is_assumed, found.problems


POWER = ("installed generating capacity: 16.164 million kW", "solar: 1.4% of total capacity")
WEALTH = ("GDP: $124.499 billion", "total: 55,751,717", "5.325 million NAIROBI (capital)")


@pytest.mark.parametrize(
    ("quotes", "expression", "text", "outcome"),
    [
        (
            POWER,
            "16.164 million * 1.4% / 1000",
            "It has about 226 megawatts of solar power.",
            "open",
        ),
        (POWER, "16.164 million * 1.4%", "It has about 226,000 kW of solar power.", "open"),
        (POWER, "16.164 million * 1.4% / 1000", "It has about 262 megawatts.", "fails"),
        (
            WEALTH,
            "124.499 billion / 55,751,717 * 5.325 million",
            "Its economy is worth about $11.9 billion.",
            "open",
        ),
        (
            WEALTH,
            "124.499 billion / 55,751,717 * 5.325 million",
            "Its economy is worth about $19.1 billion.",
            "fails",
        ),
    ],
)
def test_a_sum_of_figures_with_their_magnitudes_is_what_it_comes_to(
    quotes: tuple[str, ...], expression: str, text: str, outcome: str
) -> None:
    pages = {1: CitedPage("Facts", Snapshot("\n\n".join(quotes)))}
    cited = [Citation(source=1, quote=quote) for quote in quotes]
    said = Claim(text=text, citations=cited, expression=expression)
    [found] = check_claims([said], pages, JudgeTerms(model="", question="", today="2026-11-27"))
    assert found.outcome == outcome


@pytest.mark.parametrize(
    ("text", "is_left"),
    [
        ("At an assumed $3 a pair costs less than half of a day's output.", True),
        ("A pair costs 37 days' output.", False),
    ],
)
def test_whether_a_rounded_word_fits_a_result_is_left_to_the_judge(
    text: str, is_left: bool
) -> None:
    claim = Claim(
        text=text,
        citations=[Citation(source=1, quote="Output is $7.1 a day.")],
        expression="3 / 7.1" if is_left else "7.1 / 3",
    )
    pages = {1: CitedPage("Output", Snapshot("Output is $7.1 a day."))}
    [check] = check_claims([claim], pages)
    assert (check.outcome == "open") is is_left


def test_a_percentage_of_rates_per_100000_is_no_amount() -> None:
    quote = "Chad: 748 deaths per 100,000 births. Niger: 350 deaths per 100,000 births."
    said = "It is only about 47% of Chad's."
    assert check_on(quote, said, expression="350 / 748 * 100").outcome == "open"


@pytest.mark.parametrize(("scale", "outcome"), [("billion", "open"), ("million", "fails")])
def test_a_hundred_that_is_quoted_in_billions_is_an_amount(scale: str, outcome: str) -> None:
    quote = "The port gets at least €100 billion over the period 2021-2027."
    said = f"Over seven years that comes to some €14 {scale} a year."
    assert check_on(quote, said, expression="100/7").outcome == outcome


@pytest.mark.parametrize(
    ("row", "outcome"),
    [("Part of sales, billion (2023)", "open"), ("Part of sales (2023)", "fails")],
)
def test_a_cell_states_a_result_in_the_scale_of_its_row(row: str, outcome: str) -> None:
    page = CitedPage("Gas", Snapshot("It sold gas for $914.7 billion in 2023."))
    cited = [Citation(source=1, quote="It sold gas for $914.7 billion in 2023.")]
    cell = Claim(text="23.8", citations=cited, expression="914.7 billion * 2.6%", assumed=True)
    [found] = check_claims([cell], {1: page}, labels=[(row, "Ghent")])
    assert found.outcome == outcome


@pytest.mark.parametrize(
    ("text", "expression", "outcome"),
    [
        ("At 600 Mbit/s, 600 GB take 133 minutes.", "600 * 8000 / 600 / 60", "open"),
        ("At 600 Mbit/s, 600 GB take 133 minutes.", "600 * 8 * 1000 / 600 / 60", "open"),
        ("With 45 GB a day, 1 TiB lasts 24 days.", "1 * 1.0995 * 1000 / 45", "open"),
        ("With 45 GB a day, 1 TiB lasts 24 days.", "1 * 1.024 ** 4 * 1000 / 45", "open"),
        ("With 45 GB a day, 1 TiB lasts 24 days.", "1 * 1.0994 * 1000 / 45", "fails"),
        ("At 600 Mbit/s, 600 GB take 132 minutes.", "600 * 7900 / 600 / 60", "fails"),
        (
            "The yard of 600 halls with 600 people takes 133 minutes.",
            "600 * 8000 / 600 / 60",
            "fails",
        ),
    ],
)
def test_factors_between_units_of_data_need_no_quote(
    text: str, expression: str, outcome: str
) -> None:
    said = Claim.model_validate({"text": text, "citations": [], "expression": expression})
    [found] = check_claims([said], PAGES)
    assert found.outcome == outcome

"""What code settles about a claim beside its quotes, and what it leaves to a judge."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from contracts.base import Json
from contracts.evidence.checks import Check
from contracts.evidence.claims import UNJUDGED, Citation, Claim, JudgeTerms, Premise
from contracts.evidence.reasons import Reason
from contracts.notices import Notice
from domain.evidence.cited_page import CitedPage
from domain.evidence.figures.arithmetic import list_readings
from domain.evidence.figures.figure_parser import parse_figures
from domain.evidence.quotes import Snapshot
from domain.evidence.verification import MAX_NEAREST, check_claims

RESULTS = """Harbour Tools plc, results for the year
Rotterdam, 14 March 2024

## Income statement
(Euros in thousands, except per share data)
Year ended 31 December
2023 2022
| Revenue | € 48,210 | € 41,905 |
| Gross profit | 19,284 | 15,924 |
| Operating loss | (1,130) | (2,417) |
| Loss per share | (0.14) | (0.31) |
| Change in revenue | 15 | % |

## Outlook
Order intake rose by about a third, said Ingrid Vos, who joined the board last year.
Two of the three yards are in Flushing; the third, in Ghent, employs 340 people.
The company expects revenue of €52 million to €55 million, a rate of 9% to 14%.
Interest costs fell from 6.5% to 5.1% of revenue.
The yard in Ghent employs 340 people.
"""
GERMAN = (
    "Der Umsatz stieg um sieben Prozent auf 1’396.342 Euro. Ein Drittel davon stammt aus Gent.\n"
)
BARE = "Steel 4,120 3,980\nCoal 2,011 2,250\n"
PAGES = {
    1: CitedPage("Harbour Tools plc: annual results", Snapshot(RESULTS), "harbour", "2024-03-14"),
    2: CitedPage("Harbour wächst", Snapshot(GERMAN), "blatt", "2024-03-15"),
    3: CitedPage("Freight table", Snapshot(BARE)),
}
TERMS = JudgeTerms(
    model="", question="How did Harbour Tools do against its 2021 plan of 45 million?"
)
REVENUE = "| Revenue | € 48,210 | € 41,905 |"
PROFIT = "| Gross profit | 19,284 | 15,924 |"
LOSS = "| Operating loss | (1,130) | (2,417) |"
SHARE = "| Loss per share | (0.14) | (0.31) |"
OUTLOOK = "The company expects revenue of €52 million to €55 million, a rate of 9% to 14%."
YARDS = "Two of the three yards are in Flushing; the third, in Ghent, employs 340 people."
ORDERS = "Order intake rose by about a third, said Ingrid Vos, who joined the board last year."
GHENT = "The yard in Ghent employs 340 people."
INTEREST = "Interest costs fell from 6.5% to 5.1% of revenue."


def claim(text: str, *quotes: str, source: int = 1, **more: object) -> Claim:
    citations = [Citation(source=source, quote=quote) for quote in quotes]
    return Claim.model_validate({"text": text, "citations": citations, **more})


def check(text: str, *quotes: str, source: int = 1, **more: object) -> Check:
    [found] = check_claims([claim(text, *quotes, source=source, **more)], PAGES, TERMS)
    return found


def declare(text: str) -> list[Json]:
    """Return every figure of a sentence as one that stands in its first quote."""
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
    ("Gross profit was 46% of revenue.", [PROFIT, REVENUE], "46%"),  # of two different years
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


def test_an_expression_of_separators_alone_is_none() -> None:
    assert check("The yard in Ghent employs 340 people.", YARDS, expression=" ; ").outcome == "open"


def test_one_quote_that_is_found_carries_the_claim() -> None:
    found = check("Ghent employs 340 people.", "It has 340 men.", YARDS)
    assert (found.outcome, [c.quote for c in found.claim.citations]) == ("open", [YARDS])


def test_a_claim_that_cites_nothing_fails() -> None:
    assert check("Pumps sell.").problems == (Reason(code="uncited"),)


def test_a_claim_far_too_long_fails() -> None:
    assert check("Pumps sell. " * 1_000, YARDS).problems == (Reason(code="too-long"),)


@pytest.mark.parametrize(
    ("text", "expression", "working"),
    [
        ("The margin was 40.0%.", "19284 / 48210 * 100", "19284 / 48210 * 100 = 40"),
        ("The margin was 40%.", "19284 / 48210", "19284 / 48210 = 0.4"),
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
    [found] = check_claims([claim(text, quote)], {1: CitedPage("Water", Snapshot(quote))})
    assert found.outcome == outcome


@pytest.mark.parametrize(
    "expression", ["51,566 Mrd - 1,063 Mrd", "51.566 Mrd - 1.063 Mrd", "51,566 Mrd. - 1,063 Mrd."]
)
@pytest.mark.parametrize(("sum_", "outcome"), [("50,503", "open"), ("52,629", "fails")])
def test_an_expression_with_a_german_scale_is_read_either_way(
    expression: str, sum_: str, outcome: str
) -> None:
    told = claim(f"Es sind {sum_} Mrd. m³ mehr.", WATER, expression=expression)
    [found] = check_claims([told], {1: CitedPage("Water", Snapshot(WATER))})
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


def test_the_time_between_two_dates_is_left_to_a_reader() -> None:
    quote = "| Release 3.5 | 2025-07-14 | 2026-07-31 |"
    page = CitedPage("Releases", Snapshot(f"{quote}\n"))
    [found] = check_claims([claim("It is supported for 382 days.", quote)], {1: page})
    assert found.outcome == "open"


@pytest.mark.parametrize("said", ["about twice", "roughly double", "two and a half times"])
def test_a_computed_figure_may_be_said_in_words(said: str) -> None:
    found = check(f"Revenue was {said} gross profit.", PROFIT, REVENUE, expression="48210 / 19284")
    assert (found.outcome, found.claim.working) == ("open", "48210 / 19284 = 2.5")


@pytest.mark.parametrize(("weeks", "outcome"), [("39 weeks", "open"), ("26 weeks", "fails")])
def test_a_period_in_words_above_its_table_is_known(weeks: str, outcome: str) -> None:
    text = "|  | Thirteen Weeks Ended | Thirty-Nine Weeks Ended |\n| Sales of shoes | 93 | 838 |\n"
    pages = {1: CitedPage("Results", Snapshot(text))}
    quote = "| Sales of shoes | 93 | 838 |"
    [found] = check_claims([claim(f"Over {weeks} it sold 838 pairs.", quote)], pages)
    assert found.outcome == outcome


@pytest.mark.parametrize("row", [1, 40])
def test_a_day_in_the_header_of_a_long_table_is_known(row: int) -> None:
    rows = "".join(f"| Item {n} of the statement | {n},483 | {n},065 |\n" for n in range(1, 60))
    text = f"(In thousands)\n|  | November 2, 2024 | October 28, 2023 |\n{rows}"
    pages = {1: CitedPage("Results", Snapshot(text))}
    quote = f"| Item {row} of the statement | {row},483 | {row},065 |"
    said = f"It was ${row},065 thousand on October 28, 2023."
    [right] = check_claims([claim(said, quote)], pages)
    [wrong] = check_claims([claim(said.replace("28", "29"), quote)], pages)
    assert (right.outcome, wrong.outcome) == ("open", "fails")


@pytest.mark.parametrize(
    ("day", "outcome"), [("January 28, 2023", "open"), ("April 3, 2023", "fails")]
)
def test_a_day_that_a_page_opens_with_is_known_and_one_far_below_is_not(
    day: str, outcome: str
) -> None:
    opening = "Shoes today announced results for the period ended January\n28, 2023.\n\n"
    rest = "They sell shoes in many towns.\n" * 60
    text = f"{opening}{rest}Net sales rose 18.2% to $3.2 million.\n{rest}It pays on April 3, 2023."
    pages = {1: CitedPage("Results of 2023", Snapshot(text))}
    quote = "Net sales rose 18.2% to $3.2 million."
    [found] = check_claims([claim(f"In the period to {day} sales rose 18.2%.", quote)], pages)
    assert found.outcome == outcome
    shown = [Snapshot(text).text[start:end] for _, (start, end) in found.openings]
    assert shown == (["January\n28, 2023"] if outcome == "open" else [])


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
    ],
    ids=["one cell of a row", "bars", "figures in a line", "a cell a line", "one column"],
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
    pages = {1: CitedPage("Results", Snapshot(f"In millions\n{quote}\n"))}
    [found] = check_claims([claim(text, quote, figures=declare(text))], pages)
    assert found.outcome == outcome


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
    [found] = check_claims([claim(text, quote)], {1: CitedPage("", Snapshot(quote))})
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
    made = claim(text, quote, expression=expression)
    [found] = check_claims([made], {1: CitedPage("", Snapshot(quote))})
    assert found.claim.assumed == is_assumed, found.problems


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


@pytest.mark.parametrize(
    ("text", "outcome", "unquoted"),
    [
        ("Ask ten yards by the end of March 2027.", "open", ["2027"]),
        ("Decide on 1 February 2027.", "open", ["1 February 2027"]),
        ("Go on from 2027 if six of them order.", "open", ["2027"]),
        ("As in March 2019, ask the yards first.", "fails", []),
    ],
)
def test_advice_may_say_by_when_and_the_judge_sees_that_nobody_else_does(
    text: str, outcome: str, unquoted: list[str]
) -> None:
    known = {"a": Premise(text="Two of the three yards are in Flushing.", is_supported=True)}
    advice = Claim(text=text, citations=[], rests_on=["a"])
    [found] = check_claims(
        [advice], {}, JudgeTerms(model="", question="", known=known, today="2026-11-25")
    )
    assert found.outcome == outcome
    assert set(unquoted) <= set(found.unquoted)


def test_who_states_a_coming_year_has_a_source_for_it() -> None:
    pages = {1: CitedPage("Results", Snapshot("The yard in Ghent employs 340 people."))}
    said = claim(
        "The yard in Ghent employs 340 people until 2027.", "The yard in Ghent employs 340 people"
    )
    [found] = check_claims([said], pages, JudgeTerms(model="", question="", today="2026-11-25"))
    assert [reason.code for reason in found.problems] == ["year-missing"]


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

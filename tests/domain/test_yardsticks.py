"""Decisions on companies pick a cell of a table that code made, and add no number of their own."""

import pytest

from contracts.evidence.claims import Citation, Claim, Verdict
from contracts.evidence.rows import Bound
from contracts.notices import Notice, Told
from contracts.phases.typed_answers import NOT_ENOUGH, CompanyAction, Recommendation
from contracts.report.price_table import HeldRow, ImpliedRow, PastRow, PastValue, PriceTable
from contracts.report.report import Report
from domain.own_numbers import (
    leave_out_own_numbers,
    list_assumed,
    list_computed,
    list_sourced,
)
from domain.recommendation import add_recommendation
from domain.yardsticks import (
    NONE,
    add_yardsticks,
    list_choices,
    list_known,
    list_yardstick_reasons,
    show_tables,
)
from tests.support.words import en

CASH = Notice.of("metric-free-cash-flow", "info")
GREW = [("year", 3.0), ("years-3", 5.5)]


def table(price: float = 100) -> PriceTable:
    """Return a table by free cash flow at 8 and 9 %."""
    implied = ImpliedRow(
        metric="growth_implied",
        name=CASH,
        basis=Notice.of("implied-of-times", "info", of=CASH, value=20),
        record="free_cash_flow",
        period="ttm",
        end="2025-12-31",
        values=[9.5, None],
    )
    past = [
        PastValue.model_validate({"base": base, "end": "2025-12-31", "value": value})
        for base, value in GREW
    ]
    return PriceTable(
        price=price,
        currency="USD",
        day="2026-02-15",
        returns=[8, 9],
        holds="growth",
        held=CASH,
        years=10,
        later=2.5,
        implied=[implied],
        prices=[HeldRow(holds=3, values=[71, 62]), HeldRow(holds=6, values=[88, None])],
        past=[PastRow(metric="free_cash_flow", name=CASH, values=past)],
    )


def cited(text: str, **more: object) -> Claim:
    quote = Citation(source=1, quote=text, start=0, end=9)
    given = {"text": text, "citations": [quote], "verdict": "supported", **more}
    return Claim.model_validate(given)


def decide(yardstick: str = "", action: str = "avoid", **more: object) -> Recommendation:
    given = {
        "action": action,
        "confidence": 0.8,
        "horizon": "a year",
        "rationale": [cited("It grew by 3%.")],
        "risks": [cited("It has cash.")],
        "what_would_change": ["A new product."],
        "yardstick": yardstick,
    }
    return Recommendation.model_validate(given | more)


def test_choices_are_the_known_cells_of_all_tables_and_none() -> None:
    other = table().model_copy(update={"prices": [HeldRow(holds=12, values=[None, 40])]})
    assert list_choices({"A": table(), "B": other}) == [
        *("8%/3%", "9%/3%", "8%/6%", "9%/12%", NONE)
    ]
    shown = show_tables({"A": table()})["A"]
    assert isinstance(shown, dict)
    assert {"8%/3%": 71.0, "9%/3%": 62.0, "8%/6%": 88.0} in shown.values()


def test_cell_is_worded_by_code_with_what_the_price_needs_and_every_base() -> None:
    said = add_yardsticks(decide("8%/6%"), {"AAPL": table()}, "AAPL")
    assert said.measured
    report = add_recommendation(said, Report(title="A", sections=[]), "en")
    assert report.answer
    told = said.measured.told
    assert report.answer.remarks[0] == told.text
    assert told.params["needed"] == Notice.of("yardstick-needed", "info", value=9.5)
    did = told.params["did"]
    assert isinstance(did, list)
    assert [each.params["value"] for each in did if isinstance(each, Notice)] == [3, 5.5]
    held = en("price", value=88, currency="USD")
    chosen = Notice.of("price", "info", value=88, currency="USD")
    assert told.params["chosen"] == Notice.of(
        "yardstick-chosen-below", "info", rate=6, held=chosen, gap=12
    )
    below = en("yardstick-below-growth", held=held, gap=12, rate=6, required=8)
    assert report.would_change == [below, "A new product."]


def test_a_bound_of_what_a_company_did_is_said() -> None:
    made = table()
    value = PastValue(base="year", end="2025-12-31", value=12.82, bound="at_least")
    made.past[0].values[:] = [value]
    said = add_yardsticks(decide("8%/6%"), {"AAPL": made}, "AAPL")
    assert said.measured
    assert f"12.82%{en('bound-at-least')}" in said.measured.told.text


@pytest.mark.parametrize(
    ("fact", "is_kept"),
    [
        ("A share price of 88 USD or less.", False),
        ("A price of 88 USD, at which growth of 6% is enough for 8% a year.", False),
        ("A price of 88 USD with growth of 3% in 2026.", True),
        ("Growth of 6% a year.", True),
        ("A price of 62 USD or less.", True),
    ],
)
def test_condition_that_says_the_price_of_the_cell_again_is_left_out(
    fact: str, *, is_kept: bool
) -> None:
    said = add_yardsticks(decide("8%/6%", what_would_change=[fact]), {"AAPL": table()}, "AAPL")
    report = add_recommendation(said, Report(title="A", sections=[]), "en")
    assert report.would_change[1:] == [fact] * is_kept


@pytest.mark.parametrize("bound", ["at_most", "at_least"])
def test_price_of_a_cell_that_is_a_bound_is_a_bound_in_the_condition_and_for_the_decider(
    bound: Bound,
) -> None:
    made = table().model_copy(update={"price_bound": bound})
    said = add_yardsticks(decide("8%/6%"), {"AAPL": made}, "AAPL")
    assert said.measured
    code = bound.replace("_", "-")
    assert said.measured.condition.params["bound"] == Notice.of(f"yardstick-{code}", "info")
    assert said.measured.condition.text.endswith(en(f"yardstick-{code}"))
    words = en(f"bound-{code}")
    shown = show_tables({"AAPL": made})["AAPL"]
    assert isinstance(shown, dict)
    assert f"88 USD{words}" in list_known({"AAPL": made})[0]
    assert [name for name in shown if name.endswith(words)]


def test_price_below_that_of_the_cell_says_up_to_where_it_holds() -> None:
    said = add_yardsticks(decide("8%/6%", action="buy"), {"AAPL": table(80)}, "AAPL")
    assert said.measured
    assert said.measured.condition.code == "yardstick-met-growth"
    chosen = said.measured.told.params["chosen"]
    assert isinstance(chosen, Notice)
    assert chosen.code == "yardstick-chosen-met"
    assert said.measured.condition.params["gap"] == 10


def test_growth_out_of_reach_is_said_so() -> None:
    said = add_yardsticks(decide("9%/3%"), {"AAPL": table()}, "AAPL")
    assert said.measured
    assert said.measured.told.params["needed"] == Notice.of("yardstick-none", "info")


@pytest.mark.parametrize(
    ("yardstick", "action"), [(NONE, "avoid"), ("7%/1%", "avoid"), ("8%/6%", NOT_ENOUGH)]
)
def test_open_action_and_unknown_cell_have_no_yardstick(yardstick: str, action: str) -> None:
    said = add_yardsticks(decide(yardstick, action), {"AAPL": table()}, "AAPL")
    assert said.measured is None


def test_each_of_several_companies_has_its_own_table() -> None:
    drafted = decide("8%/6%")
    fields = {name: getattr(drafted, name) for name in CompanyAction.model_fields}
    other = CompanyAction.model_validate({**fields, "company": "B"})
    first = decide("8%/6%", company="A", others=[other])
    said = add_yardsticks(first, {"A": table(), "B": table(80)}, "A")
    measured = [one.measured for one in (said, *said.others)]
    codes = [each.condition.code for each in measured if each]
    assert codes == ["yardstick-below-growth", "yardstick-met-growth"]


KNOWN = [
    "It grew by 3%. Debt of 12 billion USD is due in 2031.",
    *list_known({"AAPL": table()}),
]
DAY = "2026-02-15"
"""Of the decisions."""


def test_sentence_with_an_assumed_number_is_left_out_and_told() -> None:
    assumed = Claim(text="We ask for 11%.", citations=[], assumed=True, id="rate")
    by_it = Claim(text="At 11% it is dear.", citations=[], rests_on=["rate"], assumed=True, id="no")
    so = Claim(text="So avoid it.", citations=[], rests_on=["no"], assumed=True)
    held = Claim(text="It grew by 3%, so avoid it.", citations=[], rests_on=["fact"])
    fact = cited("It grew by 3%.", id="fact")
    draft = decide(rationale=[assumed, by_it, fact], answer=[so, held])
    [said], answer = leave_out_own_numbers([draft], draft.answer, KNOWN, DAY)
    assert said.rationale == [fact]
    assert answer == [held]
    told = [(own.text, own.figures) for own in said.own_numbers]
    assert told == [(assumed.text, ["11%"]), (by_it.text, ["11%"]), (so.text, [])]
    report = add_recommendation(said, Report(title="A", sections=[]), "en")
    notes = [note for note in report.notes if isinstance(note, Notice)]
    assert [note.code for note in notes] == ["decision-own-numbers"]


def suppose(text: str, expression: str, working: str, *rows: str, **more: object) -> Claim:
    """Return a supported sentence on what would have been, with its sum and the rows that it quotes."""
    quotes = [Citation(source=1, quote=row, start=0, end=9) for row in rows]
    made = cited(text, citations=quotes, expression=expression, working=working, assumed=True)
    return made.model_copy(update=more)


INCOME, RATE = "| Income before tax | 70,663 | 47,428 |", "| Tax rate, % | 11.8% | 17.6% |"
LEFT = suppose(
    "At the rate of 2023 it would have earned 58.2 billion USD.",
    "70.663 * (1 - 17.6%)",
    "70.663 * (1 - (17.6 / 100)) = 58.2263",
    *(INCOME, RATE),
    id="left",
)


@pytest.mark.parametrize(
    ("claim", "is_kept"),
    [
        (LEFT, True),
        (
            suppose(
                "That would be 17.4% of its equity.",
                "58.2 / 334,567 million * 100",
                "58.2 / 334567 * 100 = 17.3956",
                "| Equity | 334,567 |",
                rests_on=["left"],
            ),
            True,
        ),
        (
            suppose("At 15 times it is worth 1,060 USD.", "70.663 * 15", "… = 1,059.95", INCOME),
            False,
        ),
        (suppose("Its mean is 23.6 billion USD.", "70,663 / 3", "… = 23,554.3", INCOME), True),
        (suppose("Three times that is 212 billion.", "70,663 * 3", "… = 211,989", INCOME), False),
        (suppose("It is worth 1,060 USD.", "70.663 * 15", "… = 1,059.95", INCOME), False),
        (suppose("It is worth 1,102.6 USD.", "70.663 * 15.604", "… = 1,102.63", INCOME), False),
        (suppose("At 21% tax it earns 55.8.", "70.663 * 79%", "… = 55.82", INCOME, RATE), False),
        (
            suppose("It would earn 58.2, and 99.9 soon.", "70,663 * 17.6%", "… = 58.2", INCOME),
            False,
        ),
        (suppose("It would earn 58.2 billion USD.", "70,663 * 17.6%", "", INCOME, RATE), False),
    ],
)
def test_assumed_sum_over_filed_numbers_alone_has_no_number_of_its_own(
    claim: Claim, *, is_kept: bool
) -> None:
    draft = decide(rationale=[LEFT, claim])
    [said], _ = leave_out_own_numbers([draft], [], KNOWN, DAY)
    assert (claim in said.rationale) == is_kept


def test_decision_may_say_again_what_earlier_work_computed_from_filed_numbers() -> None:
    tax = Claim(text="We assume the rate of 17.6%.", citations=[], assumed=True, id="tax")
    own = Claim(text="We assume a rate of 20.5%.", citations=[], assumed=True, id="own")
    by_tax = LEFT.model_copy(update={"rests_on": ["tax"]})
    share = suppose(
        "That is 17.4% of its equity.",
        "58.2263 / 334,567 million * 100",
        "58.2263 / 334567 * 100 = 17.4035",
        "| Equity | 334,567 |",
        rests_on=["left"],
    )
    by_own = suppose(
        "At that it would have earned 56.2 billion USD.",
        "70.663 * (1 - 20.5%)",
        "70.663 * (1 - (20.5 / 100)) = 56.1771",
        *(INCOME, "| A rate, % | 20.5% |"),
        rests_on=["own"],
    )
    known = [*KNOWN, INCOME, RATE, "58.2263"]
    assert list_computed([tax, own, by_tax, share, by_own], known) == [by_tax.text, share.text]
    again = Claim(text=share.text, citations=[], rests_on=["left"], assumed=True)
    for more, kept in (([share.text], [again]), ([], [])):
        [said], _ = leave_out_own_numbers([decide(rationale=[again])], [], [*known, *more], DAY)
        assert said.rationale == kept


def test_assumption_with_numbers_of_the_table_or_of_none_stays() -> None:
    of_table = Claim(text="We take 8% and 88 USD.", citations=[], assumed=True)
    plain = Claim(text="We assume that it lasts.", citations=[], assumed=True)
    draft = decide(rationale=[of_table, plain])
    [said], _ = leave_out_own_numbers([draft], [], KNOWN, DAY)
    assert said.rationale == [of_table, plain]
    assert said.own_numbers == []


UNUSED = {
    follows: Notice.of(
        "company-price-unused",
        price=Notice.of("price", "info", value=32, currency="USD"),
        company="ASML",
        why=Notice.of("price-currency", currencies=["EUR"]),
        follows=Notice.of(follows),
    )
    for follows in ("price-follows-assumed", "price-follows-nothing")
}


@pytest.mark.parametrize(
    ("notes", "verdict", "is_kept"),
    [
        ([UNUSED["price-follows-assumed"]], None, True),
        ([UNUSED["price-follows-assumed"]], "contradicted", False),
        ([UNUSED["price-follows-nothing"]], None, False),
        (["A note."], None, False),
    ],
    ids=["asked for", "asked for, and refuted", "nothing follows", "not asked for"],
)
def test_assumption_of_earlier_work_is_named_again_only_where_a_price_means_something_by_it_alone(
    notes: list[Told], verdict: Verdict | None, *, is_kept: bool
) -> None:
    rate = Claim(text="We assume 1.20 USD for one EUR.", citations=[], assumed=True)
    by_it = Claim(text="At 1.20 USD it is 6.5 times book.", citations=[], assumed=True)
    earlier = [rate, by_it.model_copy(update={"verdict": verdict})]
    reason = Claim(
        text="At an assumed 1.20 USD it costs 6.5 times book.", citations=[], assumed=True
    )
    known = [*KNOWN, *list_assumed(earlier, notes)]
    [said], _ = leave_out_own_numbers([decide(rationale=[reason])], [], known, DAY)
    assert said.rationale == [reason] * is_kept


@pytest.mark.parametrize(
    ("fact", "is_kept"),
    [
        ("A price below 62 USD.", True),
        ("A price below 55 USD; 55 is our assumption.", False),
        ("Growth of 15% a year.", False),
        ("Results of May 2027.", True),
        ("Results of the quarter to 2026-06-30.", True),
        ("Results of the quarter to March 2026.", True),
        ("Results as those of the quarter to 2025-06-30.", False),
    ],
)
def test_condition_names_days_ahead_but_no_price_or_growth_of_its_own(
    fact: str, *, is_kept: bool
) -> None:
    [said], _ = leave_out_own_numbers([decide(what_would_change=[fact])], [], KNOWN, DAY)
    assert said.what_would_change == [fact] * is_kept
    assert [own.text for own in said.own_numbers] == [fact] * (not is_kept)


WHY = Claim(text="We ask for 8% since it grew by 3%.", citations=[], rests_on=["fact"])
HELD = WHY.rule("supported")


def test_reason_for_a_yardstick_is_a_section_beside_the_decision() -> None:
    drafted = decide("8%/6%", yardstick_reason=[HELD])
    said = add_yardsticks(drafted, {"AAPL": table()}, "AAPL")
    assert said.yardstick_doubt is None
    report = add_recommendation(said, Report(title="A", sections=[]), "en")
    [beside] = [section for section in report.sections if section.is_beside_decision]
    assert beside.claims == [HELD]
    choice = en("yardstick-choice-growth", required=8, rate=6)
    assert beside.heading == en("yardstick-why", choice=choice)


@pytest.mark.parametrize(
    ("yardstick", "reasons", "code", "shown", "refused"),
    [
        ("8%/6%", [], "yardstick-unreasoned", 0, []),
        ("8%/6%", [WHY.rule("not_shown")], "yardstick-unreasoned", 0, [WHY.text]),
        ("8%/6%", [HELD, WHY.rule("contradicted")], "yardstick-reason-fell", 1, [WHY.text]),
        (NONE, [], "yardstick-unchosen", 0, []),
        (NONE, [HELD], "yardstick-unchosen", 1, []),
    ],
    ids=["none", "refused", "one-refused", "unchosen", "unchosen-with-reason"],
)
def test_choice_without_a_reason_that_holds_is_told_as_a_notice(
    yardstick: str, reasons: list[Claim], code: str, shown: int, refused: list[str]
) -> None:
    drafted = decide(yardstick, yardstick_reason=reasons)
    said = add_yardsticks(drafted, {"AAPL": table()}, "AAPL")
    assert said.yardstick_doubt
    assert (said.yardstick_doubt.code, said.yardstick_doubt.severity) == (code, "warning")
    told = said.yardstick_doubt.params.get("texts") or []
    assert isinstance(told, list)
    assert [each.params["text"] for each in told if isinstance(each, Notice)] == refused
    report = add_recommendation(said, Report(title="A", sections=[]), "de")
    assert said.yardstick_doubt in report.notes
    beside = [section for section in report.sections if section.is_beside_decision]
    assert len(beside) == shown


def test_open_action_has_neither_reason_nor_doubt_of_a_yardstick() -> None:
    drafted = decide("8%/6%", NOT_ENOUGH, yardstick_reason=[HELD])
    said = add_yardsticks(drafted, {"AAPL": table()}, "AAPL")
    assert (said.yardstick_reason, said.yardstick_doubt) == ([], None)
    assert add_yardsticks(decide(), {}, "AAPL").yardstick_doubt is None


@pytest.mark.parametrize(
    ("reason", "own"),
    [
        (HELD, []),
        (HELD.model_copy(update={"text": "We ask for 11% since it grew by 3%."}), ["11%"]),
        (cited("Its sales fell by 27% in one year."), []),
        (cited("Its sales fell.").model_copy(update={"text": "Its sales fell by 27%."}), ["27%"]),
    ],
    ids=["of-the-table", "own", "quoted", "not-quoted"],
)
def test_reason_for_a_yardstick_has_no_number_but_those_of_the_table_and_of_quotes(
    reason: Claim, own: list[str]
) -> None:
    drafted = decide("8%/6%", yardstick_reason=[reason])
    known = [*KNOWN, *list_sourced([drafted], [reason, *drafted.rationale])]
    [said], _ = leave_out_own_numbers([drafted], [], known, DAY)
    assert said.yardstick_reason == [reason] * (not own)
    assert [left.figures for left in said.own_numbers] == [own] * bool(own)


def test_reasons_of_several_companies_name_theirs() -> None:
    drafted = decide("8%/6%", company="B", yardstick_reason=[HELD])
    said = add_yardsticks(drafted, {"B": table()}, "A")
    [section] = list_yardstick_reasons(said, "de")
    assert section.heading.startswith("B: ")
    told = add_yardsticks(decide("8%/6%", company="B"), {"B": table()}, "A").yardstick_doubt
    assert told
    assert told.params["company"] == "B"

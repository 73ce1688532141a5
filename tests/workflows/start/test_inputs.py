"""What a start says in `inputs`, held against what its definition reads."""

from typing import Any

import pytest
from pydantic import JsonValue

from contracts.base import Json
from contracts.company.inputs import CompanyInputs
from contracts.definitions import Definition
from contracts.errors import Conflict, InvalidInput
from contracts.phases.clarification import ClarificationPhase
from contracts.phases.research import RetrievalPhase
from contracts.phases.typed_answers import AnalysisPhase, DecisionConfig, DecisionPhase
from contracts.preset_definitions import PRESETS
from contracts.runs.request import RunRequest
from tests.support.words import en, opening, pattern, phrase
from workflows.start.inputs import build_inputs_model, find_input_problems
from workflows.start.resolution import resolve, validate_definition

TICKER: Json = {"ticker": "AAPL"}


def problems(given: Json, latest_day: str = "") -> dict[str, str]:
    found = find_input_problems(PRESETS["investment_analysis"], given, latest_day)
    return {problem.path: problem.message for problem in found}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ticker", ""),
        ("ticker", "AAPL OR 1=1"),
        ("ticker", "../etc/passwd"),
        ("ticker", "ÄPFEL"),
        ("ticker", "A" * 11),
        ("ticker", 5),
        ("ticker", None),
        ("price", 0),
        ("price", -3),
        ("price", 1e-300),
        ("price", True),
        ("price", "cheap"),
        ("price", "nan"),
        ("price", "inf"),
        ("price", 1e10),
        ("price_currency", "Euro"),
        ("price_currency", "€"),
        ("news_limit", 21),
        ("news_limit", -1),
        ("news_limit", "many"),
        ("as_of", "yesterday"),
        ("as_of", "2025-02-30"),
        ("company_name", "x" * 201),
        ("audience", "all"),
    ],
)
def test_what_cannot_be_read_is_told_by_its_name(name: str, value: JsonValue) -> None:
    assert list(problems({**TICKER, name: value})) == [f"inputs.{name}"]


@pytest.mark.parametrize(
    ("said", "is_to_come"),
    [("2026-11-25", False), ("20261001", False), ("2026-11-26", True), ("20261201", True)],
)
def test_a_day_to_come_is_told_with_all_else_however_it_is_written(
    said: str, is_to_come: bool
) -> None:
    found = problems({**TICKER, "as_of": said, "news_limit": -1}, "2026-11-25")
    assert list(found) == ["inputs.news_limit", *["inputs.as_of"] * is_to_come]
    assert problems({**TICKER, "as_of": said}) == {}


def test_what_is_missing_is_told() -> None:
    assert list(problems({})) == ["inputs.ticker"]
    with pytest.raises(InvalidInput):
        resolve(RunRequest(query="?"), PRESETS["investment_analysis"], None)


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("aapl", "AAPL"),
        (" brk.b ", "BRK.B"),
        ("BRK-B", "BRK-B"),
        ("cik0001418091", "CIK0001418091"),
    ],
)
def test_a_ticker_is_read_as_exchanges_write_it(said: str, read: str) -> None:
    assert CompanyInputs(ticker=said).ticker == read


@pytest.mark.parametrize("said", ["aapl, snow", "AAPL,SNOW", ["AAPL", "SNOW"]])
def test_companies_are_listed_as_a_command_line_can(said: JsonValue) -> None:
    for field in ("tickers", *(["ticker"] if isinstance(said, str) else [])):
        given: Json = {field: said, "price": "230.5"}
        assert problems(given) == {}
        read = CompanyInputs.model_validate(given)
        assert (read.ticker, read.peers, read.price) == ("AAPL", ["SNOW"], [230.5])
    assert "inputs.tickers.1" in problems({**TICKER, "tickers": "AAPL,,SNOW"})


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("230, 155", [230, 155]),
        ("1230.5,99.25", [1230.5, 99.25]),
        (" 230 , 155.5 ", [230, 155.5]),
        ([230, "155"], [230, 155]),
        (",155", [None, 155]),
        ([None, 155], [None, 155]),
        ("230,", [230]),
        (230, [230]),
        (None, []),
        ("", []),
    ],
)
def test_prices_are_those_of_the_companies_in_their_order(
    said: JsonValue, read: list[float | None]
) -> None:
    given: Json = {"ticker": "SNOW", "tickers": ["AAPL", "SNOW"], "price": said}
    assert problems(given) == {}
    assert CompanyInputs.model_validate(given).price == read


@pytest.mark.parametrize(
    ("said", "path"),
    [("230,cheap", "price.1"), ("1,2,3", "price"), ([1, True], "price.1"), ({"AAPL": 1}, "price")],
)
def test_prices_that_cannot_be_read_or_are_of_no_company_are_told(
    said: JsonValue, path: str
) -> None:
    assert list(problems({"ticker": "AAPL,SNOW", "price": said})) == [f"inputs.{path}"]
    told = en("prices-many", n=1, given="2")
    assert problems({**TICKER, "price": "230, 155"}) == {"inputs.price": told}


@pytest.mark.parametrize("said", ["1,234.50", "230,155", "9, 1,000", "1,234, 155"])
def test_a_comma_that_may_part_two_prices_or_the_digits_of_one_is_asked_about(said: str) -> None:
    [(path, told)] = problems({"ticker": "AAPL,SNOW", "price": said}).items()
    assert path == "inputs.price"
    assert phrase("price-unclear") in told


def test_more_companies_than_a_table_holds_are_refused_and_the_first_is_one_of_them() -> None:
    six: list[JsonValue] = [f"T{n}" for n in range(6)]
    assert problems({"ticker": "T0", "tickers": six}) == {}
    told = en("companies-many", n="6")
    assert problems({"ticker": "AAPL", "tickers": six}) == {"inputs.tickers": told}
    assert list(problems({"ticker": "A,B,C,D,E,F,G"})) == ["inputs.tickers"]
    assert list(problems({"ticker": "?", "tickers": []})) == ["inputs.ticker"]


@pytest.mark.parametrize(
    ("said", "stored"),
    [
        ({"ticker": " aapl"}, {"ticker": "AAPL"}),
        ({"tickers": ["AAPL", "aapl"], "price": ""}, {"ticker": "AAPL"}),
        ({"ticker": "AAPL, SNOW"}, {"ticker": "AAPL", "tickers": ["AAPL", "SNOW"]}),
        (
            {"ticker": "snow", "tickers": "AAPL,SNOW", "price": "155,", "news_limit": 3},
            {"ticker": "SNOW", "tickers": ["SNOW", "AAPL"], "price": 155, "news_limit": 3},
        ),
        (
            {"tickers": "AAPL,SNOW,MSFT", "price": "230,,155"},
            {"ticker": "AAPL", "tickers": ["AAPL", "SNOW", "MSFT"], "price": [230, None, 155]},
        ),
        ({"ticker": "AAPL,,SNOW"}, {"ticker": "AAPL,,SNOW"}),
        ({"audience": "all"}, {"audience": "all"}),
    ],
)
def test_companies_of_a_start_are_stored_in_one_form(said: Json, stored: Json) -> None:
    assert RunRequest(query="?", inputs=said).inputs == stored


def test_a_definition_reads_what_its_phases_read() -> None:
    both = Definition(id="d", phases=[ClarificationPhase(), RetrievalPhase()])
    known = set(build_inputs_model(both).model_fields)
    assert {"ticker", "audience"} <= known
    assert build_inputs_model(both).model_json_schema()["required"] == ["ticker"]
    assert not build_inputs_model(Definition(id="d", phases=[AnalysisPhase()])).model_fields


def test_a_value_may_be_taken_from_the_phase_that_is_named() -> None:
    bound = validate_definition(PRESETS["investment_analysis"])["investment"]
    assert bound["fundamental.analysis"] == ["fundamental"]
    assert bound["news.analysis"] == ["news"]


def test_who_is_named_and_does_not_give_it_is_told() -> None:
    phases: list[Any] = [
        RetrievalPhase(),
        DecisionPhase(config=DecisionConfig(inputs=["retrieval.report"])),
    ]
    with pytest.raises(
        InvalidInput,
        match=opening("provider-not-before", "provider", provider="retrieval")
        + pattern("provider-not-before"),
    ):
        validate_definition(Definition(id="d", phases=phases, consent="reads"))


def test_a_decision_alone_wants_what_it_decides_on() -> None:
    alone = RunRequest(query="?", inputs=TICKER, only=["investment"])
    with pytest.raises(Conflict, match=r"“report”.*“analysis”"):
        resolve(alone, PRESETS["investment_analysis"], None)

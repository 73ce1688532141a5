"""The table of models: held against packages that know the provider's prices and ends of life."""

import re
from datetime import date, datetime, timedelta
from typing import Any, get_args

import pytest
from anthropic.resources.messages import DEPRECATED_MODELS
from anthropic.types import Model
from genai_prices import Usage, calc_price
from genai_prices.data import providers

from contracts.models.catalogue import (
    CATALOGUE,
    END_SOON_DAYS,
    FIRST_PARTY,
    PRICES,
    find_accepted,
    find_model_warnings,
)
from contracts.models.prices import Price, TokenCount

MILLION = 1_000_000
TODAY = CATALOGUE.as_of
COUNTS = [
    TokenCount(input_tokens=90_000, output_tokens=1_000),
    TokenCount(input_tokens=90_000, cache_read_tokens=80_000, output_tokens=1_000),
    TokenCount(input_tokens=90_000, cache_written_tokens=50_000, output_tokens=1),
    TokenCount(input_tokens=150_000, cache_read_tokens=140_000, output_tokens=1_000),
]


def compute_published(model: str, used: TokenCount) -> float:
    """Return what the kept package says that a call costs on the day of our table."""
    usage = Usage(
        input_tokens=used.input_tokens,
        cache_read_tokens=used.cache_read_tokens,
        cache_write_tokens=used.cache_written_tokens,
        output_tokens=used.output_tokens,
    )
    at = datetime(TODAY.year, TODAY.month, TODAY.day)  # noqa: DTZ001 - the package compares naive days
    return float(
        calc_price(
            usage, model_ref=model, provider_id="anthropic", genai_request_timestamp=at
        ).total_price
    )


@pytest.mark.parametrize("used", COUNTS, ids=["plain", "read", "written", "long"])
@pytest.mark.parametrize("model", PRICES)
def test_prices_are_those_of_the_kept_package(model: str, used: TokenCount) -> None:
    assert PRICES[model].compute_call_usd(used) == pytest.approx(compute_published(model, used))


def test_web_searches_cost_what_the_kept_package_says() -> None:
    [provider] = [each for each in providers if each.id == "anthropic"]
    prices: Any = next(m for m in provider.models if m.id == "claude-haiku-5-5").prices
    assert CATALOGUE.search_usd["anthropic"] * 1_000 == float(prices.web_searches_kcount)


def test_every_model_of_the_sdk_is_known_or_has_ended() -> None:
    listed = set(get_args(get_args(Model)[0]))
    known = {*PRICES, *CATALOGUE.ended}
    assert {name for name in listed - known if "mythos" not in name} == set()
    assert set(PRICES) <= listed


def test_ends_are_those_of_the_sdk() -> None:
    for model, day in DEPRECATED_MODELS.items():
        plain = re.sub(r"(?<=\d)(st|nd|rd|th)", "", day)
        facts = CATALOGUE.find(model)
        ours = facts.ends if facts else CATALOGUE.ended[model]
        assert ours == datetime.strptime(plain, "%B %d, %Y").date(), model  # noqa: DTZ007


@pytest.mark.parametrize("model", PRICES)
def test_price_rises_at_the_length_that_the_table_names(model: str) -> None:
    price = PRICES[model]
    if price.longer is None:
        assert price.fit(900_000) == price
        return
    most = price.longer.above_tokens
    assert price.fit(most) == price
    assert price.fit(most + 1).input_usd == price.longer.input_usd
    usd = price.compute_most_usd(most, 1_000)
    assert price.compute_most_usd(most + 1, 1_000) > 2 * usd
    assert price.count_input_tokens(usd * 1.5, 1_000) == most, "a longer prompt is too dear"
    assert price.compute_most_usd(price.count_input_tokens(1, 1_000), 1_000) <= 1


def test_a_price_of_ones_own_has_the_usual_factors() -> None:
    own = Price(input_usd=1, output_usd=5)
    used = TokenCount(input_tokens=3 * MILLION, cache_read_tokens=MILLION)
    assert own.compute_call_usd(used) == pytest.approx(2.1)
    assert own.model_dump() == {"input_usd": 1, "output_usd": 5}


def test_a_model_that_ends_is_warned_about_and_a_current_one_is_not() -> None:
    ending = next(each for each in CATALOGUE.models if each.ends)
    assert ending.ends
    ended = next(iter(CATALOGUE.ended))
    soon, over = ending.ends - timedelta(days=END_SOON_DAYS), ending.ends + timedelta(days=1)
    unknown = f"{FIRST_PARTY}haiku-9"

    def tell(model: str, today: date) -> list[str]:
        return [told.code for told in find_model_warnings([model, model], today)]

    [model, *_] = ending.ids
    assert tell(model, soon - timedelta(days=1)) == []
    assert (tell(model, soon), tell(model, over)) == (["model-ends"], ["model-ended"])
    assert tell(ended, TODAY) == ["model-ended"]
    assert tell(unknown, TODAY) == ["model-not-in-catalogue"]
    assert tell("claude-haiku-5-5", TODAY) == tell("smollm2", TODAY) == []


def test_models_that_refuse_forced_tools_are_named() -> None:
    refusing = {m.ids[0] for m in CATALOGUE.models if not m.accepts.forced_tools}
    assert {"claude-sonnet-5-5", "claude-opus-5-5", "claude-fable-5-1"} <= refusing
    assert find_accepted("smollm2").forced_tools

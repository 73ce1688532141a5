"""Which real services a stack replaces by stand-ins, and the environment of its processes."""

import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from contracts.notices import Notice
from contracts.runs.samples import SAMPLE
from greenlight.errors import CommandError
from greenlight.stack.home import Home
from greenlight.stack.layout import KEPT_PORTS, Layout, load_settings
from greenlight.stack.ports import reserve_ports
from settings import SECRETS, Settings
from tests.support.words import en, opening

KEYS = {"brave_api_key": SecretStr("b"), "anthropic_api_key": SecretStr("a")}
CONTACT = {"edgar_contact": "Acme ops@acme.example"}


def layout(home: Path, given: dict[str, Any], library: Path | None = None) -> Layout:
    settings = Settings(greenlight_signing_key=SecretStr("s"), **given)
    return Layout(Home(home), settings, library)


def test_without_keys_edgar_is_one_of_the_offline_services(tmp_path: Path) -> None:
    made = layout(tmp_path, {})
    at, told = made.offline, made.environment
    assert at["edgar"] == at["search"] == at["model"]
    assert told["EDGAR_BASE_URL"] == told["EDGAR_WWW_URL"] == at["edgar"]
    assert "@" in told["EDGAR_CONTACT"]


@pytest.mark.parametrize("given", [KEYS, CONTACT, KEYS | CONTACT])
def test_edgar_is_real_with_a_search_key_or_a_contact(
    tmp_path: Path, given: dict[str, Any]
) -> None:
    """Sample figures must not appear in a report on the real web: it has none, with the reason."""
    made = layout(tmp_path, given)
    assert "edgar" not in made.offline
    assert not [name for name in made.environment if name.startswith("EDGAR")]


def test_with_keys_the_sample_library_is_searched_where_it_is_chosen(tmp_path: Path) -> None:
    """A user with a model's key but no working web search tries the product on the sample library."""
    chosen = {"greenlight_library": "sample", "greenlight_search": "tavily"}
    made = layout(tmp_path, KEYS | chosen)
    assert "model" not in made.offline
    [worker, *_] = made.services()
    told = {"BRAVE_BASE_URL": made.offline["search"], "BRAVE_API_KEY": "offline"}
    told |= {"GREENLIGHT_SEARCH": "brave", "GREENLIGHT_LIBRARY": "sample"}
    assert told.items() <= worker.env.items()
    assert worker.env["ANTHROPIC_API_KEY"] == "a"
    assert "search" not in layout(tmp_path, KEYS).offline


def test_facts_in_the_library_are_read_despite_a_contact(tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    assert "edgar" not in layout(tmp_path, CONTACT, library).offline
    (library / "CIK0000000077.json").write_text("{}")
    assert "edgar" in layout(tmp_path, CONTACT, library).offline


@pytest.mark.parametrize("name", KEPT_PORTS)
def test_kept_ports_survive_a_restart(tmp_path: Path, name: str) -> None:
    """Runs, bookmarks and share links hold them; another stack may have had the usual port before."""
    first = layout(tmp_path, {}).ports[name]
    free = reserve_ports({"one": 0, "other": 0})
    for port in free.values():
        Home(tmp_path).save_port(name, port)
    assert layout(tmp_path, {}).ports[name] == free["one"] != first
    (tmp_path / f"{name}.port").write_text("x")
    assert layout(tmp_path, {}).ports[name]


def test_named_port_of_the_gateway_wins_over_the_kept_one(tmp_path: Path) -> None:
    free = reserve_ports({"kept": 0, "named": 0})
    Home(tmp_path).save_port("gateway", free["kept"])
    made = layout(tmp_path, {"greenlight_port": free["named"]})
    assert made.ports["gateway"] == free["named"]
    Home(tmp_path).save_port("gateway", free["named"])
    assert Home(tmp_path).load_port("gateway") == free["kept"]


def test_processes_know_what_is_searched_in_place_of_the_web(tmp_path: Path) -> None:
    (library := tmp_path / "my plans").mkdir()
    made = layout(tmp_path, KEYS), layout(tmp_path, {}), layout(tmp_path, KEYS, library)
    told = [each.environment.get("GREENLIGHT_LIBRARY") for each in made]
    assert told == [None, SAMPLE, None]
    folders = [each.environment.get("GREENLIGHT_LIBRARY_FOLDER") for each in made]
    assert folders == [None, None, str(library.resolve())]
    searched = Settings(greenlight_library_folder=library).searched
    assert searched == Notice.of("searched-folder", "info", name="my plans")
    assert "search" not in made[2].offline, "nobody is asked"


def test_each_process_is_given_the_secrets_that_it_needs(tmp_path: Path) -> None:
    own = {"exa_api_key": "x", "tavily_api_key": "t", "search_endpoint_key": "o"}
    given = KEYS | {name: SecretStr(key) for name, key in own.items()}
    given |= {"embedder_api_key": SecretStr("e"), "greenlight_servers": SecretStr("{}")}
    given |= {"greenlight_channel_keys": SecretStr("c")}
    given |= {"smtp_url": SecretStr("smtp://m"), "greenlight_mcp_servers": SecretStr("{ }")}
    payload_key = f"p:{43 * 'A'}="
    given["greenlight_payload_keys"] = SecretStr(payload_key)
    made = layout(tmp_path, given)
    children = [*made.services(), made.crew_worker(), made.temporal_server()]
    told = {
        child.name: "".join(
            child.env.get(name.upper(), "-").replace(payload_key, "p") for name in sorted(SECRETS)
        )
        for child in children
    }
    assert told == {
        "worker": "abexc{ }p{}sosmtp://mt",
        "crew-worker": "ab-x-{ }p{}-o-t",
        "gateway": "----c-p-s---",
        "temporal": "------------",
    }


def test_a_part_of_a_setting_is_refused_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ('{"max_sources": 0}', '{"max_sorces": 5}'):
        monkeypatch.setenv("GREENLIGHT_RESEARCH", value)
        with pytest.raises(CommandError, match=r"^GREENLIGHT_RESEARCH\.max_so"):
            load_settings()


@pytest.mark.parametrize(
    "name", ["anthropic_api_key", "brave_api_key", "embedder_api_key", "edgar_contact"]
)
def test_a_setting_for_a_header_is_stripped_or_refused_by_name(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name.upper(), "  a key\r\n")
    found = getattr(Settings(), name)
    assert (found if isinstance(found, str) else found.get_secret_value()) == "a key"
    for value in ("k\u00e9y", "a\nkey"):
        monkeypatch.setenv(name.upper(), value)
        with pytest.raises(CommandError, match=f"^{name.upper()}: .*printable ASCII") as raised:
            load_settings()
        assert value not in str(raised.value)


def test_prices_and_limits_are_added_to_those_that_are_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Prices of a local model are added to the provider's known prices."""
    monkeypatch.setenv("GREENLIGHT_PRICES", '{"small": {"input_usd": 0, "output_usd": 0}}')
    monkeypatch.setenv("GREENLIGHT_LIMITS", '{"small": {"window_tokens": 4096}}')
    monkeypatch.setenv("GREENLIGHT_MODELS", '{"judge": "small"}')
    found = load_settings()
    assert found.terms().prices["small"].compute_usd(1_000, 1_000) == 0
    assert {found.greenlight_model, "small"} <= set(found.terms().prices)
    assert {found.greenlight_model, "small"} <= set(found.greenlight_limits)
    assert found.terms().choose_model("judge") == "small"
    assert found.terms().choose_model("planner") == found.greenlight_model
    assert found.terms().choose_model("judge", "a definition's") == "a definition's"


def test_a_model_s_server_has_an_address_and_a_key_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at = "http://127.0.0.1:8701/"
    monkeypatch.setenv(
        "GREENLIGHT_SERVERS", f'{{"a": {{"url": "{at}", "key": "k"}}, "b": {{"url": "{at}"}}}}'
    )
    assert load_settings().servers() == {"a": (at, "k", "messages"), "b": (at, "", "messages")}
    assert "k" not in str(load_settings().greenlight_servers)
    assert Settings(greenlight_servers=SecretStr("")).servers() == {}


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("GREENLIGHT_SERVERS", "SECRET", "Invalid JSON"),
        ("GREENLIGHT_SERVERS", '{"a": "SECRET"}', f"a: {en('value-object')}"),
        ("GREENLIGHT_SERVERS", '{"a": {"url": "SECRET"}}', "a.url: .*valid URL"),
        (
            "GREENLIGHT_SERVERS",
            '{"a": {"url": "http://b", "key": "SECR\u00c9T"}}',
            "a.key: .*ASCII",
        ),
        ("GREENLIGHT_SERVERS", '{"a": {"address": "SECRET"}}', f"a.url: {en('value-missing')}"),
        (
            "GREENLIGHT_LIMITS",
            '{"a": {"window_tokens": 0}}',
            rf"\.a\.window_tokens: {en('value-above', n=0)}",
        ),
        (
            "GREENLIGHT_LIMITS",
            '{"a": {"window": 9}}',
            rf"\.a\.window: {en('value-unknown-field')}",
        ),
        ("GREENLIGHT_MODELS", "small", "write it as JSON"),
    ],
)
def test_an_odd_setting_of_models_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, told: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(CommandError, match=f"(?i){name}.*{told}") as refused:
        load_settings()
    assert "SECR" not in str(refused.value)


def test_one_key_searches_by_the_model_s_provider(tmp_path: Path) -> None:
    """Brave where its key is set; nothing but the sample without any."""
    key: dict[str, Any] = {"anthropic_api_key": SecretStr("a")}
    alone = layout(tmp_path, key)
    assert "search" not in alone.offline
    assert "GREENLIGHT_LIBRARY" not in alone.environment
    assert alone.environment["GREENLIGHT_SEARCH_CONFIGURED"] == "anthropic"
    assert Settings(**key).choose_search_services() == ["anthropic"]
    both = Settings(**key | {"brave_api_key": SecretStr("b")})
    assert both.choose_search_services() == ["brave"]
    assert both.list_search_services() == ["brave", "anthropic"]
    assert layout(tmp_path, {}).environment["GREENLIGHT_SEARCH_CONFIGURED"] == "brave"


@pytest.mark.parametrize("keys", [{}, KEYS])
def test_search_service_without_its_key_is_refused_by_name(
    tmp_path: Path, keys: dict[str, Any]
) -> None:
    made = layout(tmp_path, keys | {"greenlight_search": "brave,exa" if keys else "exa"})
    told = opening(
        "search-unconfigured", "setting", service=en("service-exa"), setting="EXA_API_KEY"
    )
    with pytest.raises(CommandError, match=rf"^GREENLIGHT_SEARCH: {re.escape(told)}"):
        assert made.environment


def test_search_services_have_their_price_and_a_library_costs_nothing() -> None:
    key: dict[str, Any] = {
        "anthropic_api_key": SecretStr("a"),
        "brave_api_key": SecretStr("b"),
    }
    usd = Settings(**key).search_terms().usd
    assert usd["brave"] == 0.005
    assert 0.01 < usd["anthropic"] < 0.015
    own = Settings(**key, greenlight_search_prices={"brave": 0.003}).search_terms()
    assert own.usd["brave"] == 0.003
    sample = Settings(**key, greenlight_library=SAMPLE).search_terms()
    assert sample.usd["brave"] == 0


@pytest.mark.parametrize("name", ["GREENLIGHT_SEARCH", "GREENLIGHT_SEARCH_CONFIGURED"])
def test_unknown_search_service_is_refused_with_those_allowed(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "brave, gogle")
    with pytest.raises(CommandError, match=f"^{name}: .*'gogle'.*brave, anthropic, searxng"):
        load_settings()
